"""What people do to a goal: each calls the service of its name."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from goals import checkpoint_acts, sealing, services, subgoal_acts, watches
from goals.api.fields import read
from goals.api.serializers.goals import BudgetSerializer, GoalSerializer
from goals.api.serializers.inputs import (
    CheckpointInput,
    ForkInput,
    LimitsInput,
    NothingInput,
    PauseInput,
    ReasonInput,
    ReviseInput,
    SteerInput,
    SubgoalInput,
    VerifierInput,
    WatchInput,
)
from goals.api.single import Versioned


class GoalActs:
    """POST on `/api/goals/ID/…/`, and the limits."""

    @extend_schema(request=PauseInput, responses=GoalSerializer)
    @action(detail=True, methods=["post"])
    def pause(self, request: Request, pk: Any) -> Response:
        """Rest after the call in hand, until it is resumed; with `now`, the call in hand is not awaited."""
        return self.shown(services.pause(request.user, pk, **_given(PauseInput, request)).pk)

    @extend_schema(request=ReviseInput, responses=GoalSerializer)
    @action(detail=True, methods=["post"], url_path="checkpoints/<str:checkpoint>/skip")
    def skip_checkpoint(self, request: Request, pk: Any, checkpoint: str) -> Response:
        """Leave out a checkpoint that is not completed, and say why."""
        reason = read(ReviseInput, request.data)["reason"]
        return self.shown(checkpoint_acts.skip(request.user, pk, checkpoint, reason).pk)

    @extend_schema(request=ReasonInput, responses=GoalSerializer)
    @action(detail=True, methods=["post"], url_path="checkpoints/<str:checkpoint>/retry")
    def retry_checkpoint(self, request: Request, pk: Any, checkpoint: str) -> Response:
        """Begin the active checkpoint from its start, or a failed one anew."""
        given = _given(ReasonInput, request)
        return self.shown(checkpoint_acts.retry(request.user, pk, checkpoint, **given).pk)

    @extend_schema(request=CheckpointInput, responses=GoalSerializer)
    @action(detail=True, methods=["patch"], url_path="checkpoints/<str:checkpoint>")
    def edit_checkpoint(self, request: Request, pk: Any, checkpoint: str) -> Response:
        """Change a checkpoint that has not begun."""
        return self.shown(checkpoint_acts.edit(request.user, pk, checkpoint, request.data).pk)

    @extend_schema(request=SubgoalInput, responses=GoalSerializer)
    @action(detail=True, methods=["patch"], url_path="subgoals/<str:subgoal>")
    def edit_subgoal(self, request: Request, pk: Any, subgoal: str) -> Response:
        """Change a subgoal that has not begun."""
        return self.shown(subgoal_acts.edit(request.user, pk, subgoal, request.data).pk)

    @extend_schema(request=NothingInput, responses=GoalSerializer)
    @action(detail=True, methods=["post"])
    def resume(self, request: Request, pk: Any) -> Response:
        """Go on where the goal stood."""
        read(NothingInput, request.data)
        return self.shown(services.resume(request.user, pk).pk)

    @extend_schema(request=ReasonInput, responses=GoalSerializer)
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: Any) -> Response:
        """End the goal now."""
        return self.shown(services.cancel(request.user, pk, **_given(ReasonInput, request)).pk)

    @extend_schema(request=NothingInput, responses=GoalSerializer)
    @action(detail=True, methods=["post"])
    def rearm(self, request: Request, pk: Any) -> Response:
        """Bring an ended goal back; needs the permission `goals.rearm`."""
        read(NothingInput, request.data)
        return self.shown(services.rearm(request.user, pk).pk)

    @extend_schema(request=SteerInput, responses=GoalSerializer)
    @action(detail=True, methods=["post"])
    def steer(self, request: Request, pk: Any) -> Response:
        """Say something that enters the next prompt."""
        return self.shown(services.steer(request.user, pk, read(SteerInput, request.data)["text"]).pk)

    @extend_schema(request=ReviseInput, responses=GoalSerializer)
    @action(detail=True, methods=["post"])
    def revise(self, request: Request, pk: Any) -> Response:
        """Ask for a new plan of what remains."""
        return self.shown(services.revise(request.user, pk, read(ReviseInput, request.data)["reason"]).pk)

    @extend_schema(request=VerifierInput, responses=GoalSerializer)
    @action(detail=True, methods=["patch"])
    def verifier(self, request: Request, pk: Any) -> Response:
        """Seal another verifier; needs the permission `goals.operate`."""
        return self.shown(sealing.change_verifier(request.user, pk, **read(VerifierInput, request.data)).pk)

    @extend_schema(request=WatchInput, responses=GoalSerializer)
    @action(detail=True, methods=["patch"])
    def watch(self, request: Request, pk: Any) -> Response:
        """Change the rule by which a goal in monitor mode watches; it looks again at once."""
        return self.shown(watches.change(request.user, pk, request.data).pk)

    @extend_schema(request=NothingInput, responses=GoalSerializer)
    @action(detail=True, methods=["post"])
    def look(self, request: Request, pk: Any) -> Response:
        """Have a watch look before its next look is due."""
        read(NothingInput, request.data)
        return self.shown(watches.look_now(request.user, pk).pk)

    @extend_schema(request=ForkInput, responses={201: GoalSerializer})
    @action(detail=True, methods=["post"])
    def fork(self, request: Request, pk: Any) -> Response:
        """Start another goal from this one's artifacts; it draws on the same budget."""
        goal = services.fork(request.user, pk, **_given(ForkInput, request))
        return self.shown(goal.pk, status.HTTP_201_CREATED)

    @extend_schema(responses=BudgetSerializer)
    @action(detail=True, methods=["get"])
    def limits(self, request: Request, pk: Any) -> Response:
        """What the goal may use, has used and has reserved."""
        goal = services.find(request.user, pk)
        return Versioned(services.budget_of(goal), goal.seq)

    @extend_schema(request=LimitsInput, responses=BudgetSerializer)
    @limits.mapping.patch
    def change_limits(self, request: Request, pk: Any) -> Response:
        """Set limits, or raise them by an amount."""
        services.raise_limits(request.user, pk, request.data)
        return self.limits(request, pk)


def _given(kind: Any, request: Request) -> dict[str, Any]:
    return {name: value for name, value in read(kind, request.data).items() if value is not None}
