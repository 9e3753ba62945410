"""How goals ended, as cards of the conversation: the result, what is left behind, how it was checked, what it cost."""

from collections.abc import Sequence
from typing import Any

from goals.chat import markdown
from goals.chat.amounts import duration, folded
from goals.chat.outcome import Outcome, outcomes
from goals.chat.pieces import Piece, piece
from goals.chat.results import beginning
from goals.chat.standing import goal_in_words, title_of, why
from goals.models import Goal
from goals.states import GoalStatus

LONG = 1_400  # characters of Markdown beyond which a text is folded
LONG_LINES = 16
LONGEST_WHY = 400
CHECKS = {
    "llm": "A judge model looked at what tools really did, and at what is left behind.",
    "command": "A command was run in a sandbox.",
    "test": "Tests were run in a sandbox.",
    "ci": "The continuous integration was asked.",
    "data": "The data were compared with what was wanted.",
    "artifact": "What is left behind was compared with what was wanted.",
    "plugin": "A plug-in looked at it.",
}


def endings(goals: Sequence[Goal]) -> list[tuple[Any, Piece]]:
    """Return a card for each ended goal, with the time at which it ended."""
    found = outcomes(goals)
    return [(goal.finished_at, _ending(goal, found[goal.pk])) for goal in goals]


def _ending(goal: Goal, outcome: Outcome) -> Piece:
    began = goal.started_at or goal.created_at
    is_done = goal.status == GoalStatus.COMPLETED
    shown, rest = _preview(goal, outcome) if is_done else ("", False)
    context = {
        "goal": goal,
        "title": title_of(goal),
        "words": goal_in_words(goal),
        "why": folded(why(goal), LONGEST_WHY),
        "outcome": outcome,
        "is_done": is_done,
        "text": markdown.render(outcome.text) if outcome.text else "",
        "is_long": is_long(outcome.text),
        "preview": markdown.render(shown) if shown else "",
        "preview_is_long": is_long(shown),
        "preview_rest": rest,
        "preview_path": outcome.files[-1] if outcome.files else "",
        "checked": CHECKS.get((goal.verifier or {}).get("type", ""), "") if is_done else "",
        "took": duration(max(1, round((goal.finished_at - began).total_seconds()))),  # type: ignore[operator]
    }
    return piece(f"end-{goal.pk}", "ending.html", context, kind=f"ending {goal.status}")


def _preview(goal: Goal, outcome: Outcome) -> tuple[str, bool]:
    """Return the beginning of the last file, and whether there is more of it; nothing where the result is in words."""
    return beginning(goal, outcome.files[-1]) if outcome.files and not outcome.text else ("", False)


def is_long(text: str) -> bool:
    """Whether a text is folded."""
    return len(text) > LONG or text.count("\n") > LONG_LINES
