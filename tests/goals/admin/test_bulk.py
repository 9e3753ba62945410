"""What is done to many goals at once is done to each by itself, and told of each."""

import pytest

from goals import services, sharing
from goals.admin import bulk
from goals.exceptions import InvalidInput, NotAllowed, NotFound, StaleGoal
from goals.models import Budget, Conversation, Goal, Question
from goals.reassigning import reassign
from tests.goals.admin.conftest import console_of
from tests.goals.api.conftest import permitted

pytestmark = pytest.mark.django_db
GOALS = "/admin/goals/goal/"
SENT = {"_form_submitted": "on"}


def chosen(name, *goals, **fields):
    return {"action": name, "_selected_action": [goal.pk for goal in goals], **fields}


@pytest.fixture
def other(ada):
    return services.submit(owner=ada, objective="Paint the <b>shed</b>")


@pytest.fixture
def ended(ada):
    found = services.submit(owner=ada, objective="It is over")
    services.cancel(ada, found.pk)
    return found


def limit(goal, resource="cost_usd"):
    return Budget.objects.get(goal=goal, resource=resource).limit


def test_goals_are_cancelled_after_a_look_and_each_is_told(console, root, goal, other, ended):
    asked = console.post(GOALS, chosen("cancel_chosen", goal, other, ended)).content.decode()
    assert "Cancel 3 goals" in asked
    assert "Paint the &lt;b&gt;shed" in asked
    assert set(Goal.objects.values_list("status", flat=True)) == {"planning", "cancelled"}
    done = console.post(GOALS, chosen("cancel_chosen", goal, other, ended, reason="moved", **SENT)).content.decode()
    assert "2 cancelled" in done
    assert "only an unfinished goal can be cancelled" in done
    for one in (goal, other):
        assert (Goal.objects.get(pk=one.pk).reason, one.events.latest("seq").actor) == ("moved", root)


def test_limits_of_many_are_raised_or_refused_by_name(console, goal, other):
    refused = console.post(GOALS, chosen("raise_chosen", goal, other, cost_usd="lots", **SENT)).content.decode()
    assert "limits.cost_usd: " in refused
    assert "fill in at least one" in console.post(GOALS, chosen("raise_chosen", goal, **SENT)).content.decode()
    assert (limit(goal), limit(other)) == (5, 5)
    Budget.objects.filter(goal=other, resource="cost_usd").update(used=4)
    done = console.post(GOALS, chosen("raise_chosen", goal, other, cost_usd="2", **SENT)).content.decode()
    assert "1 given other limits" in done
    assert "4 are used or reserved already" in done
    assert (limit(goal), limit(other)) == (2, 5)


def test_a_budget_that_several_draw_on_is_raised_once(console, ada, goal):
    services.fork(ada, goal.pk, objective="Again")
    both = Goal.objects.order_by("created_at")
    page = console.post(GOALS, chosen("raise_chosen", *both, cost_usd="+5", **SENT)).content.decode()
    assert "2 given other limits" in page
    assert limit(goal) == 10


def test_more_than_can_be_done_at_once_is_said(console, goal, other, monkeypatch):
    monkeypatch.setattr(bulk, "MOST_AT_ONCE", 1)
    page = console.post(GOALS, chosen("pause_chosen", goal, other)).content.decode()
    assert "More than 1 were chosen" in page
    assert "Narrow the list" in page  # doing it again would meet the same one
    assert [one.status for one in Goal.objects.order_by("created_at")] == ["paused", "planning"]


def test_goals_are_reassigned_by_operators(staff, console, bob, goal, other):
    wrong = console.post(GOALS, chosen("reassign_chosen", goal, owner="nobody", **SENT)).content.decode()
    assert "there is nobody named" in wrong
    assert Goal.objects.filter(owner=bob).count() == 0
    console.post(GOALS, chosen("reassign_chosen", goal, other, owner="bob", reason="night shift", **SENT))
    assert Goal.objects.filter(owner=bob).count() == 2
    mine = services.submit(owner=staff, objective="Mine")
    console_of(staff).post(GOALS, chosen("reassign_chosen", mine, owner="ada", **SENT))
    assert Goal.objects.get(pk=mine.pk).owner == staff
    page = f"{GOALS}{mine.pk}/reassign/"
    assert console_of(staff).post(page, {**SENT, "owner": "ada"}).status_code == 403
    console.post(page, {**SENT, "owner": "ada"})
    assert Goal.objects.get(pk=mine.pk).owner.username == "ada"


class TestReassigning:
    def test_what_draws_on_the_budget_goes_along_and_what_was_said_stays(self, ada, bob, operator):
        goal = services.submit(owner=ada, objective="Write it up", conversation_title="Private talk")
        fork = services.fork(ada, goal.pk, objective="Write it shorter")
        Question.objects.create(goal=goal, kind="information", prompt="Where from?")
        given = reassign(operator, goal.pk, "bob", reason="ada is away")
        fork.refresh_from_db()
        assert (given.owner, fork.owner, fork.conversation_id) == (bob, bob, given.conversation_id)
        assert given.conversation.owner == bob
        told = given.conversation.messages.get()
        assert told.content == "operator has given you this goal, which was ada's. Why: ada is away"
        assert Conversation.objects.get(owner=ada).goals.count() == 0
        last = goal.events.latest("seq")
        payload = {"from": "ada", "to": "bob", "reason": "ada is away"}
        assert (last.kind, last.payload, last.actor) == ("goal.reassigned", payload, operator)
        assert Question.objects.open().visible_to(bob).exists()
        assert not Question.objects.open().visible_to(ada).exists()
        with pytest.raises(NotFound):
            services.find(ada, goal.pk)

    def test_what_it_has_made_goes_along_and_speaks_in_no_conversation(self, ada, bob, operator):
        goal = services.submit(owner=ada, objective="Write it up", conversation_title="Private talk")
        made = services.submit(owner=ada, objective="A part of it", parent=goal)
        reassign(operator, goal.pk, "bob")
        made.refresh_from_db()
        assert (made.owner, made.conversation) == (bob, None)

    def test_links_to_it_open_nothing_any_more(self, ada, operator, bob, ended):
        _, token = sharing.share(ada, ended.pk)
        reassign(operator, ended.pk, "bob")
        with pytest.raises(NotFound):
            sharing.opened(token)

    def test_nothing_is_changed_when_it_is_refused(self, ada, bob, operator, goal):
        fork = services.fork(ada, goal.pk, objective="A fork")
        gone = type(bob).objects.create_user("gone", is_active=False)
        for user, one, to, error in (
            (ada, goal, "bob", NotAllowed),
            (operator, fork, "bob", StaleGoal),
            (operator, goal, "ada", StaleGoal),
            (operator, goal, gone.username, InvalidInput),
            (operator, goal, "a\x00b", InvalidInput),
            (bob, goal, "bob", NotFound),
        ):
            with pytest.raises(error):
                reassign(user, one.pk, to)
        assert set(Goal.objects.values_list("owner__username", flat=True)) == {"ada"}
        assert not Conversation.objects.exists()
        assert permitted(bob, "operate")
