"""Lists are narrowed by what they offer, refuse the rest by name, and end in time however long the tables are."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from goals import models, services
from goals.admin import paging
from goals.models import Budget, Checkpoint, Event, Goal
from goals.states import Resource
from tests.goals.admin.conftest import console_of
from tests.goals.api.conftest import permitted

pytestmark = pytest.mark.django_db
GOALS = "/admin/goals/goal/"


def found(console, **query):
    """The goals that a list shows, by their objective."""
    answer = console.get(GOALS, query)
    assert answer.status_code == 200
    return {goal.objective for goal in answer.context["cl"].result_list}


def said(console, path=GOALS, **query):
    return " ".join(str(message) for message in console.get(path, query).context["messages"])


@pytest.fixture
def others_goal(bob):
    return services.submit(owner=bob, objective="Paint the shed")


def test_goals_are_narrowed_by_owner_status_reason_and_age(console, ada, goal, others_goal):
    services.pause(ada, goal.pk, reason="lunch")
    for narrowed in (
        {"owner": "ADA"},
        {"status": "paused"},
        {"paused_for": "user"},
        {"age": "1h", "status": "paused"},
        {"q": "inventory"},
        {"q": "lunch write"},
        {"q": "write " * 10 + "no further"},
        {"q": str(goal.pk)},
    ):
        assert found(console, **narrowed) == {"Write an inventory"}, narrowed
    assert found(console, age="over1d") == set()
    Goal.objects.filter(pk=others_goal.pk).update(created_at=timezone.now() - timedelta(days=9))
    assert found(console, age="over7d") == {"Paint the shed"}
    assert found(console, age="7d") == {"Write an inventory"}


def test_goals_are_found_by_what_they_need(console, question, goal, others_goal):
    assert found(console, needs="answer") == {"Write an inventory"}
    assert found(console, needs="budget") == found(console, needs="help") == found(console, needs="worker") == set()
    Budget.objects.filter(goal=others_goal, resource=Resource.COST_USD).update(used=4)
    assert found(console, needs="budget") == {"Paint the shed"}
    lent = services.fork(others_goal.owner, others_goal.pk, objective="Paint it again")
    assert found(console, needs="budget") == {"Paint the shed", "Paint it again"}
    services.cancel(lent.owner, lent.pk)
    assert found(console, needs="budget") == {"Paint the shed"}
    step = {"position": 0, "title": "x", "predicate": "execute", "status": "active"}
    tried = Checkpoint.objects.create(goal=goal, attempts=1, **step)
    assert found(console, needs="help") == set()
    Checkpoint.objects.filter(pk=tried.pk).update(attempts=2)
    assert found(console, needs="help") == {"Write an inventory"}


def test_a_goal_is_stuck_when_it_is_due_and_nothing_has_happened_for_long(console, goal, others_goal):
    long_ago = timezone.now() - timedelta(hours=1)
    Event.objects.filter(goal=goal).update(at=long_ago)
    assert found(console, needs="worker") == {"Write an inventory"}
    Goal.objects.filter(pk=goal.pk).update(wake_at=timezone.now() + timedelta(hours=1))
    assert found(console, needs="worker") == set()
    Goal.objects.filter(pk=goal.pk).update(wake_at=long_ago)
    assert found(console, needs="worker") == {"Write an inventory"}


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"owner": "nobody<script>"}, "owner: there is nobody named nobody<script>"),
        ({"status": "asleep"}, "status: 'asleep' is none of planning, active"),
        ({"needs": "'; DROP TABLE goals_goal; --"}, "is none of answer, budget, help, worker"),
        ({"age": "old"}, "age: 'old' is none of 1h"),
        ({"q": "x" * 300}, "q: 300 characters; at most 200"),
    ],
)
def test_a_filter_that_is_none_is_refused_by_name(console, goal, query, words):
    answer = console.get(GOALS, query)
    assert answer.status_code == 200
    assert words in said(console, **query)
    assert "<script>" not in answer.content.decode().replace("<script src", "")


def test_an_address_that_narrows_by_nothing_known_is_told(console, goal):
    answer = console.get(GOALS, {"id__exact": "seven"}, follow=True)
    assert "cannot be narrowed by id__exact=seven" in answer.content.decode()
    assert answer.context["cl"].result_count == 1
    answer = console.get(GOALS, {"owner": "a\x00da"}, follow=True)
    assert "owner: no text holds a NUL character" in answer.content.decode()


def test_a_list_that_takes_too_long_says_which_filter_to_narrow(console, goal, settings, monkeypatch):
    settings.GOALSITE_SEARCH_SECONDS = 0.05

    def slow(rows, value):
        return rows.extra(where=["pg_sleep(1) IS NOT NULL"])

    monkeypatch.setattr("goals.admin.filters.Needs.narrowed", lambda self, rows, value: slow(rows, value))
    answer = console.get(GOALS, {"needs": "budget", "q": "<b>"})
    page = answer.content.decode()
    assert answer.status_code == 503
    assert "took longer than" in page
    assert 'href="/admin/goals/goal/?q=%3Cb%3E"' in page
    assert "&lt;b&gt;" in page
    assert console.post(f"{GOALS}?needs=budget").status_code == 503
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("0",)
    assert console.get(GOALS).status_code == 200


def test_a_long_list_is_counted_as_far_as_somebody_turns_pages(console, ada, goal, monkeypatch):
    monkeypatch.setattr(paging, "MOST_COUNTED", 2)
    for number in range(2):
        services.submit(owner=ada, objective=f"More {number}")
    page = console.get(GOALS)
    assert page.context["cl"].result_count == 2
    assert "more than 2" in page.content.decode()
    assert "more than" not in console.get(GOALS, {"q": "inventory"}).content.decode()


def test_no_list_asks_a_long_table_for_the_values_it_holds(console, worked, django_assert_max_num_queries):
    for model in (models.Event, models.ModelCall, models.ToolCall, models.Verification, models.Message):
        path = f"/admin/goals/{model._meta.model_name}/"
        console.get(path)
        with django_assert_max_num_queries(20) as seen:
            console.get(path)
        assert not [one["sql"] for one in seen.captured_queries if "DISTINCT" in one["sql"]]


def test_staff_without_operate_cannot_narrow_by_others(staff, goal):
    page = console_of(staff).get(GOALS, {"owner": "ada"})
    assert page.context["cl"].result_count == 0
    assert "By owner" not in page.content.decode()
    assert "nobody named" not in said(console_of(staff), owner="nobody"), "who there is, is not told"
    assert "By owner" in console_of(permitted(staff, "operate")).get(GOALS).content.decode()


@pytest.mark.parametrize(("path", "asked", "ordered"), [
    (GOALS, "7", ["created_at"]),
    (GOALS, "-4", ["-created_at"]),
    (GOALS, "1", ["-created_at"]),
    ("/admin/goals/toolcall/", "2", ["-pk"]),
])  # fmt: skip
def test_a_list_is_put_in_no_order_that_it_does_not_offer(console, goal, path, asked, ordered):
    """Some would sort a table of millions; the address can ask for them all the same."""
    order = console.get(path, {"o": asked}).context["cl"].queryset.query.order_by
    assert [name.replace("-id", "-pk") for name in order][: len(ordered)] == ordered
