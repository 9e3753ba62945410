"""What a person does to a simulated goal: answers, pauses, resumes, cancels, speaks, revises, adds evidence, mends."""

from random import Random

from goals.decisions import Failure, FailureKind, Move
from goals.states import GoalStatus, Kind, PauseReason, Predicate
from goals.tree import Node
from tests.goals.core.build import G, S
from tests.goals.core.outcomes import Outcomes
from tests.goals.core.simulator import Simulator


def asked(simulator: Simulator) -> list[Node]:
    return [n for n in simulator.snapshot.nodes if n.status == S.WAITING and n.asked]


def answer(simulator: Simulator, node: Node, *, yes: bool = True) -> None:
    """A first answer: information or a yes is evidence, a no is a refusal; a yes to an approval lets work begin."""
    keys = frozenset(c.key for c in node.done_when if c.kind == "has_evidence")
    if not yes:
        facts = {"failure": Failure(FailureKind.REFUSED, "a person said no")}
        keys = frozenset()
    else:
        facts = {"worked": node.predicate in {Predicate.GATHER_INFO, Predicate.CONFIRM}}
        keys = keys if facts["worked"] else frozenset()
    simulator.person(
        Move(Kind.SUBGOAL, node.id, S.WAITING, S.ACTIVE, {"asked": False, "wake_at": None, **facts}), evidence=keys
    )


def answer_plan(simulator: Simulator, dice: Random, *, yes: bool = True) -> None:
    """A plan is approved of, or another one is asked for; either brings back a goal that waits for the answer."""
    goal = simulator.snapshot.goal
    unanswered = goal.status == G.PAUSED and goal.paused_for == PauseReason.APPROVAL
    to = G.ACTIVE if goal.status == G.WAITING or unanswered else None
    if yes:
        simulator.approve(Outcomes(simulator, dice, kind=True).approved(to))
    else:
        facts = {"plan_asked": False, "plan_wake_at": None}
        simulator.person(Move(Kind.GOAL, goal.id, goal.status, to, facts))


def pause(simulator: Simulator, why: PauseReason = PauseReason.USER) -> None:
    goal = simulator.snapshot.goal
    facts = {"paused_for": why, "reason": "a person said so", "wake_at": None, "waits_for": ""}
    simulator.person(Move(Kind.GOAL, goal.id, goal.status, G.PAUSED, facts))


def resume(simulator: Simulator) -> None:
    """Back to planning when there is no plan yet, else to work; an earlier wait is found anew by the engine."""
    goal = simulator.snapshot.goal
    to = GoalStatus.PLANNING if goal.plan_due and goal.iteration == 1 else GoalStatus.ACTIVE
    facts = {"paused_for": "", "reason": "", "wake_at": None, "waits_for": ""}
    simulator.person(Move(Kind.GOAL, goal.id, G.PAUSED, to, facts))


def cancel(simulator: Simulator) -> None:
    goal = simulator.snapshot.goal
    simulator.person(Move(Kind.GOAL, goal.id, goal.status, G.CANCELLED, {}, "goal.cancelled"))


def speak(simulator: Simulator) -> None:
    goal = simulator.snapshot.goal
    simulator.person(Move(Kind.GOAL, goal.id, goal.status, None, {"words": goal.words + 1}))


def revise(simulator: Simulator) -> None:
    goal = simulator.snapshot.goal
    facts = {"revise_reason": "a person wants another plan", "asked_revisions": goal.asked_revisions + 1}
    simulator.person(Move(Kind.GOAL, goal.id, goal.status, None, {**facts, "unachievable": ""}))


def add_evidence(simulator: Simulator, key: str) -> None:
    simulator.person(evidence=frozenset({key}))


def mend(simulator: Simulator) -> None:
    """The missing tools are there now."""
    blocked = [n for n in simulator.snapshot.nodes if n.status == S.BLOCKED]
    simulator.person(*(Move(Kind.SUBGOAL, n.id, S.BLOCKED, S.PENDING, {"failure": None}) for n in blocked))
