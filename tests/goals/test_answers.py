"""Answers as every face gives them."""

import pytest

from goals import answers, services
from goals.exceptions import AlreadyAnswered, InvalidInput, NotFound
from goals.models import Message, Question
from goals.states import QuestionKind

pytestmark = pytest.mark.usefixtures("library", "endpoint")


@pytest.fixture
def asked(submit, settle):
    """A question that waits for a date."""
    goal = settle(submit("Book me a train", sop="book-train", conversation_title="Train"))
    return Question.objects.open().get(goal=goal)


def test_an_answer_that_was_given_by_a_form_is_not_interpreted_again(asked, owner):
    answered = answers.answer(owner, asked.pk, "London")
    answers.note_answer(answered, owner, "London")
    message = Message.objects.get(question=answered, role="user")
    assert message.interpreted_at is not None


def test_the_first_answer_wins_and_the_second_is_told_by_whom(asked, owner):
    answers.answer(owner, asked.pk, "London")
    with pytest.raises(AlreadyAnswered, match="ada"):
        answers.answer(owner, asked.pk, "Paris")


def test_an_empty_answer_is_refused_and_the_question_stays_open(asked, owner):
    with pytest.raises(InvalidInput, match="answer"):
        answers.answer(owner, asked.pk, "  ")
    assert Question.objects.get(pk=asked.pk).status == "open"


def test_nobody_answers_for_somebody_else(asked, django_user_model):
    stranger = django_user_model.objects.create_user("mallory")
    with pytest.raises(NotFound):
        answers.answer(stranger, asked.pk, "Rome")


def test_a_cancelled_goal_withdraws_its_question(asked, owner):
    services.cancel(owner, asked.goal_id)
    assert Question.objects.get(pk=asked.pk).status == "withdrawn"
    with pytest.raises(AlreadyAnswered):
        answers.answer(owner, asked.pk, "London")


@pytest.mark.parametrize(
    ("said", "understood"),
    [("2", "TEA-2: green"), ("TEA-1", "TEA-1"), (" 1 ", "TEA-1: black"), (2, "TEA-2: green")],
)
def test_a_suggestion_may_be_named_by_its_number_where_the_number_itself_does_not_fit(said, understood):
    question = Question(
        kind=QuestionKind.INFORMATION,
        schema={"type": "string", "pattern": "TEA-[0-9]"},
        suggestions=["TEA-1: black", "TEA-2: green"],
    )
    assert answers.understand(question, said) == understood


@pytest.mark.parametrize("said", ["0", "3", "9" * 5000, "green", True])
def test_what_is_no_suggestion_is_refused_with_what_is_wrong_with_it(said):
    question = Question(
        kind=QuestionKind.INFORMATION,
        schema={"type": "string", "pattern": "TEA-[0-9]"},
        suggestions=["TEA-1: black", "TEA-2: green"],
    )
    with pytest.raises(InvalidInput, match="does not fit"):
        answers.understand(question, said)


def test_a_number_that_fits_is_meant_as_a_number():
    question = Question(kind=QuestionKind.INFORMATION, schema={"type": "integer"}, suggestions=["10", "20"])
    assert answers.understand(question, "1") == 1


def test_answers_given_beforehand_are_taken_without_a_failure_or_a_wait(submit, settle):
    said = {"origin": "London", "destination": "Paris", "date": "2030-05-01", "train": "2", "confirmation": "yes"}
    goal = settle(submit("Book me a train", sop="book-train", answers=said))
    assert goal.outcome == "achieved", goal.reason
    told = [event for event in goal.events.filter(kind="subgoal.waiting") if "failure" in event.payload]
    assert told == []


def test_an_answer_given_beforehand_that_does_not_fit_is_asked_for(submit, settle):
    goal = settle(submit("Book me a train", sop="book-train", answers={"origin": "London", "date": "soon"}))
    while (question := Question.objects.open().get(goal=goal)).key != "date":
        answers.answer(goal.owner, question.pk, "Paris")
        goal = settle(goal)
    reminded = goal.events.get(kind="question.reminded")
    assert reminded.payload["reason"].startswith("the answer that was given beforehand: does not fit: 'soon'")


def test_a_schema_of_several_types_is_no_obstacle():
    question = Question(kind=QuestionKind.INFORMATION, schema={"type": ["string", "null"]})
    assert answers.understand(question, "tea") == "tea"
