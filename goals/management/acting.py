"""What `manage.py goals` does to goals: each act by its name, with its arguments and the states in which it can be."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from goals import checkpoint_acts, services, subgoal_acts
from goals.exceptions import InvalidInput
from goals.management.base import pairs
from goals.management.selecting import by_prefix, goal_of
from goals.models import Goal, Subgoal
from goals.models.goal import ENDED, LIVE
from goals.services import UNFINISHED
from goals.states import GoalStatus

AS_JSON = {"args", "tools"}
Act = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Wholesale:
    """An act on any number of goals: `among` is where a selection looks for them, `begin` makes it of the options."""

    help: str
    among: frozenset[str]
    begin: Callable[[dict[str, Any]], Act]
    takes: tuple[str, ...] = ()


def _pause(options: dict[str, Any]) -> Act:
    return lambda person, goal: services.pause(person, goal, reason=options["because"] or "", now=options["now"])


def _cancel(options: dict[str, Any]) -> Act:
    return lambda person, goal: services.cancel(person, goal, reason=options["because"] or "")


def _steer(options: dict[str, Any]) -> Act:
    return lambda person, goal: services.steer(person, goal, options["text"])


def _revise(options: dict[str, Any]) -> Act:
    return lambda person, goal: services.revise(person, goal, options["text"])


LIVING, UNENDED = frozenset(LIVE), frozenset(UNFINISHED)
WHOLESALE = {
    "cancel": Wholesale("end goals now, with those that they made", UNENDED, _cancel, ("because",)),
    "pause": Wholesale("let goals rest after the call in hand", LIVING, _pause, ("because", "now")),
    "resume": Wholesale(
        "let paused goals go on, by the site's workers", frozenset({GoalStatus.PAUSED}), lambda _: services.resume
    ),
    "steer": Wholesale("say something that enters the next prompt", UNENDED, _steer, ("text",)),
    "revise": Wholesale("ask for a new plan of what remains", UNENDED, _revise, ("text",)),
    "rearm": Wholesale("bring ended goals back with a new plan", frozenset(ENDED), lambda _: services.rearm),
}


def skip(person: Any, options: dict[str, Any]) -> tuple[Goal, Callable[[Any], Any]]:
    """Return the goal, and what skips its step."""
    goal, step = _step(person, options)
    return goal, lambda _: checkpoint_acts.skip(person, goal.pk, step.pk, options["text"])


def retry(person: Any, options: dict[str, Any]) -> tuple[Goal, Callable[[Any], Any]]:
    goal, step = _step(person, options)
    return goal, lambda _: checkpoint_acts.retry(person, goal.pk, step.pk, options["because"] or "")


def edit(person: Any, options: dict[str, Any]) -> tuple[Goal, Callable[[Any], Any]]:
    """Change a step by its number, or a subgoal by its id; the values of `args` and `tools` are JSON."""
    changes = {name: _value(name, text) for name, text in pairs(options["changes"], "FIELD").items()}
    if options["what"].isdecimal() and len(options["what"]) < 8:
        goal, step = _step(person, {**options, "number": options["what"]})
        return goal, lambda _: checkpoint_acts.edit(person, goal.pk, step.pk, changes)
    goal = goal_of(person, options["goal"])
    subgoal = by_prefix(Subgoal.objects.filter(goal=goal), options["what"], "step or subgoal")
    return goal, lambda _: subgoal_acts.edit(person, goal.pk, subgoal.pk, changes)


def _step(person: Any, options: dict[str, Any]) -> tuple[Goal, Any]:
    goal = goal_of(person, options["goal"])
    return goal, checkpoint_acts.numbered(goal, options["number"])


def _value(name: str, text: str) -> Any:
    if name not in AS_JSON:
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput({name: f"is no JSON: {str(error)[:100]}"}) from error
