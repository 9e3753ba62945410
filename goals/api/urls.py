"""Everything below `/api/`."""

from django.urls import include, path, re_path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.routers import SimpleRouter

from goals.api.base import NowhereViewSet
from goals.api.views.catalogue import CommandViewSet, ToolViewSet, VerifierViewSet
from goals.api.views.conversations import ConversationGoalViewSet, ConversationViewSet
from goals.api.views.goals import GoalViewSet
from goals.api.views.questions import QuestionViewSet
from goals.api.views.webhooks import WebhookViewSet

router = SimpleRouter(use_regex_path=False)
router.register("goals", GoalViewSet, basename="goal")
router.register("questions", QuestionViewSet, basename="question")
router.register("conversations", ConversationViewSet, basename="conversation")
router.register("goal", ConversationGoalViewSet, basename="conversation-goal")
router.register("webhooks", WebhookViewSet, basename="webhook")
router.register("tools", ToolViewSet, basename="tool")
router.register("verifiers", VerifierViewSet, basename="verifier")
router.register("chat/commands", CommandViewSet, basename="chat-command")

nothing = dict.fromkeys(["get", "post", "put", "patch", "delete"], "nothing")

urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", SpectacularSwaggerSplitView.as_view(url_name="schema"), name="docs"),
    *router.urls,
    path("", include("artifacts.api.urls")),
    path("", include("sops.api.urls")),
    re_path(r"^(?:[\s\S]*/)?$", NowhereViewSet.as_view(nothing)),
]
