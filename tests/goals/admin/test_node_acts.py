"""What an operator does to single checkpoints and subgoals, and to the plan, from their pages."""

import json

import pytest

from goals.models import Checkpoint, Goal, Subgoal
from tests.goals.admin.conftest import console_of
from tests.goals.admin.test_acts import SENT, act

pytestmark = pytest.mark.django_db


@pytest.fixture
def pending(goal):
    columns = {"goal": goal, "predicate": "execute", "description": "do it", "success_criteria": "it is done"}
    Goal.objects.update(plan_due=False)
    return Checkpoint.objects.create(position=0, title="Later", args={"instructions": "x"}, **columns)


@pytest.fixture
def child(pending):
    """A subgoal that has not begun, beneath the root of a checkpoint at work."""
    Checkpoint.objects.update(status="active")
    columns = {"goal": pending.goal, "checkpoint": pending}
    root = Subgoal.objects.create(gloss="All", predicate="composite", status="active", **columns)
    return Subgoal.objects.create(parent=root, depth=1, gloss="Look around", predicate="execute", **columns)


def address(row, name):
    return f"/admin/goals/{row._meta.model_name}/{row.pk}/{name}/"


def do(console, row, name, **fields):
    """Open the form, send it as the browser does, and return the page that comes of it."""
    form = console.get(address(row, name)).content.decode()
    assert "_form_submitted" in form
    return console.post(address(row, name), {**SENT, **fields}, follow=True).content.decode()


def filled(row, **changes):
    fields = {name: getattr(row, name) for name in ("title", "description", "success_criteria")}
    return {**fields, "args": json.dumps(row.args), "tools": json.dumps(row.tools), **changes}


def last(goal):
    return goal.events.last()


def test_a_goal_is_paused_without_awaiting_the_call_in_hand(console, root, goal):
    act(console, goal, "pause", reason="fire", now="on")
    assert (last(goal).payload, last(goal).actor) == ({"for": "user", "reason": "fire", "now": True}, root)


def test_another_plan_is_asked_for_with_a_reason(console, root, pending):
    goal = pending.goal
    act(console, goal, "revise")
    assert Goal.objects.get().revise_reason == ""
    act(console, goal, "revise", reason="the source is closed")
    assert Goal.objects.get().revise_reason == "the source is closed"
    assert last(goal).actor == root


def test_a_goal_without_a_plan_is_not_offered_another(console, goal):
    assert f"/{goal.pk}/revise/" not in console.get(f"/admin/goals/goal/{goal.pk}/change/").content.decode()


def test_a_checkpoint_is_edited_in_a_form_that_knows_it(console, root, pending):
    form = console.get(address(pending, "edit")).content.decode()
    assert "it is done" in form
    page = do(console, pending, "edit", **filled(pending, title="Sooner", description="do\r\nit"))
    assert "It is changed." in page
    pending.refresh_from_db()
    assert (pending.title, pending.description, pending.args) == ("Sooner", "do\nit", {"instructions": "x"})
    event = last(pending.goal)
    assert (event.kind, event.actor) == ("checkpoint.edited", root)
    assert event.payload["before"] == {"title": "Later", "description": "do it"}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, "Nothing was changed."),
        ({"title": ""}, "This field is required."),
        ({"args": "{"}, "Enter a valid JSON."),
        ({"args": "[" * 100_000}, "Enter a valid JSON."),
        ({"args": '{"a": ' * 60 + "1" + "}" * 60}, "Enter a valid JSON."),
        ({"args": "[]"}, "args"),
        ({"tools": '["no-such-tool"]'}, "no-such-tool"),
        ({"args": '{"instructions": "@moon"}'}, "moon"),
        ({"description": "a\0"}, "Null characters are not allowed."),
    ],
)
def test_what_cannot_stand_in_a_plan_is_refused(console, pending, changes, told):
    assert told in do(console, pending, "edit", **filled(pending, **changes))
    assert Checkpoint.objects.get().title == "Later"
    assert not pending.goal.events.filter(kind="checkpoint.edited").exists()


def test_a_checkpoint_is_skipped_with_a_reason(console, root, pending):
    assert "This field is required." in do(console, pending, "skip")
    do(console, pending, "skip", reason="done by hand")
    assert Checkpoint.objects.get().status == "skipped"
    assert (last(pending.goal).kind, last(pending.goal).actor) == ("checkpoint.skipped", root)


def test_a_checkpoint_at_work_is_begun_anew(console, root, pending):
    Checkpoint.objects.update(status="active")
    do(console, pending, "retry", reason="the file is there now")
    assert Checkpoint.objects.get().failure == "the file is there now"
    assert (last(pending.goal).kind, last(pending.goal).actor) == ("checkpoint.retried", root)


def test_a_subgoal_is_edited(console, root, child):
    page = do(console, child, "edit", gloss="Look about", args='{"instructions": "look"}')
    assert "It is changed." in page
    child.refresh_from_db()
    assert (child.gloss, child.args) == ("Look about", {"instructions": "look"})
    assert (last(child.goal).kind, last(child.goal).actor) == ("subgoal.edited", root)


@pytest.mark.parametrize(
    ("status", "offered"),
    [("pending", {"edit", "skip"}), ("active", {"skip", "retry"}), ("failed", {"retry"}), ("skipped", set())],
)
def test_what_the_status_allows_is_offered(console, pending, status, offered):
    ended = pending.created_at if status in {"failed", "skipped"} else None
    Checkpoint.objects.update(status=status, finished_at=ended)
    page = console.get(address(pending, "change")).content.decode()
    assert {name for name in ("edit", "skip", "retry") if address(pending, name) in page} == offered


def test_what_the_service_refuses_is_said(console, pending):
    Checkpoint.objects.update(status="active")
    said = do(console, pending, "edit", **filled(pending, title="Sooner"))
    assert "only one that is pending can be edited" in said


@pytest.mark.parametrize("name", ["edit", "skip", "retry"])
def test_nobody_elses_checkpoint_is_shown_or_moved(staff, pending, name):
    console = console_of(staff)
    sent = console.post(address(pending, name), {**SENT, **filled(pending, title="Mine"), "reason": "x"})
    assert sent.status_code == 404
    assert (Checkpoint.objects.get().title, pending.goal.events.count()) == ("Later", 1)


def test_nobody_elses_subgoal_is_shown_or_changed(staff, child):
    console = console_of(staff)
    assert console.get(address(child, "edit")).status_code == 404
    assert console.post(address(child, "edit"), {**SENT, "gloss": "Mine", "args": "{}"}).status_code == 404


@pytest.mark.parametrize("key", ["nonsense", "00000000-0000-0000-0000-000000000000"])
def test_a_row_that_is_not_there_is_not_found(console, pending, key):
    assert console.get(f"/admin/goals/checkpoint/{key}/edit/").status_code == 404
