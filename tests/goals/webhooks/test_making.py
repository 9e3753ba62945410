"""Which events are told to whom: made by the database, with the event, at no cost where nobody wants to be told."""

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from goals import services
from goals.exceptions import GoalError, InvalidInput, NotAllowed, NotFound
from goals.models import Delivery, Event, Webhook
from goals.transitions import writing
from goals.webhooks import acts
from tests.goals.api.conftest import permitted

pytestmark = pytest.mark.django_db
AT = {"address": "https://example.org/in"}


def told(webhook):
    return list(webhook.deliveries.order_by("seq").values_list("goal_id", "kind"))


def test_events_of_ones_own_goals_of_the_kinds_that_are_wanted_are_told(ada, bob):
    everything = acts.make(ada, AT)[0]
    some = acts.make(ada, {**AT, "kinds": ["goal.steered", "question.*"]})[0]
    mine, other = (services.submit(owner=person, objective="Write") for person in (ada, bob))
    for person, goal in ((ada, mine), (bob, other)):
        services.steer(person, goal.pk, "Be brief")
    assert told(everything) == [(mine.pk, "goal.created"), (mine.pk, "goal.steered")]
    assert told(some) == [(mine.pk, "goal.steered")]
    with writing(mine.pk) as writer:
        writer.event("question.asked", {})
    assert told(some)[1:] == [(mine.pk, "question.asked")]


def test_one_goal_alone_is_told_of(ada, goal):
    one = acts.make(ada, {**AT, "goal": str(goal.pk)})[0]
    services.submit(owner=ada, objective="Another")
    assert told(one) == []
    services.steer(ada, goal.pk, "Be brief")
    assert told(one) == [(goal.pk, "goal.steered")]


def test_an_operators_site_wide_webhook_is_told_of_everybodys(operator, goal, bob):
    wide = acts.make(operator, {**AT, "site_wide": True})[0]
    narrow = acts.make(operator, AT)[0]
    services.submit(owner=bob, objective="Another")
    assert [kind for _, kind in told(wide)] == ["goal.created"]
    assert told(narrow) == []


def test_a_resting_or_removed_webhook_is_told_of_nothing(ada, goal):
    resting, removed = (acts.make(ada, AT)[0] for _ in range(2))
    acts.change(ada, resting.pk, {"active": False})
    acts.remove(ada, removed.pk)
    services.steer(ada, goal.pk, "Be brief")
    assert not Delivery.objects.exists()


def test_what_is_rolled_back_is_told_to_nobody(ada, goal):
    acts.make(ada, AT)
    with transaction.atomic():
        services.steer(ada, goal.pk, "Be brief")
        assert Delivery.objects.exists()
        transaction.set_rollback(True)
    assert not Delivery.objects.exists()


def test_an_event_takes_no_more_statements_with_a_webhook_than_without(ada, goal):
    def statements():
        with CaptureQueriesContext(connection) as made:
            services.steer(ada, goal.pk, "Be brief")
        return len(made)

    statements()  # a person's permissions are read once
    without = statements()
    acts.make(ada, AT)
    assert statements() == without
    assert Delivery.objects.count() == 1


def test_an_event_is_told_once_to_each(ada, goal):
    hook = acts.make(ada, AT)[0]
    services.steer(ada, goal.pk, "Be brief")
    event = Event.objects.get(goal=goal, kind="goal.steered")
    assert Delivery.objects.get(webhook=hook, event=event).seq == event.seq


@pytest.mark.parametrize(
    ("given", "field", "said"),
    [
        ({"address": "ftp://example.org"}, "address", "must begin with http"),
        ({"address": "https://a:b@example.org"}, "address", "no account"),
        ({"address": "http://127.0.0.1/"}, "address", "loopback"),
        ({"address": "http://[::ffff:10.0.0.1]/"}, "address", "private"),
        ({"address": "http://169.254.169.254/latest"}, "address", "metadata"),
        ({"address": "https://example.org/#x"}, "address", "after #"),
        ({"address": None}, "address", "must be an address"),
        ({}, "address", "must be an address"),
        ({**AT, "kinds": ["goal.exploded"]}, "kinds", "goal.exploded is no kind"),
        ({**AT, "kinds": "goal.created"}, "kinds", "must be a list"),
        ({**AT, "kinds": [1]}, "kinds", "must be a list"),
        ({**AT, "goal": "x"}, "goal", "no goal"),
        ({**AT, "site_wide": "yes"}, "site_wide", "true or false"),
        ({**AT, "active": 1}, "active", "true or false"),
        ({**AT, "name": "a\nb"}, "name", "a line"),
        ({**AT, "name": "x" * 101}, "name", "a line"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_made(settings, ada, given, field, said):
    settings.GOALSITE_DOOR_ALLOW = []
    with pytest.raises(InvalidInput) as refused:
        acts.make(ada, given)
    assert said in refused.value.errors[field]
    assert not Webhook.objects.exists()


def test_nobody_is_told_of_goals_that_they_may_not_see(ada, bob, operator, goal):
    with pytest.raises(InvalidInput, match="no goal"):
        acts.make(bob, {**AT, "goal": str(goal.pk)})
    with pytest.raises(NotAllowed, match=r"goals\.operate"):
        acts.make(bob, {**AT, "site_wide": True})
    with pytest.raises(InvalidInput, match="only a site-wide"):
        acts.make(operator, {**AT, "goal": str(goal.pk)})
    hook = acts.make(bob, AT)[0]
    with pytest.raises(NotAllowed):
        acts.change(operator, hook.pk, {"site_wide": True})
    assert acts.make(operator, {**AT, "goal": str(goal.pk), "site_wide": True})[0].goal == goal


def test_a_site_wide_webhook_is_out_of_reach_for_who_is_no_operator_any_more(operator):
    wide = acts.make(operator, {**AT, "site_wide": True})[0]
    operator.user_permissions.clear()
    former = permitted(operator)
    for act in (acts.rotate, acts.test, acts.remove, lambda user, pk: acts.change(user, pk, AT)):
        with pytest.raises(NotFound):
            act(former, wide.pk)


def test_somebody_elses_webhook_is_not_there(ada, bob):
    hook = acts.make(ada, AT)[0]
    for act in (acts.find, acts.rotate, acts.test, acts.remove):
        with pytest.raises(NotFound):
            act(bob, hook.pk)


def test_a_person_has_no_more_than_so_many(ada, monkeypatch):
    monkeypatch.setattr(acts, "MOST", 2)
    first = acts.make(ada, AT)[0]
    acts.make(ada, AT)
    with pytest.raises(GoalError, match="2 of yours"):
        acts.make(ada, AT)
    acts.remove(ada, first.pk)
    acts.make(ada, AT)
