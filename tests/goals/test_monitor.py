"""Monitor mode: no turns of an agent; the verifier runs on a cadence until it fires, or until the deadline."""

import datetime

import pytest
from django.utils import timezone

from goals import events, sealing, services, watches
from goals.exceptions import InvalidInput, NotFound, StaleGoal
from goals.models import Goal, ModelCall, ToolCall, Verification, Watch
from goals.states import GoalStatus, Outcome
from goals.tasks import Slice
from tests.goals import rules

VERIFIER = {"type": "data", "path": "done.txt", "contains": "yes"}
FOLLOW_UP = {"objective": "Write an inventory", "plan_approval": True}


def look_once(goal):
    """Let a worker look, now."""
    Goal.objects.filter(pk=goal.pk, waits_for="watch").update(wake_at=timezone.now())
    Slice(lambda: False, only=[goal.pk], linger=0).run()
    return Goal.objects.get(pk=goal.pk)


@pytest.fixture
def watched(submit, tmp_path):
    """Submit a watch for a file that says yes."""

    def make(**rule):
        return submit("Tell me", mode="monitor", verifier=VERIFIER, workspace=str(tmp_path), watch=rule)

    return make


def say(tmp_path, text):
    (tmp_path / "done.txt").write_text(text)


def kinds(goal):
    return list(goal.events.order_by("seq").values_list("kind", flat=True))


# -- looking ----------------------------------------------------------------------------------------------------


def test_a_watch_waits_with_a_time_and_is_completed_when_it_fires(watched, tmp_path):
    goal = look_once(watched(interval=3600))
    assert (goal.status, goal.waits_for, goal.watch.verdict) == (GoalStatus.WAITING, "watch", "unmet")
    assert goal.wake_at > timezone.now() + datetime.timedelta(minutes=59)
    say(tmp_path, "yes")
    goal = look_once(goal)
    assert (goal.status, goal.outcome) == (GoalStatus.COMPLETED, Outcome.ACHIEVED)
    assert (goal.proof.met, goal.watch.fired, goal.watch.looks) == (True, 1, 2)
    assert not ModelCall.objects.filter(goal=goal).exists()
    assert rules.violations() == []


def test_a_look_that_sees_nothing_new_leaves_only_its_time(watched):
    goal = look_once(watched())
    before, looked_at = kinds(goal), goal.watch.looked_at
    for _ in range(3):
        goal = look_once(goal)
    assert kinds(goal) == before
    assert (goal.watch.looks, Verification.objects.count()) == (4, 1)
    assert goal.watch.looked_at > looked_at
    assert (goal.status, goal.waits_for, goal.wake_at > timezone.now()) == (GoalStatus.WAITING, "watch", True)


def test_one_that_repeats_fires_at_each_rising_edge_and_is_completed_at_its_deadline(watched, tmp_path):
    goal = watched(repeat=True, deadline=timezone.now() + datetime.timedelta(hours=1))
    for text in ("no", "yes", "yes", "no", "yes", "no"):
        say(tmp_path, text)
        goal = look_once(goal)
        assert goal.status == GoalStatus.WAITING
    assert (goal.watch.fired, kinds(goal).count("watch.fired")) == (2, 2)
    Watch.objects.update(deadline=timezone.now())
    goal = look_once(goal)
    assert (goal.status, goal.reason) == (GoalStatus.COMPLETED, "it fired 2 times until its deadline")
    assert goal.proof.met
    assert rules.violations() == []


def test_a_deadline_without_a_firing_exhausts_the_watch(watched):
    goal = look_once(watched(deadline=timezone.now() + datetime.timedelta(hours=1)))
    Watch.objects.update(deadline=timezone.now())
    goal = look_once(goal)
    assert (goal.status, goal.outcome) == (GoalStatus.FAILED, Outcome.EXHAUSTED)


