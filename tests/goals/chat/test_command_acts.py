"""Slash commands move the goal of the conversation, in its owner's name; what is refused says field and remedy."""

import pytest
from django.contrib.auth.models import Permission

from goals import services
from goals.models import Budget, Checkpoint, Goal, Question
from tests.goals.effects.work import plan, step

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def goal(submit, conversation):
    """A goal with a plan of three steps, the first of them at work."""
    made = submit("Bake bread", conversation=conversation)
    step(made, 0, "execute", {"instructions": "knead"}, status="active", description="knead it")
    step(made, 1, "execute", {"instructions": "bake"}, description="bake it")
    step(made, 2, "execute", {"instructions": "taste"}, description="taste it")
    return plan(made)


def kinds(goal):
    return [(event.kind, event.actor) for event in goal.events.filter(seq__gt=1)]


def statuses(goal):
    return list(goal.checkpoints.order_by("position").values_list("status", flat=True))


def test_a_goal_is_paused_and_resumed_and_cancelled_with_the_reason(post, said, goal, owner):
    post("/pause lunch")
    goal.refresh_from_db()
    assert (goal.status, goal.reason, said()[-1]) == ("paused", "lunch", ("assistant", "The goal is paused."))
    post("/resume")
    post("/cancel too late")
    goal.refresh_from_db()
    assert (goal.status, goal.reason) == ("cancelled", "too late")
    assert kinds(goal) == [("goal.paused", owner), ("goal.resumed", owner), ("goal.cancelled", owner)]


def test_pause_now_awaits_nothing(post, said, goal):
    post("/pause now the oven burns")
    event = goal.events.last()
    assert event.payload == {"for": "user", "reason": "the oven burns", "now": True}
    assert "not awaited" in said()[-1][1]


def test_a_word_of_guidance_and_another_plan_are_asked_for(post, goal):
    post("/steer less salt")
    post("/revise the flour is gone")
    goal.refresh_from_db()
    assert goal.steering[0]["text"] == "less salt"
    assert goal.revise_reason == "the flour is gone"


def test_steps_are_skipped_retried_and_edited_by_their_numbers(post, said, goal, owner):
    post("/skip 3 nobody is hungry")
    post("/retry 1 the dough is hard")
    post('/edit 2 {"title": "Bake it dark"}')
    assert statuses(goal) == ["active", "pending", "skipped"]
    assert goal.checkpoints.get(position=1).title == "Bake it dark"
    assert {("checkpoint.skipped", owner), ("checkpoint.retried", owner), ("checkpoint.edited", owner)} <= {
        *kinds(goal)
    }
    assert said()[-1] == ("assistant", "Step 2 is changed.")


def test_a_limit_is_raised(post, said, goal):
    for text, limit in (("/raise cost_usd +2.5", 7.5), ("/raise cost_usd=+1", 8.5)):
        post(text)
        assert Budget.objects.get(resource="cost_usd").limit == limit
    assert said()[-1] == ("assistant", "The limit of cost_usd is raised by 1.")


def test_the_oldest_open_question_is_answered(post, said, goal, owner):
    post("/answer Paris")
    assert said()[-1] == ("system", "There is no open question.")
    question = Question.objects.create(goal=goal, kind="information", key="place", prompt="Where to?")
    post("/answer Paris")
    question.refresh_from_db()
    assert (question.answer, question.answered_by, question.channel) == ("Paris", owner, "chat")


def test_a_plan_is_chosen_by_its_number(post, said, goal):
    plans = [{"checkpoints": [{"title": name, "predicate": "execute", "description": "d"}]} for name in "ab"]
    question = Question.objects.create(
        goal=goal, kind="approval", key="plan", prompt="Which?", details={"plans": plans}
    )
    post("/answer 3")
    assert said()[-1] == ("system", "**answer**: there are 2 plans: choose one by its number, 1 to 2")
    question.refresh_from_db()
    assert question.status == "open"


