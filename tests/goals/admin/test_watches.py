"""Watches in the console: how they stand, and what one does to them."""

import pytest
from django.utils import timezone

from goals import services
from goals.admin import watches
from goals.models import Goal, Watch
from goals.states import GoalStatus
from goals.tasks import Slice
from tests.goals.admin.conftest import console_of

pytestmark = pytest.mark.django_db(transaction=True)
LIST = "/admin/goals/watch/"
SENT = {"_form_submitted": "on"}


@pytest.fixture
def watching(ada, tmp_path):
    verifier = {"type": "data", "path": "done.txt", "contains": "yes"}
    goal = services.submit(owner=ada, objective="Tell me", mode="monitor", verifier=verifier, workspace=str(tmp_path))
    Slice(lambda: False, only=[goal.pk], linger=0).run()
    return Goal.objects.get(pk=goal.pk)


def test_a_watch_is_shown_told_to_look_changed_paused_and_resumed(console, root, watching):
    page = f"{LIST}{watching.pk}"
    listed = console.get(LIST).content.decode()
    assert "every 60 s, fires when met" in listed
    assert "unmet" in listed
    assert "There is no file done.txt" in console.get(f"{page}/change/").content.decode()
    assert "It looks." in console.post(f"{page}/look/", SENT, follow=True).content.decode()
    watching.refresh_from_db()
    assert watching.wake_at <= timezone.now()
    rule = {"interval": "7", "trigger": "change", "repeat": "on", "deadline": "", "stall_after": "60", "follow_up": ""}
    console.post(f"{page}/rule/", SENT | rule)
    row = Watch.objects.get()
    assert (row.interval, row.trigger, row.repeat, row.stall_after, row.follow_up) == (7, "change", True, 60, None)
    changed = watching.events.get(kind="goal.watch_changed")
    assert (changed.actor, set(changed.payload["watch"])) == (root, {"interval", "trigger", "repeat", "stall_after"})
    for act, status in (("pause", GoalStatus.PAUSED), ("resume", GoalStatus.ACTIVE)):
        console.post(f"{page}/{act}/", SENT)
        assert Goal.objects.get().status == status
    for act, status in (("pause", GoalStatus.PAUSED), ("resume", GoalStatus.ACTIVE)):
        console.post(LIST, {"action": f"{act}_chosen", "_selected_action": [watching.pk]})
        assert Goal.objects.get().status == status


def test_of_very_many_watches_so_many_are_moved_at_once(console, watching, monkeypatch):
    monkeypatch.setattr(watches, "MOST_AT_ONCE", 0)
    console.post(LIST, {"action": "pause_chosen", "_selected_action": [watching.pk]})
    assert Goal.objects.get().status == GoalStatus.WAITING


def test_a_rule_that_is_sent_as_it_is_says_so(console, watching):
    form = console.get(f"{LIST}{watching.pk}/rule/").context["form"]
    as_it_is = {name: form[name].value() or "" for name in form.fields}
    page = console.post(f"{LIST}{watching.pk}/rule/", SENT | as_it_is | {"repeat": ""}).content.decode()
    assert "Nothing was changed." in page


def test_a_wrong_rule_is_refused_by_its_name(console, watching):
    rule = {"interval": "60", "trigger": "met", "deadline": "2020-01-01 00:00", "stall_after": "", "follow_up": ""}
    page = console.post(f"{LIST}{watching.pk}/rule/", SENT | rule, follow=True).content.decode()
    assert "watch.deadline: has passed already" in page
    assert Watch.objects.get().deadline is None


@pytest.mark.parametrize("odd", ["[" * 100_000, "9" * 5000, '{"objective": NaN}', '{"objective": "\\ud800"}'])
def test_what_is_no_json_that_can_be_stored_is_refused_in_its_field(console, watching, odd):
    rule = {"interval": "60", "trigger": "met", "deadline": "", "stall_after": "", "follow_up": odd}
    refused = console.post(f"{LIST}{watching.pk}/rule/", SENT | rule)
    assert "Enter a valid JSON." in refused.content.decode()
    sealed = console.post(f"/admin/goals/goal/{watching.pk}/verifier/", SENT | {"verifier": odd, "reason": "why"})
    assert "Enter a valid JSON." in sealed.content.decode()
    assert Watch.objects.get().follow_up is None


def test_watches_come_latest_first_and_what_is_beyond_a_bulk_act_is_told(console, ada, watching, tmp_path, monkeypatch):
    verifier = {"type": "data", "path": "done.txt", "contains": "yes"}
    later = services.submit(owner=ada, objective="Then me", mode="monitor", verifier=verifier, workspace=str(tmp_path))
    assert [row.pk for row in console.get(LIST).context["cl"].result_list] == [later.pk, watching.pk]
    monkeypatch.setattr(watches, "MOST_AT_ONCE", 1)
    both = {"action": "pause_chosen", "_selected_action": [later.pk, watching.pk]}
    page = console.post(LIST, both, follow=True).content.decode()
    assert "More than 1 were chosen" in page
    assert [goal.status for goal in Goal.objects.order_by("created_at")] == [GoalStatus.WAITING, GoalStatus.PAUSED]


def test_a_stranger_sees_and_moves_no_watch_of_others(staff, watching):
    stranger = console_of(staff)
    for act in ("look", "rule", "pause"):
        stranger.post(f"{LIST}{watching.pk}/{act}/", SENT | {"interval": "5", "trigger": "met"})
    Watch.objects.update(follow_up={"objective": "Hush"})
    assert "Hush" not in stranger.get(f"{LIST}{watching.pk}/rule/").content.decode()
    assert "Tell me" not in stranger.get(LIST).content.decode()
    assert (Watch.objects.get().interval, Goal.objects.get().status) == (60, GoalStatus.WAITING)