def test_one_for_changes_fires_when_what_it_sees_is_not_what_it_was(watched, tmp_path):
    say(tmp_path, "one")
    goal = look_once(look_once(watched(trigger="change")))
    assert (goal.status, goal.watch.fired) == (GoalStatus.WAITING, 0)
    say(tmp_path, "two")
    goal = look_once(goal)
    assert (goal.status, goal.proof.met, goal.proof.details["verifier_met"]) == (GoalStatus.COMPLETED, True, False)
    assert "has changed" in goal.reason


def test_a_stall_is_told_once_until_something_changes(watched, tmp_path):
    goal = look_once(watched(stall_after=600))
    Watch.objects.update(seen_since=timezone.now() - datetime.timedelta(minutes=11))
    goal = look_once(look_once(goal))
    assert kinds(goal).count("watch.stalled") == 1
    assert goal.watch.stalled
    say(tmp_path, "on its way")
    assert not look_once(goal).watch.stalled


def test_a_broken_verifier_is_told_and_looked_by_again(submit, owner, tmp_path):
    owner.is_superuser = True
    owner.save()
    broken = {"type": "data", "path": "state.json", "expr": "data['n'] / 0 > 1"}
    (tmp_path / "state.json").write_text('{"n": 1}')
    goal = look_once(look_once(submit("Tell me", mode="monitor", verifier=broken, workspace=str(tmp_path))))
    assert (goal.status, goal.watch.verdict, goal.watch.fired) == (GoalStatus.WAITING, "broken", 0)
    assert kinds(goal).count("verifier.ran") == 1


# -- follow-up goals --------------------------------------------------------------------------------------------


def test_each_firing_starts_a_goal_that_draws_on_the_watchs_budget(watched, tmp_path):
    goal = watched(repeat=True, follow_up=FOLLOW_UP)
    for text in ("yes", "no", "yes"):
        say(tmp_path, text)
        goal = look_once(goal)
    first, second = made = list(goal.made.order_by("created_at"))
    assert {(one.objective, one.budget_goal_id, one.workspace) for one in made} == {
        ("Write an inventory", goal.pk, goal.workspace)
    }
    told = goal.events.filter(kind="watch.fired").values_list("payload__follow_up", flat=True)
    assert list(told) == [str(first.pk), str(second.pk)]
    assert first.options["plan_approval"]
    seen = goal.artifact_context.artifacts.filter(name="watch_fired")
    assert [(one.version, one.trust, one.value["number"]) for one in seen.order_by("version")] == [
        (1, "untrusted", 1),
        (2, "untrusted", 2),
    ]
    services.cancel(goal.owner, goal.pk)
    assert {one.status for one in goal.made.all()} == {GoalStatus.CANCELLED}


def test_a_follow_up_that_is_refused_by_then_keeps_no_watch_from_firing(watched, tmp_path):
    goal = watched(follow_up=FOLLOW_UP)
    Watch.objects.update(follow_up={**FOLLOW_UP, "sop": "no-such"})
    say(tmp_path, "yes")
    goal = look_once(goal)
    payload = goal.events.get(kind="watch.fired").payload
    assert goal.status == GoalStatus.COMPLETED
    assert (payload["follow_up"], "no active procedure" in payload["refused"]) == (None, True)
    assert events.broken_at(goal.pk) is None


# -- people -----------------------------------------------------------------------------------------------------