def test_the_status_lists_the_steps_by_their_numbers(post, said, goal):
    Question.objects.create(goal=goal, kind="information", key="place", prompt="Where to?")
    post("/status")
    text = said()[-1][1]
    assert text.startswith("**Bake bread**")
    assert "1. Step 0 (active)\n2. Step 1 (pending)\n3. Step 2 (pending)" in text
    assert "- waits for an answer: Where to?" in text
    assert "- used: 0 model calls of 200, 0 tokens, $0.00 of $5.00, 0 s of 2 h" in text


def test_an_ended_goal_is_rearmed_by_who_may(post, said, goal, owner):
    post("/cancel")
    post("/rearm")
    assert said()[-1] == ("system", "to rearm a goal you need the permission goals.rearm")
    owner.user_permissions.add(Permission.objects.get(codename="rearm"))
    post("/rearm")
    assert Goal.objects.get().status == "active"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("/resume please", "**resume**: takes nothing after it, not “please”; write /resume"),
        ("/resume", "the goal is planning; only a paused goal can be resumed"),
        ("/status all", "**status**: takes nothing after it"),
        ("/steer", "**text**: must not be empty; write it as in /steer"),
        ("/revise", "**reason**: must not be empty; write it as in /revise"),
        ("/skip", "**checkpoint**: which step? Write its number, as in /skip 2"),
        ("/skip 2", "**reason**: must not be empty; write it as in /skip 2"),
        ("/skip two it is done", "**checkpoint**: there is no step 'two'; they are numbered 1 to 3"),
        ("/skip 0 no", "there is no step '0'"),
        ("/skip 4 no", "there is no step '4'"),
        ("/skip 99999999999999999999 no", "there is no step"),
        ("/skip ² no", "there is no step '²'"),
        ("/retry", "**checkpoint**: which step?"),
        ("/retry 2", "the checkpoint is pending; only one that is active or failed can be retried"),
        ("/edit 2 dark", "**checkpoint**: is no JSON"),
        ("/edit 2 [1]", "**checkpoint**: must be an object of title"),
        ('/edit 2 {"status": "completed"}', "**status**: cannot be edited; these can: title"),
        ('/edit 1 {"title": "x"}', "the checkpoint is active; only one that is pending can be edited"),
        ("/raise", "**limits**: write /raise RESOURCE +AMOUNT"),
        ("/raise gold +5", "**resource**: there is no gold; there are model_calls, tokens, cost_usd, seconds"),
        ("/raise cost_usd 1", "**limits.cost_usd**: must be an amount to add"),
        ("/raise cost_usd +x", "**limits.cost_usd**: 'x' is no number"),
        ("/raise tokens +5", "**limits.tokens**: has no limit that could be raised"),
        ("/answer", "**answer**: must not be empty"),
    ],
)
def test_what_is_refused_says_field_and_remedy_and_changes_nothing(post, said, goal, text, told):
    before = [*Goal.objects.values(), *Checkpoint.objects.values(), *Budget.objects.values()]
    post(text)
    assert said()[-1][0] == "system"
    assert told in said()[-1][1]
    assert [*Goal.objects.values(), *Checkpoint.objects.values(), *Budget.objects.values()] == before


@pytest.mark.parametrize("name", ["pause", "resume", "cancel", "steer x", "skip 1 x", "raise tokens +5", "status"])
def test_without_a_goal_it_is_said_what_to_do(post, said, name):
    post(f"/{name}")
    assert said()[-1] == ("system", "There is no goal in this conversation. Write what you want done.")


def test_the_steps_of_a_long_plan_are_cut(post, said, goal):
    for position in range(3, 60):
        step(goal, position, "execute", {})
    post("/status")
    assert "50. Step 49 (pending)\nand more steps" in said()[-1][1]


def test_another_persons_goal_is_never_meant(post, said, submit, django_user_model):
    stranger = django_user_model.objects.create_user("bob")
    theirs = services.submit(owner=stranger, objective="Theirs")
    post("/cancel")
    theirs.refresh_from_db()
    assert theirs.status == "planning"
