"""The site says what it took a message for, and its author can say otherwise with one click."""

import threading

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from goals import answers, services
from goals.chat import choices, corrections, timeline
from goals.chat.interpreter import interpret_waiting
from goals.effects.briefing import steering_of
from goals.effects.making import ask_person
from goals.exceptions import AlreadyAnswered, GoalError, InvalidInput, NotFound, StaleGoal
from goals.models import Event, Goal, Message, Question
from goals.states import QuestionKind
from goals.transitions import writing
from tests.goals.rules import hold

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def read(endpoint, post):
    """Say something that the model reads as this action."""

    def run(words, action="continue", **more):
        endpoint.script["interpret_message"] = {"reply": {"action": action, "reasoning": "r", **more}}
        message = post(words)
        interpret_waiting()
        message.refresh_from_db()
        return message

    return run


@pytest.fixture
def question(goal) -> Question:
    with writing(goal.pk) as writer:
        return ask_person(writer, QuestionKind.INFORMATION, "For whom is it?", key="reader")


@pytest.fixture
def correct(owner, conversation):
    def run(message, kind, **more):
        before = more.pop("before", message.taken_as)
        corrected = corrections.correct(owner, conversation.pk, message.number, kind, before=before, **more)
        message.refresh_from_db()
        return corrected

    return run


def test_the_site_says_what_it_took_each_message_for(endpoint, read, goal, question, conversation):
    told = {
        "goal": read("Sort my photographs", "new_goal", goal={"gloss": "Sort my photographs"}),
        "answer": read("For my aunt", "add_evidence", evidence=[{"key": "reader", "value": "my aunt"}]),
        "steering": read("Keep it short", reply="I will."),
        "talk": read("How are you?", reply="Well."),
        "stop": read("Forget it", "abandon_goal"),
    }
    assert {message.taken_as for message in told.values()} == set(told)
    assert [kind for kind, message in told.items() if message.taken_as != kind] == []
    assert told["answer"].question_id == question.pk
    assert told["goal"].goal.objective == "Sort my photographs"
    assert told["steering"].goal_id == told["stop"].goal_id == told["goal"].goal_id
    shown = "".join(one.render() for one in timeline.timeline(conversation))
    for words in ("a new goal", "an answer", "steering", "just talk", "a wish to stop"):
        assert f"Taken as {words}</summary>" in shown


def test_a_command_was_not_guessed_and_is_not_corrected(post, conversation, correct):
    message = post("/help")
    message.refresh_from_db()
    assert message.taken_as == "command"
    assert choices.Choices(conversation, [message]).of(message) is None
    with pytest.raises(StaleGoal):
        correct(message, "goal")


def test_a_mistaken_goal_is_cancelled_and_the_words_steer_the_one_before(endpoint, read, goal, correct):
    message = read("Leave out the numbers", "new_goal", goal={"gloss": "Leave out the numbers"})
    mistaken, calls = message.goal, len(endpoint.requests)
    correct(message, "steering")
    mistaken.refresh_from_db()
    goal.refresh_from_db()
    assert (mistaken.status, mistaken.reason) == ("cancelled", "it was not meant as a goal")
    assert goal.steering[-1]["text"] == "Leave out the numbers"
    assert (message.taken_as, message.goal_id, bool(message.corrected_at)) == ("steering", goal.pk, True)
    assert len(endpoint.requests) == calls
    kinds = Event.objects.order_by("at").values_list("kind", flat=True)
    assert list(kinds)[-2:] == ["goal.cancelled", "goal.steered"]
    hold()


def test_mistaken_steering_is_taken_back_and_becomes_a_goal(endpoint, read, goal, correct):
    message = read("Sort my photographs.", reply="I will keep that in mind.")
    goal.refresh_from_db()
    assert goal.words == 1
    correct(message, "goal")
    goal.refresh_from_db()
    assert steering_of(goal) == "- (taken back, it counts no longer) Sort my photographs."
    assert goal.words == 2  # a plan that heeded it is looked at again
    assert goal.events.order_by("-seq").first().payload["taken_back"] is True
    made = Goal.objects.get(objective="Sort my photographs.")
    assert (made.status, message.goal_id) == ("planning", made.pk)
    hold()


