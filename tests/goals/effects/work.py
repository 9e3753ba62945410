"""Goals that are ready for a driver without any model: steps that each use one tool, planned by the test itself."""

from collections.abc import Callable
from typing import Any

from goals import lease
from goals.driver import Drive
from goals.effects.handlers import HANDLERS
from goals.models import Checkpoint, Goal, ModelCall, Subgoal, ToolCall
from goals.states import EffectClass
from goals.tools.base import ProbeResult, Reach, Tool, ToolContext, ToolInput, ToolResult


class NumberInput(ToolInput):
    number: int = 0


class ScriptedTool(Tool):
    """Does what a test says: `does(input, context)` on a run, `knows(context)` on a probe."""

    name = "scripted"
    description = "A tool of the tests."
    Input = NumberInput
    effect_class = EffectClass.PURE
    reach = Reach.NONE

    def __init__(self, name: str, effect_class: EffectClass, does: Callable[..., Any], knows: Any = None) -> None:
        self.name = name
        self.effect_class = effect_class
        self.does = does
        self.knows = knows
        self.keys: list[str] = []

    def run(self, input: NumberInput, context: ToolContext) -> ToolResult:
        self.keys.append(context.idempotency_key)
        value = self.does(input, context)
        return value if isinstance(value, ToolResult) else ToolResult(value, f"gave {value!r}")

    def probe(self, input: NumberInput, context: ToolContext) -> ProbeResult | None:
        return self.knows(context) if self.knows else None


def plan(goal: Goal, *tools: str, key: str = "step{}") -> Goal:
    """Write a plan of one tool a checkpoint into a submitted goal; returns its row as it stands now."""
    for position, name in enumerate(tools):
        step(goal, position, "use_tool", {"tool": name, "input": {"number": position}}, key.format(position))
    Goal.objects.filter(pk=goal.pk).update(plan_due=False)
    return Goal.objects.get(pk=goal.pk)


def step(goal: Goal, position: int, predicate: str, args: dict[str, Any], key: str = "", **columns: Any) -> Checkpoint:
    return Checkpoint.objects.create(
        goal=goal,
        position=position,
        title=f"Step {position}",
        predicate=predicate,
        args=args,
        evidence_key=key,
        done_when=[{"kind": "has_evidence", "key": key}] if key else [],
        **columns,
    )


def last_is(key: str) -> dict[str, Any]:
    """A verifier that is met when there is an artifact of this name; it asks no model."""
    return {"type": "artifact", "name": key}


def take(goal: Goal) -> lease.Lease:
    """Claim the lease of one goal."""
    (taken,) = lease.claim(1, [goal.pk])
    return taken


def drive(goal: Goal) -> Drive:
    """A driver that holds the goal's lease and has made the moves that need nothing from outside."""
    found = Drive(take(goal))
    with found.writing():
        pass
    return found


def at_first_step(goal: Goal) -> tuple[Drive, Subgoal]:
    """Drive a planned goal up to its first tool call, without making it."""
    found = Drive(take(goal))
    found._handlers = HANDLERS
    for perform in found._performs():
        if perform.action == "preflight":
            found._perform(perform)
    assert [p.action for p in found._performs()] == ["use_tool"]
    return found, Subgoal.objects.get(goal=goal)


def only_call(goal: Goal) -> ToolCall:
    return ToolCall.objects.get(goal=goal)


def reserved(goal: Goal) -> dict[str, float]:
    """What is reserved, by resource, where that is not nothing."""
    return {row.resource: float(row.reserved) for row in goal.budgets.all() if row.reserved}


def model_row(goal: Goal, scope: str, **columns: Any) -> ModelCall:
    return ModelCall(
        goal=goal, purpose="act", role="worker", model="m", effect_class=EffectClass.PURE, scope=scope, **columns
    )


def tool_row(goal: Goal, scope: str, effect_class: EffectClass = EffectClass.EXTERNAL, **columns: Any) -> ToolCall:
    return ToolCall(goal=goal, tool="booking", effect_class=effect_class, scope=scope, **columns)
