"""What an operator does to a single checkpoint or subgoal, from its page: each calls the service."""

from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from unfold.decorators import action

from goals import checkpoint_acts, subgoal_acts
from goals.admin.acts import dialog, done
from goals.admin.forms import ReasonForm, WhyForm
from goals.admin.node_forms import CheckpointForm, SubgoalForm
from goals.models import Checkpoint, Subgoal
from goals.services import UNFINISHED
from goals.states import CheckpointStatus, SubgoalStatus

C = CheckpointStatus
OFFERED = {C.PENDING: {"edit", "skip"}, C.ACTIVE: {"skip", "retry"}, C.FAILED: {"retry"}}


class NodeActs:
    """Offers what the row's status allows; the service has the last word."""

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> list[Any]:
        row = self.get_object(request, object_id)
        offered = self.offered(row) if row is not None and row.goal.status in UNFINISHED else set()
        return [one for one in super().get_actions_detail(request, object_id) if one.path in offered]

    def act(self, request: HttpRequest, object_id: str, act: Callable[[Any, Any, Any], Any], told: str) -> HttpResponse:
        row = self.get_object(request, object_id)
        if row is None:
            raise Http404(f"there is no {self.model._meta.model_name} {object_id}")
        return done(request, row, lambda: act(request.user, row.goal_id, row.pk), told)


class CheckpointActs(NodeActs):
    actions_detail = ["edit_checkpoint", "retry_checkpoint", "skip_checkpoint"]

    def offered(self, row: Checkpoint) -> set[str]:
        return OFFERED.get(C(row.status), set())

    @action(
        description="Edit",
        url_path="edit",
        icon="edit",
        dialog=dialog("Edit", "It has not begun; the whole plan is checked again.", CheckpointForm, "Change it"),
    )
    def edit_checkpoint(self, request: HttpRequest, form: CheckpointForm, object_id: str) -> HttpResponse:
        changes = form.changes()
        return self.act(request, object_id, lambda *who: checkpoint_acts.edit(*who, changes), "It is changed.")

    @action(
        description="Begin anew",
        url_path="retry",
        icon="replay",
        dialog=dialog("Begin anew", "What is at work begins again, what failed is tried anew.", ReasonForm, "Go"),
    )
    def retry_checkpoint(self, request: HttpRequest, form: ReasonForm, object_id: str) -> HttpResponse:
        reason = form.cleaned_data["reason"]
        return self.act(request, object_id, lambda *who: checkpoint_acts.retry(*who, reason), "It is begun anew.")

    @action(
        description="Skip",
        url_path="skip",
        icon="skip_next",
        dialog=dialog("Skip", "It is left out. The goal's verifier decides all the same.", WhyForm, "Skip it"),
    )
    def skip_checkpoint(self, request: HttpRequest, form: WhyForm, object_id: str) -> HttpResponse:
        reason = form.cleaned_data["reason"]
        return self.act(request, object_id, lambda *who: checkpoint_acts.skip(*who, reason), "It is skipped.")


class SubgoalActs(NodeActs):
    actions_detail = ["edit_subgoal"]

    def offered(self, row: Subgoal) -> set[str]:
        begun = row.parent_id is None or row.status != SubgoalStatus.PENDING or row.started_at is not None
        return set() if begun else {"edit"}

    @action(
        description="Edit",
        url_path="edit",
        icon="edit",
        dialog=dialog("Edit", "It has not begun; its parent's plan is checked again.", SubgoalForm, "Change it"),
    )
    def edit_subgoal(self, request: HttpRequest, form: SubgoalForm, object_id: str) -> HttpResponse:
        changes = form.changes()
        return self.act(request, object_id, lambda *who: subgoal_acts.edit(*who, changes), "It is changed.")
