"""A goal's history and its timeline, as the page is told them."""

import re

import pytest
from django.http import QueryDict
from django.urls import reverse

from artifacts.services import create_artifact
from goals import services
from goals.chat import history
from goals.chat.history import Filters
from goals.chat.moments import moments_of
from goals.effects.making import ask_person
from goals.exceptions import InvalidInput
from goals.models import Event, Goal, Verification
from goals.states import QuestionKind
from goals.transitions import writing
from tests.goals.big_goal import big_goal

pytestmark = pytest.mark.django_db(transaction=True)
SCRIPT = {"X-Requested-With": "goalsite"}


@pytest.fixture
def goal(owner) -> Goal:
    """Made, steered by its owner, asked about by the site."""
    found = services.submit(owner=owner, objective="Write a report")
    services.steer(owner, found.pk, "Mind the <b>letters</b>")
    with writing(found.pk) as writer:
        ask_person(writer, QuestionKind.INFORMATION, "Which letters?")
    return Goal.objects.get(pk=found.pk)


def kinds(goal: Goal, query: str = "") -> list[str]:
    lines, _ = history.page(goal, Filters.read(QueryDict(query)))
    return [line.row.kind for line in lines]


def test_the_history_is_told_newest_first(goal):
    assert kinds(goal) == ["question.asked", "goal.steered", "goal.created"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("kind=goal", ["goal.steered", "goal.created"]),
        ("kind=goal.created", ["goal.created"]),
        ("actor=site", ["question.asked"]),
        ("q=LETTERS", ["question.asked", "goal.steered"]),
        ("q=letters&kind=goal", ["goal.steered"]),
        ("q=100%25", []),
    ],
)
def test_the_history_is_filtered_by_kind_actor_and_text(goal, query, found):
    assert kinds(goal, query) == found


def test_the_history_is_filtered_by_a_person(goal, owner):
    assert history.actors(goal) == [(owner.pk, "ada")]
    assert kinds(goal, f"actor={owner.pk}") == ["goal.steered", "goal.created"]
    assert kinds(goal, f"actor={owner.pk + 1}") == []


@pytest.mark.parametrize(
    "query", ["kind=nothing", "kind=goal.exploded", "actor=eve", "actor=²", "q=%00", f"q={'x' * 201}"]
)
def test_a_filter_that_is_not_understood_is_refused_by_its_name(goal, query):
    with pytest.raises(InvalidInput) as refused:
        Filters.read(QueryDict(query))
    assert list(refused.value.errors) == [query.partition("=")[0]]


@pytest.mark.parametrize("before", ["x", "-1", "²", "9" * 30])
def test_a_page_is_asked_for_by_a_number(ada, goal, before):
    address = reverse("goal_events", args=[goal.pk])
    assert ada.get(address, {"before": before}, headers=SCRIPT).status_code == 400


def test_every_event_is_reached_page_by_page_once(ada, owner):
    goal = big_goal(owner, checkpoints=4, subgoals=5, events=250)
    address, seen, before = reverse("goal_events", args=[goal.pk]), [], ""
    while before is not None:
        html = ada.get(address, {"before": before}, headers=SCRIPT).content.decode()
        seen += map(int, re.findall(r'data-seq="(\d+)"', html))
        rest = re.search(r'data-before="(\d+)"', html)
        before = rest and rest.group(1)
    assert seen == list(range(250, 0, -1))


def test_a_page_of_the_history_costs_the_same_however_long_it_is(owner, django_assert_num_queries):
    for events in (30, 900):
        goal = big_goal(owner, checkpoints=4, subgoals=5, events=events)
        with django_assert_num_queries(1):
            history.page(goal, Filters())


def test_each_event_is_a_sentence_that_leads_to_what_it_is_about(goal):
    lines = {line.row.kind: line for line in history.page(goal, Filters())[0]}
    assert lines["goal.steered"].said == "Mind the <b>letters</b>"
    assert lines["question.asked"].said == "Which letters?"
    assert lines["question.asked"].see == f"questions/{goal.questions.get().pk}"


