"""Answering a question from the command line: one that is named, or the one that a goal has open."""

from typing import Any

from goals.exceptions import InvalidInput, NotFound, StaleGoal
from goals.management.selecting import by_prefix, goal_of
from goals.models import Question


def question_of(person: Any, text: str, key: str | None) -> Question:
    """Return the question of this id, or the open one of a goal (of this key); raises InvalidInput that lists them."""
    try:
        goal = goal_of(person, text)
    except NotFound:
        rows = Question.objects.visible_to(person).select_related("goal")
        return by_prefix(rows, text, "goal and no question")
    opened = list(goal.questions.open().select_related("goal"))
    if not opened:
        raise StaleGoal(f"goal {goal.pk} has no open question")
    found = opened if key is None else [question for question in opened if question.key == key]
    if len(found) != 1:
        keys = ", ".join(f"{question.key} ({question.pk})" for question in opened)
        raise InvalidInput({"--key": f"which question? Give --key, or its id; open are: {keys}"})
    return found[0]
