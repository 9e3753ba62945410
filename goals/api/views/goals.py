"""`/api/goals/`: list, submit, look, cancel; what is done to a goal is in acts.py, what it is made of in parts.py."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django_filters.rest_framework import DjangoFilterBackend
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from goals import bulk, events, seeing, services
from goals.api import etags, rates
from goals.api.base import ApiViewSet
from goals.api.counts import with_counts
from goals.api.fields import read
from goals.api.filters import GoalFilter
from goals.api.pages import BY_TIME, page_of
from goals.api.query import FIELDS
from goals.api.serializers.goals import GoalSerializer, GoalSummariesSerializer, GoalSummarySerializer
from goals.api.serializers.inputs import BulkInput, GoalInput
from goals.api.single import Versioned, one_of
from goals.api.views.acts import GoalActs
from goals.api.views.parts import GoalParts
from goals.api.views.shares import GoalShares
from goals.chat import conversations
from goals.models import Goal


class GoalViewSet(GoalActs, GoalParts, GoalShares, ApiViewSet):
    """Goals: one's own, or everybody's for an operator."""

    queryset = Goal.objects.none()
    serializer_class = GoalSerializer
    filter_backends = [DjangoFilterBackend]
    filterset_class = GoalFilter
    orderings = {**BY_TIME, "finished_at": ("finished_at", "id")}

    def get_queryset(self) -> QuerySet[Goal]:
        return with_counts(seeing.visible_goals(self.request.user))

    def shown(self, goal_id: Any, code: int = status.HTTP_200_OK) -> Response:
        """Return the goal as it stands."""
        goal = self.whole(goal_id)
        return Versioned(GoalSerializer(goal).data, goal.seq, code)

    def hold(self, tags: Sequence[str], **named: Any) -> None:
        """Lock the goal; raise 412 with its events since, when there are any."""
        goal = services.find(self.request.user, named.get("pk"))
        seq = Goal.objects.select_for_update(no_key=True).values_list("seq", flat=True).get(pk=goal.pk)
        etags.require(
            tags, seq, lambda since: [events.frame(row) for row in events.since(goal.pk, since, limit=etags.MOST_TOLD)]
        )

    def whole(self, goal_id: Any) -> Goal:
        return self.get_queryset().select_related("watch").prefetch_related("checkpoints").get(pk=goal_id)

    @extend_schema(responses=GoalSummarySerializer(many=True))
    def list(self, request: Request) -> Response:
        """Goals, newest first. Ordered by `finished_at`: those that have ended."""
        lean = self.get_queryset().defer("context", "constraints", "summary", "plan_notes", "steering", "verifier")
        return page_of(self, self.filter_queryset(lean), GoalSummarySerializer)

    @extend_schema(request=GoalInput, responses={201: GoalSerializer})
    def create(self, request: Request) -> Response:
        """Submit a goal; workers pick it up within a second."""
        given = said(read(GoalInput, request.data))
        if "conversation" in given:
            given["conversation"] = conversations.find(request.user, given["conversation"])
        goal = services.submit(owner=request.user, **given)
        return self.shown(goal.pk, status.HTTP_201_CREATED)

    @extend_schema(request=BulkInput, responses={201: GoalSummariesSerializer})
    @action(detail=False, methods=["post"])
    def bulk(self, request: Request) -> Response:
        """Submit up to 100 goals: all or none. What is wrong is told by place and field: `goals.3.objective`."""
        wishes = [said(wish) for wish in read(BulkInput, request.data)["goals"]]
        rates.count_more(request, len(wishes) - 1)
        made = [goal.pk for goal in bulk.submit_all(request.user, wishes)]
        rows = {goal.pk: goal for goal in self.get_queryset().filter(pk__in=made)}
        results = GoalSummarySerializer([rows[pk] for pk in made], many=True).data
        return Response({"results": results}, status=status.HTTP_201_CREATED)

    @extend_schema(parameters=[FIELDS])
    def retrieve(self, request: Request, pk: Any) -> Response:
        """A goal with its checkpoints and budget."""
        goal = self.whole(services.find(request.user, pk).pk)
        return one_of(request, GoalSerializer, goal, goal.seq)

    @extend_schema(responses={200: GoalSerializer})
    def destroy(self, request: Request, pk: Any) -> Response:
        """Cancel the goal; its history stays."""
        return self.shown(services.cancel(request.user, pk).pk)


def said(wish: dict[str, Any]) -> dict[str, Any]:
    """Return what of a wish says something: null is the same as nothing."""
    return {name: value for name, value in wish.items() if value is not None}
