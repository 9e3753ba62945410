"""What a goal is made of: GET on `/api/goals/ID/…/`."""

from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from artifacts.api.serializers import ArtifactSummarySerializer
from artifacts.models import Artifact
from artifacts.services import latest_ids
from goals import events, services
from goals.api import asking
from goals.api.certificate import certificate_of
from goals.api.filters import ModelCallFilter, PartFilter, ToolCallFilter
from goals.api.pages import BY_TIME, LongPages, page_of
from goals.api.query import only, read_number, whole_number, yes_or_no
from goals.api.serializers import parts as out
from goals.api.serializers.tree import TreeSerializer
from goals.api.single import Versioned
from goals.api.tree import tree_of
from goals.models import Goal, ModelCall, Question, ToolCall

LARGEST_SEQ = 2**62
AFTER = OpenApiParameter(
    "after",
    {"type": "integer", "minimum": 0, "maximum": LARGEST_SEQ, "default": 0},
    description="the last seq that is known",
)
LAST = OpenApiParameter(
    "Last-Event-ID",
    {"type": "string", "pattern": "^[0-9]{1,18}$"},
    OpenApiParameter.HEADER,
    description="the same as `after`, which it overrules: browsers send it when they connect again",
)
WAIT = OpenApiParameter(
    "wait",
    {"type": "integer", "minimum": 0, "maximum": settings.GOALSITE_API_WAIT, "default": 0},
    description="seconds to wait for an event when there is none yet",
)
LIMIT = OpenApiParameter("limit", {"type": "integer", "minimum": 1, "maximum": events.PAGE, "default": 200})
FULL = OpenApiParameter("full", bool, description="with request and response")
TIMED = {"orderings": BY_TIME, "ordering": "-created_at"}
PLAIN = {"filterset_class": None, "filter_backends": [], **TIMED}


def known_seq(request: Request) -> int:
    """Return the last seq that is known, by `Last-Event-ID` or `after`; raises ValidationError."""
    after = whole_number(request, "after", default=0, most=LARGEST_SEQ)
    given = request.headers.get("Last-Event-ID")
    return after if given is None else read_number("Last-Event-ID", given, most=LARGEST_SEQ)


def _calls_by(kind: Any) -> dict[str, Any]:
    rows = kind.Meta.model.objects.none()
    return {"filterset_class": kind, "queryset": rows, "more_parameters": ("full",), **TIMED}


class GoalParts:
    """Reads one part of one goal; the goal is found with permission first."""

    def goal(self, pk: Any) -> Goal:
        return services.find(self.request.user, pk)  # type: ignore[attr-defined]

    @extend_schema(responses=TreeSerializer)
    @action(detail=True, **PLAIN)
    def tree(self, request: Request, pk: Any) -> Response:
        """Checkpoints and subgoals as they stand."""
        goal = self.goal(pk)
        return Versioned(TreeSerializer(tree_of(goal)).data, goal.seq)

    @extend_schema(parameters=[AFTER, LIMIT, WAIT, LAST], responses=out.EventsSerializer)
    @action(detail=True, **PLAIN)
    def events(self, request: Request, pk: Any) -> Response:
        """The history after a number, oldest first. As `text/event-stream` it goes on as long as one listens."""
        goal = self.goal(pk)
        only(request, ["after", "limit", "wait"])
        after = known_seq(request)
        limit = whole_number(request, "limit", default=200, least=1, most=events.PAGE)
        wait = whole_number(request, "wait", default=0, most=settings.GOALSITE_API_WAIT)
        found = events.since(goal.pk, after, limit=limit)
        asking.tell(request, person=request.user.pk, goal=str(goal.pk), after=after, wait=wait, results=len(found))
        last = found[-1].seq if found else after
        frames = [events.frame(event) for event in found]
        return Response({"last_seq": goal.seq, "more": last < goal.seq and bool(found), "results": frames})

    @extend_schema(responses=ArtifactSummarySerializer(many=True))
    @action(detail=True, pagination_class=LongPages, **{**PLAIN, "orderings": {"name": ("name",)}, "ordering": "name"})
    def artifacts(self, request: Request, pk: Any) -> Response:
        """The latest version of each artifact that the goal sees."""
        found = latest_ids(self.goal(pk).artifact_context_id)
        rows = Artifact.objects.filter(pk__in=found).defer("value")
        return page_of(self, rows, ArtifactSummarySerializer)

    @extend_schema(responses=out.QuestionSerializer(many=True))
    @action(detail=True, filterset_class=PartFilter, queryset=Question.objects.none(), **TIMED)
    def questions(self, request: Request, pk: Any) -> Response:
        """What was asked, newest first."""
        rows = self.goal(pk).questions.select_related("answered_by")
        return page_of(self, self.filter_queryset(rows), out.QuestionSerializer)  # type: ignore[attr-defined]

    @extend_schema(parameters=[FULL], responses=out.FullModelCallSerializer(many=True))
    @action(detail=True, url_path="model-calls", **_calls_by(ModelCallFilter))
    def model_calls(self, request: Request, pk: Any) -> Response:
        """Calls to the model, newest first."""
        rows = ModelCall.objects.filter(goal=self.goal(pk))
        return self._calls(rows, out.ModelCallSerializer, out.FullModelCallSerializer)

    @extend_schema(parameters=[FULL], responses=out.FullToolCallSerializer(many=True))
    @action(detail=True, url_path="tool-calls", **_calls_by(ToolCallFilter))
    def tool_calls(self, request: Request, pk: Any) -> Response:
        """Uses of tools, newest first."""
        rows = ToolCall.objects.filter(goal=self.goal(pk))
        return self._calls(rows, out.ToolCallSerializer, out.FullToolCallSerializer)

    @extend_schema(responses=out.VerificationSerializer(many=True))
    @action(detail=True, **PLAIN)
    def verifications(self, request: Request, pk: Any) -> Response:
        """Runs of verifiers, newest first."""
        return page_of(self, self.goal(pk).verifications.all(), out.VerificationSerializer)

    @extend_schema(responses=out.ProgressScoreSerializer(many=True))
    @action(detail=True, pagination_class=LongPages, **{**PLAIN, "orderings": {"at": ("at", "id")}, "ordering": "at"})
    def progress(self, request: Request, pk: Any) -> Response:
        """The scores that progress was given, with what was spent by then, oldest first."""
        return page_of(self, self.goal(pk).progress_scores.all(), out.ProgressScoreSerializer)

    @extend_schema(responses=OpenApiTypes.OBJECT)
    @action(detail=True, **PLAIN)
    def certificate(self, request: Request, pk: Any) -> Response:
        """What proves a completed goal, from what, at what cost; 409 while it is not completed."""
        return Response(certificate_of(self.goal(pk)))

    def _calls(self, rows: QuerySet, brief: Any, full: Any) -> Response:
        rows = self.filter_queryset(rows)  # type: ignore[attr-defined]
        if yes_or_no(self.request, "full"):  # type: ignore[attr-defined]
            return page_of(self, rows, full)
        return page_of(self, rows.defer("request", "response", "reserved"), brief)