def test_talk_answers_the_question_that_was_meant(read, goal, question, correct):
    message = read("My aunt Ada?", reply="Your aunt?")
    correct(message, "answer", question=str(question.pk))
    question.refresh_from_db()
    assert (question.answer, question.channel) == ("My aunt Ada?", "chat")
    assert (message.taken_as, message.question_id) == ("answer", question.pk)


def test_an_answer_stays_and_that_is_said(read, goal, question, correct, said):
    message = read("Keep it short", "add_evidence", evidence=[{"key": "reader", "value": "short"}])
    correct(message, "steering")
    question.refresh_from_db()
    goal.refresh_from_db()
    assert question.answer == "short"
    assert goal.steering[-1]["text"] == "Keep it short"
    assert said()[-1][0] == "system"
    assert "stays: the goal has it already" in said()[-1][1]


def test_what_was_no_goal_but_a_question_is_answered_by_the_model_with_no_tool_that_changes_anything(
    endpoint, read, correct, said
):
    message = read("How tall is the Eiffel tower", "new_goal", goal={"gloss": "How tall"})
    endpoint.script["chat_reply"] = [
        {"tool_calls": [{"name": "goal_create", "arguments": {"objective": "x"}}]},
        {"text": "330 metres."},
    ]
    correct(message, "talk")
    assert (message.taken_as, message.interpreted_at) == ("talk", None)
    interpret_waiting()
    assert said()[-1] == ("assistant", "330 metres.")
    assert len(endpoint.named("interpret_message")) == 1
    assert [goal.status for goal in Goal.objects.all()] == ["cancelled"]
    tools = endpoint.named("chat_reply")[0]["body"]["tools"]
    assert [tool["function"]["name"] for tool in tools] == ["goal_status"]
    message.refresh_from_db()
    assert (message.taken_as, bool(message.interpreted_at)) == ("talk", True)


def test_what_was_answered_already_is_not_answered_again(endpoint, read, goal, correct):
    endpoint.script["chat_reply"] = {"text": "I will keep that in mind."}
    message = read("Nice weather today.")
    correct(message, "talk")
    assert message.interpreted_at is not None
    assert interpret_waiting() == 0
    assert len(endpoint.named("chat_reply")) == 1


def test_a_goal_made_by_a_tool_of_the_reply_is_known_as_what_the_message_was_taken_for(endpoint, read, correct):
    endpoint.script["chat_reply"] = [
        {"tool_calls": [{"name": "goal_create", "arguments": {"objective": "Sort my files"}}]},
        {"text": "I have set it."},
    ]
    message = read("Could you sort my files?")
    assert (message.taken_as, message.goal.objective) == ("goal", "Sort my files")
    correct(message, "talk")
    assert Goal.objects.get().status == "cancelled"


def test_a_goal_given_up_by_mistake_stays_cancelled_where_its_owner_may_not_rearm(read, goal, correct, said):
    correct(read("Stop that noise", "abandon_goal"), "talk")
    goal.refresh_from_db()
    assert goal.status == "cancelled"
    assert "stays cancelled" in said()[-1][1]


def test_an_operator_s_goal_comes_back(read, goal, owner, correct):
    owner.is_superuser = True
    owner.save()
    correct(read("Stop that noise", "abandon_goal"), "steering")
    goal.refresh_from_db()
    assert (goal.status, goal.steering[-1]["text"]) == ("active", "Stop that noise")


def test_an_ended_goal_stays_and_that_is_said(read, owner, correct, said):
    message = read("Sort my photographs", "new_goal", goal={"gloss": "Sort"})
    services.cancel(owner, message.goal_id)
    correct(message, "talk")
    assert "has ended already" in said()[-1][1]


def test_a_message_that_could_not_be_read_is_taken_as_its_author_says(endpoint, post, correct, conversation):
    endpoint.script["interpret_message"] = {"status": 500}
    message = post("Sort my photographs")
    interpret_waiting()
    message.refresh_from_db()
    assert "Say what it is" in timeline.timeline(conversation)[0].render()
    correct(message, "goal")
    assert (message.failure, message.taken_as) == ("", "goal")
    assert Goal.objects.get().objective == "Sort my photographs"