def test_a_person_has_it_look_at_once_and_changes_its_rule(watched, owner):
    goal = look_once(watched(interval=3600))
    assert watches.look_now(owner, goal.pk).wake_at <= timezone.now()
    Slice(lambda: False, only=[goal.pk], linger=0).run()
    assert Watch.objects.get().looks == 2
    watches.change(owner, goal.pk, {"interval": 7, "trigger": "change", "repeat": True})
    event = goal.events.get(kind="goal.watch_changed")
    assert (event.actor, event.payload["watch"]["interval"]) == (owner, 7)
    Slice(lambda: False, only=[goal.pk], linger=0).run()
    goal = Goal.objects.get(pk=goal.pk)
    assert (goal.watch.looks, goal.watch.trigger) == (3, "change")
    assert goal.wake_at < timezone.now() + datetime.timedelta(seconds=8)
    services.pause(owner, goal.pk)
    with pytest.raises(StaleGoal, match="is paused"):
        watches.look_now(owner, goal.pk)
    services.resume(owner, goal.pk)
    assert look_once(goal).watch.looks == 4
    services.cancel(owner, goal.pk)
    with pytest.raises(StaleGoal, match="only an unfinished goal can be given another rule"):
        watches.change(owner, goal.pk, {"interval": 9})


def test_what_is_met_when_it_is_rearmed_or_sealed_anew_is_news(watched, owner, tmp_path):
    owner.is_superuser = True
    owner.save()
    say(tmp_path, "yes")
    goal = look_once(watched())
    services.rearm(owner, goal.pk)
    goal = look_once(goal)
    assert (goal.status, goal.watch.fired) == (GoalStatus.COMPLETED, 2)
    changes = look_once(watched(trigger="change"))
    sealing.change_verifier(owner, changes.pk, verifier={**VERIFIER, "contains": "ye"}, reason="shorter")
    assert look_once(changes).watch.fired == 0


def test_a_fork_watches_by_the_same_rule(watched, owner):
    goal = watched(interval=7, repeat=True)
    twin = services.fork(owner, goal.pk)
    assert (twin.watch.interval, twin.watch.repeat, twin.watch.looks) == (7, True, 0)


def test_looks_draw_on_no_limit_of_time(watched):
    assert watched().budgets.get(resource="seconds").limit is None
    assert not ToolCall.objects.exists()


@pytest.mark.parametrize(
    ("rule", "field"),
    [
        ({"interval": 0}, "watch.interval"),
        ({"interval": True}, "watch.interval"),
        ({"trigger": "fall"}, "watch.trigger"),
        ({"repeat": "yes"}, "watch.repeat"),
        ({"deadline": "2020-01-01T00:00:00Z"}, "watch.deadline"),
        ({"deadline": "tomorrow"}, "watch.deadline"),
        ({"deadline": "2999-01-01T00:00:00"}, "watch.deadline"),
        ({"stall_after": -1}, "watch.stall_after"),
        ({"follow_up": {}}, "watch.follow_up.objective"),
        ({"follow_up": {"objective": "x", "sop": "no-such"}}, "watch.follow_up.sop"),
        ({"follow_up": {"objective": "x", "verifier": {"type": "guess"}}}, "watch.follow_up.verifier.type"),
        ({"follow_up": {"objective": "x", "limits": {}}}, "watch.follow_up.limits"),
        ({"speed": 1}, "watch.speed"),
    ],
)
def test_a_wrong_rule_is_refused_by_name(watched, rule, field):
    with pytest.raises(InvalidInput) as refused:
        watched(**rule)
    assert list(refused.value.errors) == [field]
    assert not Goal.objects.exists()


def test_a_watch_needs_something_to_look_at_that_costs_no_money(submit, watched, owner, configurer):
    for verifier in (None, {"type": "llm"}, {"type": "any", "of": [VERIFIER, {"type": "llm"}]}):
        with pytest.raises(InvalidInput, match="verifier"):
            submit(mode="monitor", verifier=verifier)
    with pytest.raises(InvalidInput, match="watch"):
        submit(watch={"interval": 5})
    goal = watched()
    with pytest.raises(InvalidInput, match="asks no model"):
        sealing.change_verifier(configurer, goal.pk, verifier={"type": "llm"}, reason="why not")
    with pytest.raises(StaleGoal, match="watches nothing"):
        watches.look_now(owner, submit().pk)
    goal.owner = configurer
    goal.save()
    with pytest.raises(NotFound):
        watches.change(owner, goal.pk, {"interval": 5})
