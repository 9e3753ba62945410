"""How the goal of a conversation stands: which one it is, and its state in words."""

import re

from goals.chat.steps import is_past
from goals.chat.turning import unturned
from goals.models import Conversation, Goal
from goals.services import UNFINISHED
from goals.states import CheckpointStatus, GoalStatus, Outcome, PauseReason, WaitsFor

LONGEST_TITLE = 90
SENTENCE = re.compile(r".+?[.!?](?=\s)")
PAUSED = {
    PauseReason.USER: "Paused",
    PauseReason.BUDGET: "Paused: the budget is used up",
    PauseReason.NO_PROGRESS: "Paused: it makes no progress",
    PauseReason.APPROVAL: "Paused: an approval was not answered",
    PauseReason.ERROR: "Paused: something went wrong",
}
FAILED = {
    Outcome.EXHAUSTED: "Not reached: every attempt is used up",
    Outcome.UNACHIEVABLE: "Not reached: it cannot be done",
    Outcome.ERROR: "Not reached: something went wrong",
}
WAITING = {
    WaitsFor.QUESTION: "Waiting for your answer",
    WaitsFor.TIMER: "Waiting for a moment to come",
    WaitsFor.WATCH: "Watching",
}


def current_goal(conversation: Conversation) -> Goal | None:
    """Return the latest unfinished goal of a conversation, else the latest one; not one that a goal has made."""
    goals = Goal.objects.filter(conversation=conversation, parent=None).order_by("-created_at")
    return goals.filter(status__in=UNFINISHED).first() or goals.first()


def title_of(goal: Goal) -> str:
    """Return a goal's objective as a title: its first sentence, or as much of it as fits."""
    line = " ".join(unturned(next(iter(goal.objective.strip().splitlines()), "")).split())
    sentence = SENTENCE.match(line)
    title = sentence[0] if sentence else line
    if len(title) <= LONGEST_TITLE:
        return title.rstrip(".")
    return f"{title[:LONGEST_TITLE].rsplit(' ', 1)[0].rstrip(' ,;:')}…"


def goal_in_words(goal: Goal) -> str:
    """Return the goal's state as a person says it."""
    match goal.status:
        case GoalStatus.PLANNING:
            return "Making a plan"
        case GoalStatus.ACTIVE:
            return _at_work(goal)
        case GoalStatus.WAITING:
            return WAITING.get(WaitsFor(goal.waits_for), "Waiting")
        case GoalStatus.PAUSED:
            return PAUSED[PauseReason(goal.paused_for)]
        case GoalStatus.COMPLETED:
            return "Done, and checked"
        case GoalStatus.FAILED:
            return FAILED.get(Outcome(goal.outcome), "Not reached")
        case _:
            return "Cancelled"


def in_short(goal: Goal) -> str:
    """Return the state in a word or two, for a narrow place."""
    if goal.status == GoalStatus.ACTIVE:
        return goal_in_words(goal).partition(":")[0]
    if goal.status == GoalStatus.WAITING:
        return "Needs you" if goal.waits_for == WaitsFor.QUESTION else "Waiting"
    return goal_in_words(goal).partition(":")[0].partition(",")[0]


def why(goal: Goal) -> str:
    """Return the reason for the state, where there is one worth saying."""
    if goal.status in {GoalStatus.COMPLETED, GoalStatus.FAILED}:
        return goal.reason or goal.verdict_reason
    told = {GoalStatus.PAUSED, GoalStatus.CANCELLED, GoalStatus.PLANNING, GoalStatus.WAITING}
    return goal.reason if goal.status in told else ""


def _at_work(goal: Goal) -> str:
    rows = goal.checkpoints.order_by("position").only("goal", "status", "title", "iteration", "revision")
    steps = [(row.status, row.title) for row in rows if not is_past(goal, row)]
    for number, (status, title) in enumerate(steps, start=1):
        if status == CheckpointStatus.ACTIVE:
            return f"Step {number} of {len(steps)}: {title}"
    settled = {CheckpointStatus.COMPLETED, CheckpointStatus.SKIPPED}
    if steps and all(status in settled for status, _ in steps):
        return "Checking the result"
    return "At work"