def test_the_same_click_again_changes_nothing_and_another_one_comes_too_late(read, goal, correct):
    message = read("Sort my photographs?", reply="Well.")
    correct(message, "goal", before="talk")
    correct(message, "goal", before="talk")
    with pytest.raises(StaleGoal, match="is taken as a new goal by now"):
        correct(message, "steering", before="talk")
    assert Goal.objects.count() == 2
    goal.refresh_from_db()
    assert goal.steering == []


def test_of_many_clicks_at_once_one_counts(read, goal, conversation, owner):
    message = read("Sort my photographs.", reply="Yes.")
    told = []

    def click(kind):
        try:
            corrections.correct(owner, conversation.pk, message.number, kind, before="steering")
        except GoalError as error:
            told.append(error)
        connection.close()

    threads = [
        threading.Thread(target=click, args=(kind,)) for kind in ("goal", "talk", "goal", "talk", "goal", "goal")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    message.refresh_from_db()
    assert Goal.objects.filter(objective="Sort my photographs.").count() == (message.taken_as == "goal")
    assert {type(error) for error in told} <= {StaleGoal}
    goal.refresh_from_db()
    assert [entry["taken_back"] for entry in goal.steering] == [True]
    hold()


@pytest.mark.parametrize(
    ("kind", "more", "refused"),
    [
        ("steering", {}, InvalidInput),
        ("answer", {}, InvalidInput),
        ("answer", {"question": "nonsense"}, NotFound),
        ("stop", {}, InvalidInput),
        ("command", {}, InvalidInput),
        ("x" * 99, {}, InvalidInput),
        (None, {}, InvalidInput),
    ],
)
def test_what_cannot_be_done_undoes_nothing(read, correct, kind, more, refused):
    message = read("Sort my photographs", "new_goal", goal={"gloss": "Sort"})
    with pytest.raises(refused):
        correct(message, kind, **more)
    message.refresh_from_db()
    assert (message.taken_as, Goal.objects.get().status) == ("goal", "planning")


def test_an_answer_that_comes_too_late_undoes_nothing(read, correct, goal, question, owner):
    message = read("Sort my photographs", "new_goal", goal={"gloss": "Sort"})
    answers.answer(owner, question.pk, "my aunt")
    with pytest.raises(AlreadyAnswered):
        correct(message, "answer", question=str(question.pk))
    assert message.goal.status == "planning"


def test_a_message_still_being_read_cannot_be_corrected(post, correct):
    message = post("Sort my photographs")
    with pytest.raises(StaleGoal):
        correct(message, "goal")


def test_nobody_corrects_the_message_of_another(read, conversation, django_user_model):
    message = read("Sort my photographs", "new_goal", goal={"gloss": "Sort"})
    stranger = django_user_model.objects.create_superuser("eve")
    with pytest.raises(NotFound):
        corrections.correct(stranger, conversation.pk, message.number, "talk", before="goal")
    client = Client()
    client.force_login(stranger)
    address = reverse("correct", args=[conversation.pk, message.number])
    assert client.post(address, {"as": "talk", "before": "goal"}).status_code == 404
    assert Goal.objects.get().status == "planning"


def test_only_questions_asked_before_can_have_been_answered(read, goal, question, conversation):
    early = Message.objects.filter(role="user").first()
    assert early is None
    message = read("Good morning?", reply="Good morning.")
    with writing(goal.pk) as writer:
        ask_person(writer, QuestionKind.INFORMATION, "How long?", key="length")
    offered = choices.Choices(conversation, [message]).of(message).choices
    assert [choice.label for choice in offered] == ["a new goal", "the answer to “For whom is it?”", "steering"]


def test_the_lines_cost_the_same_however_many_messages_there_are(
    read, goal, question, conversation, django_assert_num_queries
):
    messages = [read(f"Word {number}.", reply="Yes.") for number in range(6)]
    with django_assert_num_queries(2):
        found = choices.Choices(conversation, messages)
        lines = [found.of(message) for message in messages]
    assert [line.open for line in lines] == [False] * 5 + [True]
