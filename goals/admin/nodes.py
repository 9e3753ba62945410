"""Checkpoints and subgoals."""

from typing import Any

from django.contrib import admin
from unfold.decorators import display

from goals.admin.base import COLOURS, OwnRows
from goals.admin.filters import chosen, owned_over
from goals.admin.node_acts import CheckpointActs, SubgoalActs
from goals.admin.show import link, pre, short
from goals.models import Checkpoint, Subgoal
from goals.states import CheckpointStatus, Operation, Predicate, SubgoalStatus


class Node(OwnRows):
    list_select_related = ["goal"]
    ordering = ["-id"]
    readonly_fields = ["of_goal", "arguments", "conditions", "uses", "comes_from"]

    @display(description="Status", ordering="status", label=COLOURS)
    def state(self, row: Any) -> str:
        return row.status

    @admin.display(description="goal")
    def of_goal(self, row: Any) -> Any:
        return link(row.goal)

    @admin.display(description="args")
    def arguments(self, row: Any) -> Any:
        return pre(row.args)

    @admin.display(description="done when")
    def conditions(self, row: Any) -> Any:
        return pre(row.done_when)

    @admin.display(description="tools")
    def uses(self, row: Any) -> str:
        return ", ".join(map(str, row.tools)) or "–"

    @admin.display(description="provenance")
    def comes_from(self, row: Any) -> Any:
        return pre(row.provenance)


@admin.register(Checkpoint)
class CheckpointAdmin(CheckpointActs, Node):
    list_display = ["named", "state", "predicate", "attempts", "goal", "finished_at"]
    list_filter = [
        chosen("status", CheckpointStatus.values),
        chosen("predicate", Predicate.values),
        owned_over("goal__owner"),
    ]
    search_fields = ["title", "description", "=goal__id"]
    fields = [
        "of_goal",
        ("position", "title", "status"),
        "description",
        "success_criteria",
        ("predicate", "operation", "evidence_key"),
        "uses",
        "arguments",
        "conditions",
        "spec",
        "proven_by",
        "result_summary",
        "what_failed",
        "comes_from",
        ("attempts", "iteration", "revision"),
        ("created_at", "started_at", "finished_at"),
    ]
    readonly_fields = [*Node.readonly_fields, "spec", "proven_by", "what_failed"]

    @display(description="Checkpoint", ordering="position")
    def named(self, row: Checkpoint) -> str:
        return short(str(row))

    @admin.display(description="verifier")
    def spec(self, row: Checkpoint) -> Any:
        return pre(row.verifier)

    @admin.display(description="proof")
    def proven_by(self, row: Checkpoint) -> Any:
        return link(row.proof)

    @admin.display(description="failure")
    def what_failed(self, row: Checkpoint) -> Any:
        return pre(row.failure)


@admin.register(Subgoal)
class SubgoalAdmin(SubgoalActs, Node):
    list_display = ["named", "state", "predicate", "operation", "attempts", "checkpoint", "goal"]
    list_select_related = ["goal", "checkpoint"]
    list_filter = [
        chosen("status", SubgoalStatus.values),
        chosen("predicate", Predicate.values),
        chosen("operation", Operation.values),
        owned_over("goal__owner"),
    ]
    search_fields = ["gloss", "=goal__id", "=checkpoint__id"]
    fields = [
        "of_goal",
        "of_checkpoint",
        "of_parent",
        "gloss",
        ("status", "predicate", "operation"),
        ("decomposition", "depth", "position"),
        "needs",
        ("evidence_key", "round", "attempts"),
        "uses",
        "arguments",
        "conditions",
        "result_shown",
        "failure_shown",
        "previous_failure",
        "comes_from",
        ("wake_at", "started_at", "finished_at"),
    ]
    readonly_fields = [
        *Node.readonly_fields,
        "of_checkpoint",
        "of_parent",
        "needs",
        "result_shown",
        "failure_shown",
    ]

    @display(description="Subgoal", ordering="gloss")
    def named(self, row: Subgoal) -> str:
        return f"{'· ' * row.depth}{short(row.gloss)}"

    @admin.display(description="checkpoint")
    def of_checkpoint(self, row: Subgoal) -> Any:
        return link(row.checkpoint)

    @admin.display(description="parent")
    def of_parent(self, row: Subgoal) -> Any:
        return link(row.parent)

    @admin.display(description="depends on")
    def needs(self, row: Subgoal) -> str:
        return ", ".join(short(str(needed), 60) for needed in row.depends_on.all()[:50]) or "–"

    @admin.display(description="result")
    def result_shown(self, row: Subgoal) -> Any:
        return pre(row.result)

    @admin.display(description="failure")
    def failure_shown(self, row: Subgoal) -> Any:
        return pre(row.failure)
