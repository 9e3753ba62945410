"""A sealed verifier is changed by an operator alone, with a reason, and what the old one said proves nothing."""

import pytest
from django.contrib.auth.models import Permission
from django.db import IntegrityError, transaction

from goals import sealing, services
from goals.effects import verify
from goals.exceptions import InvalidInput, NotAllowed, NotFound, StaleGoal
from goals.models import Goal, Verification
from goals.states import EffectClass, GoalStatus, Outcome
from tests.goals.effects import work

NEVER = {"type": "artifact", "name": "nowhere"}
NOW = {"type": "data", "path": "made.txt", "contains": "yes"}


@pytest.fixture
def operator(django_user_model):
    user = django_user_model.objects.create_user("night")
    user.user_permissions.add(Permission.objects.get(codename="operate"))
    return user


@pytest.fixture
def goal(submit, tmp_path):
    (tmp_path / "made.txt").write_text("yes")
    return submit("Make it", verifier=NEVER, workspace=str(tmp_path))


def refused(error, *given, match):
    with pytest.raises(error, match=match):
        sealing.change_verifier(*given)


def test_a_goal_whose_verifier_could_never_be_met_is_completed_by_the_new_one(planned, tool, settle, operator):
    tool("count", EffectClass.PURE)
    goal = planned("count", verifier=NEVER)
    changed = sealing.change_verifier(operator, goal.pk, work.last_is("step0"), "it named the wrong thing")
    event = goal.events.last()
    assert (event.kind, event.actor) == ("goal.verifier_changed", operator)
    assert event.payload["reason"] == "it named the wrong thing"
    assert (event.payload["from"], event.payload["to"]) == (goal.verifier_digest, changed.verifier_digest)
    done = settle(goal)
    assert done.status == GoalStatus.COMPLETED
    assert done.proof.digest == changed.verifier_digest != goal.verifier_digest


def test_its_owner_may_not_change_what_proves_it(goal, owner):
    refused(NotAllowed, owner, goal.pk, NOW, "easier", match=r"goals\.operate")
    assert Goal.objects.get(pk=goal.pk).verifier == NEVER


def test_a_stranger_is_not_told_that_the_goal_is_there(goal, django_user_model):
    refused(NotFound, django_user_model.objects.create_user("eve"), goal.pk, NOW, "mine", match="no goal")


def test_an_operator_needs_the_permission_for_what_runs_on_the_host(goal, operator):
    on_host = {"type": "command", "command": "true"}
    refused(NotAllowed, operator, goal.pk, on_host, "so", match="use_host_verifiers")


@pytest.mark.parametrize(
    ("verifier", "reason", "field"),
    [
        (None, "so", "verifier"),
        ({"type": "guess"}, "so", "verifier.type"),
        (NOW, " ", "reason"),
        ({"type": "data", "path": "../x", "contains": "y"}, "so", "verifier.path"),
    ],
)
def test_what_is_wrong_is_named_and_changes_nothing(goal, operator, verifier, reason, field):
    with pytest.raises(InvalidInput) as error:
        sealing.change_verifier(operator, goal.pk, verifier, reason)
    assert field in error.value.errors
    assert Goal.objects.get(pk=goal.pk).seals == 0


def test_the_same_verifier_is_no_change(goal, operator):
    refused(StaleGoal, operator, goal.pk, NEVER, "again", match="already")


def test_an_ended_goal_keeps_its_seal(goal, operator):
    services.cancel(operator, goal.pk)
    refused(StaleGoal, operator, goal.pk, NOW, "late", match="cancelled")


def test_postgres_refuses_another_way(goal):
    with pytest.raises(IntegrityError, match="never change"), transaction.atomic():
        Goal.objects.filter(pk=goal.pk).update(verifier=NOW, verifier_digest="0" * 64)


def test_a_verdict_of_a_verifier_that_was_changed_while_it_ran_decides_nothing(
    planned, tool, settle, operator, monkeypatch
):
    tool("count", EffectClass.PURE)
    goal = planned("count", options={"iterations": 1})
    run = verify.run_verifier

    def changed_meanwhile(drive, spec, *, checkpoint):
        found = run(drive, spec, checkpoint=checkpoint)
        if checkpoint is None and found.verdict.met:
            sealing.change_verifier(operator, goal.pk, NEVER, "it proves too little")
        return found

    monkeypatch.setattr(verify, "run_verifier", changed_meanwhile)
    ended = settle(goal)
    assert (ended.status, ended.outcome) == (GoalStatus.FAILED, Outcome.EXHAUSTED)
    assert Verification.objects.filter(goal=goal, checkpoint=None, met=True, digest=goal.verifier_digest).exists()