@pytest.mark.parametrize(
    ("kind", "payload", "said", "tone"),
    [
        (
            "model.called",
            {"purpose": "act", "seconds": 1.5, "input_tokens": 900, "output_tokens": 100},
            "1,000",
            "achieved",
        ),
        ("tool.called", {"tool": "read_file", "status": "failed", "error": "gone"}, "read_file: gone", "failed"),
        ("verifier.ran", {"met": False, "reason": "too few"}, "too few", "failed"),
        ("budget.warning", {"resource": "tokens", "used": "80", "limit": "100"}, "tokens 80 of 100", "waiting"),
        ("artifact.created", {"name": "report"}, "report", ""),
        ("goal.waiting", {}, "", "waiting"),
    ],
)
def test_an_event_says_how_it_went(kind, payload, said, tone):
    line = history.line(Event(seq=1, kind=kind, payload=payload))
    assert said in line.said
    assert line.tone == tone


def test_what_people_wrote_is_shown_and_never_run(ada, goal):
    html = ada.get(reverse("goal_events", args=[goal.pk])).content.decode()
    assert "<b>letters" not in html
    assert "&lt;b&gt;letters" in html


def test_the_artifacts_are_listed_by_their_latest_version(ada, goal):
    for value in ("old", "new"):
        create_artifact(context=goal.artifact_context_id, name="report", type="text", value=value, description="it")
    html = ada.get(reverse("goal_artifacts", args=[goal.pk]), headers=SCRIPT).content.decode()
    assert "@report:2" in html
    assert "@report:1" not in html


def test_the_timeline_tells_each_call_check_and_question_in_its_lane(owner):
    goal = big_goal(owner, checkpoints=4, subgoals=12, events=20)
    found = moments_of(goal)
    assert [lane["title"] for lane in found["lanes"]][:2] == ["The goal", "Collect the invoices of March"]
    assert {bar["kind"] for bar in found["bars"]} >= {"model", "tool", "check"}
    lanes = {lane["id"] for lane in found["lanes"]}
    assert all(bar["lane"] in lanes for bar in found["bars"])
    assert all(bar["from"] <= bar["to"] for bar in found["bars"] if bar["to"] is not None)
    assert [bar["from"] for bar in found["bars"]] == sorted(bar["from"] for bar in found["bars"])


def test_a_question_is_open_until_it_is_closed(goal):
    (bar,) = moments_of(goal)["bars"]
    assert (bar["kind"], bar["state"], bar["to"]) == ("question", "open", None)
    question = goal.questions.get()
    question.status, question.closed_at = "withdrawn", question.created_at
    question.save()
    (bar,) = moments_of(goal)["bars"]
    assert (bar["state"], bar["to"]) == ("withdrawn", bar["from"])


def test_a_check_is_told_from_its_beginning_to_its_end(goal):
    Verification.objects.create(goal=goal, verifier={"type": "llm"}, digest="d", met=True, reason="good", seconds=0.001)
    (bar,) = [bar for bar in moments_of(goal)["bars"] if bar["kind"] == "check"]
    assert bar["state"] == "met"
    assert bar["to"] - bar["from"] == pytest.approx(0.001, abs=1e-6)


def events(goal: Goal, *wanted: str) -> None:
    with writing(goal.pk) as writer:
        for kind in wanted:
            writer.event(kind, {})


def test_a_wait_ends_as_anything_goes_on_and_a_pause_as_the_goal_goes_on(goal):
    events(goal, "goal.waiting", "message.created")
    assert [(rest["why"], rest["to"]) for rest in moments_of(goal)["rests"]] == [("waiting", None)]
    events(goal, "question.answered", "goal.paused", "model.called")
    assert [rest["to"] is None for rest in moments_of(goal)["rests"]] == [False, True]
    events(goal, "goal.resumed")
    assert [rest["to"] is None for rest in moments_of(goal)["rests"]] == [False, False]


def test_a_timeline_costs_six_statements_whatever_its_size(owner, django_assert_num_queries):
    for size in (6, 60):
        goal = big_goal(owner, checkpoints=4, subgoals=size, events=100)
        with django_assert_num_queries(6):
            moments_of(goal)
