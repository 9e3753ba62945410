"""The live sockets' addresses."""

from django.urls import path

from goals.chat.consumers import ConversationConsumer, GoalConsumer
from goals.chat.needs import NeedsConsumer

websocket_urlpatterns = [
    path("ws/conversations/<str:id>/", ConversationConsumer.as_asgi()),
    path("ws/goals/<str:id>/", GoalConsumer.as_asgi()),
    path("ws/needs/", NeedsConsumer.as_asgi(), {"id": ""}),
]
