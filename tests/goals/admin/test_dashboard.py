"""The first page says what needs a person and how the site does, by the same number of statements whatever there is."""

import re
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db.models import signals
from django.utils import timezone

from goals import services, spending, tally
from goals.effects import journal
from goals.effects.journal import Outcome
from goals.models import Breaker, Budget, Checkpoint, Event, Goal, ModelCall, Question, Spend
from goals.states import EffectStatus, Resource
from goals.transitions import writing
from tests.goals.admin.conftest import console_of
from tests.goals.api.conftest import permitted

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_pending():
    spending.flush()


def board(console):
    answer = console.get("/admin/")
    assert answer.status_code == 200
    return answer


def section(answer, name):
    return next(one for one in answer.context["sections"] if one.name == name)


@pytest.fixture
def busy(ada, goal, question):
    """A goal in each kind of need; all are ada's."""
    made = {
        name: services.submit(owner=ada, objective=f"Goal that is {name}") for name in ("tight", "paused", "failing")
    }
    Budget.objects.filter(goal=made["tight"], resource=Resource.COST_USD).update(used=3, reserved=Decimal("1.5"))
    services.pause(ada, made["paused"].pk, reason="<b>lunch</b>")
    Checkpoint.objects.create(
        goal=made["failing"], position=0, title="Dig", predicate="execute", status="active", attempts=3
    )
    ended = {"status": "failed", "outcome": "exhausted", "reason": "no way", "finished_at": timezone.now()}
    made["failed"] = services.submit(owner=ada, objective="Goal that is failed")
    Goal.objects.filter(pk=made["failed"].pk).update(**ended)
    made["stuck"] = services.submit(owner=ada, objective="Goal that is stuck")
    Event.objects.filter(goal=made["stuck"]).update(at=timezone.now() - timedelta(hours=2))
    return made


def test_it_says_what_needs_a_person_and_leads_there(console, busy, question):
    answer = board(console)
    page = answer.content.decode()
    for name in ("tight", "paused", "failing", "failed", "stuck"):
        found = section(answer, "budget" if name == "tight" else name)
        assert (found.count, found.rows[0].title) == (1, f"Goal that is {name}"), name
        assert f"/admin/goals/goal/{busy[name].pk}/change/" in page
        assert console.get(found.address).context["cl"].result_count == 1, name
    assert section(answer, "budget").rows[0].words == "Cost: $4.50 of $5.00, 90 %"
    assert "attempt 3 at Dig" in page
    assert "&lt;b&gt;lunch" in page
    assert section(answer, "paused").parts == [("by a person", 1, "/admin/goals/goal/?paused_for=user")]
    assert section(answer, "questions").rows[0].title == "Where from?"


def test_questions_come_oldest_first(console, goal, question):
    for hours, prompt in ((3, "The oldest?"), (1, "The latest?")):
        late = Question.objects.create(goal=goal, kind="information", key=prompt, prompt=prompt)
        Question.objects.filter(pk=late.pk).update(created_at=timezone.now() - timedelta(hours=hours))
    shown = [row.title for row in section(board(console), "questions").rows]
    assert shown == ["The oldest?", "The latest?", "Where from?"]


def test_it_takes_the_same_statements_whatever_there_is(console, ada, goal, django_assert_num_queries, busy):
    board(console)
    with django_assert_num_queries(45, exact=False) as few:
        board(console)
    for number in range(8):
        other = services.submit(owner=ada, objective=f"More {number}")
        Question.objects.create(goal=other, kind="information", prompt="?")
        Budget.objects.filter(goal=other, resource=Resource.COST_USD).update(used=5)
        Breaker.objects.create(
            kind="tool", name=f"t{number}", state="open", opened_at=timezone.now(), retry_at=timezone.now()
        )
    Goal.objects.filter(objective__startswith="More").update(repeats=2)
    tally.flush()
    with django_assert_num_queries(len(few.captured_queries)):
        assert section(board(console), "questions").has_more


def test_goals_that_it_does_not_show_are_not_read(console, ada, busy):
    for number in range(20):
        services.submit(owner=ada, objective=f"In no need {number}")
    read = []

    def keep(instance, **_):
        read.append(instance.objective)

    signals.post_init.connect(keep, sender=Goal)
    try:
        board(console)
    finally:
        signals.post_init.disconnect(keep, sender=Goal)
    assert not [objective for objective in read if objective.startswith("In no need")]
    assert len(set(read)) > len(busy) / 2


def test_staff_see_what_is_theirs_and_operators_how_the_site_does(staff, ada, busy, question):
    theirs = services.submit(owner=staff, objective="Mine")
    Question.objects.create(goal=theirs, kind="confirmation", prompt="Mine to answer?")
    Spend.objects.create(hour=timezone.now(), owner=ada, model="large", usd=7, calls=1)
    Breaker.objects.create(kind="tool", name="far", state="open", opened_at=timezone.now(), retry_at=timezone.now())
    answer = board(console_of(staff))
    page = answer.content.decode()
    assert [found.count for found in answer.context["sections"]] == [1, 0, 0, 0, 0, 0]
    assert not re.search(r"\bada\b", page)
    assert "the tool far" not in page
    assert answer.context["spent"].usd == "$0.00"
    assert (answer.context["machinery"], answer.context["breakers"]) == ([], [])
    seen = board(console_of(permitted(staff, "operate")))
    assert "the tool far" in seen.content.decode()
    assert seen.context["spent"].usd == "$7.00"
    assert section(seen, "paused").count == 1


def test_what_calls_cost_is_summed_by_the_hour_model_procedure_and_owner(
    console, ada, goal, worked, django_capture_on_commit_callbacks
):
    row = ModelCall.objects.create(
        goal=goal, effect_class="pure", scope="s", key="k", purpose="act", role="worker", model="small", epoch=0
    )
    outcome = Outcome(EffectStatus.SUCCEEDED, used={Resource.COST_USD: Decimal("0.25")})
    with django_capture_on_commit_callbacks(execute=True), writing(goal.pk) as writer:
        journal.record(writer, row, outcome)
    spending.flush()
    spending.flush()
    line = Spend.objects.get()
    assert (line.owner, line.model, line.sop, line.usd, line.calls) == (ada, "small", "", Decimal("0.25"), 1)
    spending.count(ada.pk, "small", usd=Decimal("0.50"), tokens=10, at=timezone.now())
    spent = board(console).context["spent"]
    assert (spent.usd, spent.calls) == ("$0.75", "2") or spent.usd == "$0.7500"
    assert [(title, shares[0].name) for title, shares in spent.parts] == [
        ("By model", "small"),
        ("By procedure", "without a procedure"),
        ("By owner", "ada"),
    ]


def test_a_dashboard_that_takes_too_long_opens_without_figures(console, goal, settings, monkeypatch):
    settings.GOALSITE_SEARCH_SECONDS = 0.05
    slow = Goal.objects.extra(where=["pg_sleep(1) IS NOT NULL"])
    monkeypatch.setattr("goals.admin.dashboard.page.sections", lambda user: list(slow))
    assert "The figures are missing" in board(console).content.decode()


def test_every_page_that_one_may_see_is_in_the_navigation(console, staff):
    from django.contrib import admin

    page = board(console).content.decode()
    for model in admin.site._registry:
        assert f'href="/admin/{model._meta.app_label}/{model._meta.model_name}/"' in page, model
