"""The living goal beside the conversation: what it is, what it does, its steps, what it needs, what it uses."""

from typing import Any

from goals.chat.amounts import duration, folded
from goals.chat.doing import doing
from goals.chat.meters import meters
from goals.chat.pieces import Piece, piece
from goals.chat.results import files_of
from goals.chat.standing import goal_in_words, in_short, title_of, why
from goals.chat.steps import Plan, plan_of
from goals.effects.ledger import lines_of
from goals.models import Goal
from goals.services import UNFINISHED
from goals.states import GoalStatus, Mode, Resource

MOST_SEGMENTS = 40
MOST_WORDS = 3
LONGEST_WHY = 400
IN_HAND = {GoalStatus.PLANNING, GoalStatus.ACTIVE}


def panel(goal: Goal | None, user: Any = None) -> list[Piece]:
    """Return the panel's pieces for a goal, or for a conversation that has none yet; `user` is who looks at it."""
    if goal is None:
        return [piece("p-none", "panel_none.html", {})]
    plan = plan_of(goal)
    found = [
        _head(goal, plan),
        _now(goal, plan),
        _acts(goal, user),
        _questions(goal),
        piece("p-steps", "panel_steps.html", {"plan": plan, "goal": goal, "acts": can_change_steps(goal)}),
        _files(goal),
        _budget(goal, user),
        _steering(goal),
    ]
    return [one for one in found if one is not None and one.html]


def can_change_steps(goal: Goal) -> bool:
    """Whether a person may skip, retry or edit steps now."""
    return goal.status in UNFINISHED and not goal.plan_asked


def _head(goal: Goal, plan: Plan) -> Piece:
    title = title_of(goal)
    context = {
        "goal": goal,
        "title": title,
        "whole": goal.objective if goal.objective.strip().rstrip(".") != title else "",
        "words": goal_in_words(goal),
        "why": folded(why(goal), LONGEST_WHY),
        "plan": plan,
        "segments": plan.steps if len(plan.steps) <= MOST_SEGMENTS else [],
    }
    kind = f"head {goal.status}"
    return piece("p-head", "panel_head.html", context, kind=kind, words=context["words"], short=in_short(goal))


def _now(goal: Goal, plan: Plan) -> Piece:
    worked = next((line.used for line in lines_of(goal) if line.resource == Resource.SECONDS), None)
    ran = (goal.finished_at - goal.created_at).total_seconds() if goal.finished_at else None
    context = {
        "goal": goal,
        "doing": doing(goal, plan.numbers),
        "ran": "" if ran is None else duration(max(1, round(ran))),
        "worked": duration(float(worked)) if worked else "",
    }
    busy = "yes" if goal.status in IN_HAND else ""
    return piece("p-now", "panel_now.html", context, kind="happening", busy=busy)


def _acts(goal: Goal, user: Any) -> Piece | None:
    """Return the buttons that move the goal as a whole."""
    unfinished = goal.status in UNFINISHED
    paused = goal.status == GoalStatus.PAUSED
    context = {
        "goal": goal,
        "can_pause": unfinished and not paused,
        "can_pause_now": goal.status in IN_HAND,
        "can_resume": paused,
        "can_cancel": unfinished,
        "can_rearm": _can_rearm(goal, user),
    }
    return piece("p-acts", "panel_acts.html", context)


def _budget(goal: Goal, user: Any) -> Piece:
    can_raise = goal.status in UNFINISHED or _can_rearm(goal, user)
    return piece("p-budget", "panel_budget.html", {"meters": meters(goal), "goal": goal, "can_raise": can_raise})


def _can_rearm(goal: Goal, user: Any) -> bool:
    return goal.status not in UNFINISHED and user is not None and user.has_perm("goals.rearm")


def _questions(goal: Goal) -> Piece | None:
    rows = goal.questions.open().order_by("created_at")[:10]
    return piece("p-questions", "panel_questions.html", {"questions": rows}, kind="needs") if rows else None


def _files(goal: Goal) -> Piece | None:
    files = files_of(goal)
    return piece("p-files", "panel_files.html", {"goal": goal, "files": files}) if files else None


def _steering(goal: Goal) -> Piece | None:
    if goal.status not in UNFINISHED:
        return None
    entries = [entry for entry in goal.steering if not entry.get("taken_back")]
    context = {
        "goal": goal,
        "entries": entries[-MOST_WORDS:],
        "can_revise": goal.mode == Mode.DRIVE and not goal.plan_due and not goal.plan_asked,
    }
    return piece("p-steer", "panel_steer.html", context)
