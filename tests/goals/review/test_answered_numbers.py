"""Numbers that people answer with: JSON's only, and the history's digests hold with them."""

import pytest

from goals import answers, events
from goals.exceptions import InvalidInput
from goals.models import Goal
from tests.goals.effects.work import drive, step


@pytest.fixture
def asked(submit):
    """A question that wants a number."""
    from goals.effects.people import ask_question
    from goals.models import Subgoal

    def make(schema):
        goal = submit("Ask me", verifier={"type": "artifact", "name": "answer"})
        args = {"key": "answer", "prompt": "How many?", "schema": schema}
        step(goal, 0, "gather_info", args, "answer")
        Goal.objects.filter(pk=goal.pk).update(plan_due=False, preflight_due=False)
        ask_question(drive(goal), Subgoal.objects.get(goal=goal).pk)
        return goal.questions.get()

    return make


@pytest.mark.parametrize("said", ["nan", "NaN", "inf", "-Infinity", "1e999"])
def test_what_is_no_number_in_json_is_refused(asked, owner, said):
    with pytest.raises(InvalidInput, match="answer"):
        answers.answer(owner, asked({"type": "number"}).pk, said)


@pytest.mark.parametrize("said", [1e20, 1e16, -0.0, 1e-9, 1.5, 10**30, "1e22", {"far": [1e300, -0.0]}])
def test_the_history_holds_whatever_number_was_said(asked, owner, said):
    question = asked({"type": ["number", "object"]} if not isinstance(said, str) else {"type": "number"})
    answers.answer(owner, question.pk, said)
    assert events.broken_at(question.goal_id) is None


def test_an_integer_beyond_all_bounds_is_refused(asked, owner):
    with pytest.raises(InvalidInput, match="answer"):
        answers.answer(owner, asked({"type": "integer"}).pk, 10**4000)
