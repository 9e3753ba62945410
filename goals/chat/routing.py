"""The live sockets' addresses."""

websocket_urlpatterns = []
