"""Postgres itself holds rule 6: raw SQL completes nothing without a proof, and changes no seal and no proof."""

import uuid

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import RestrictedError

from goals import services
from goals.models import Checkpoint, Goal, Verification
from goals.states import EffectClass, GoalStatus
from goals.verifiers.spec import digest
from tests.goals.effects import work

VERIFIER = work.last_is("step0")
COMPLETE_GOAL = """
UPDATE goals_goal SET status = 'completed', outcome = 'achieved', finished_at = now(), proof_id = %s WHERE id = %s
"""
COMPLETE_CHECKPOINT = (
    "UPDATE goals_checkpoint SET status = 'completed', finished_at = now(), proof_id = %s WHERE id = %s"
)


def run(statement, *parameters):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, parameters)


def refused(statement, *parameters, match="refused"):
    with pytest.raises(IntegrityError, match=match):
        run(statement, *parameters)


@pytest.fixture
def goal(planned, tool):
    """A goal with one step, not begun yet."""
    tool("count", EffectClass.PURE)
    return planned("count", verifier=VERIFIER)


@pytest.fixture
def done(goal, settle):
    """The goal when it is completed, and with it its step."""
    done = settle(goal)
    assert done.status == GoalStatus.COMPLETED
    return done


@pytest.fixture
def said(goal):
    """Write what a verifier said about a goal, or about a checkpoint."""

    def make(about, *, met=True, verifier=VERIFIER, **columns):
        place = {"goal": about} if isinstance(about, Goal) else {"goal": about.goal, "checkpoint": about}
        columns = {**place, "verifier": verifier, "digest": digest(verifier), **columns}
        return Verification.objects.create(met=met, **columns)

    return make


def test_a_goal_is_completed_by_a_passing_verification_of_its_sealed_verifier(goal, said):
    run(COMPLETE_GOAL, said(goal).pk, goal.pk)
    assert Goal.objects.get(pk=goal.pk).status == GoalStatus.COMPLETED


@pytest.mark.parametrize("which", ["unmet", "broken", "of another verifier", "of its checkpoint", "of another goal"])
def test_no_other_verification_completes_a_goal(goal, submit, said, which):
    proof = {
        "unmet": lambda: said(goal, met=False),
        "broken": lambda: said(goal, met=False, error="it cannot run"),
        "of another verifier": lambda: said(goal, verifier={"type": "llm"}),
        "of its checkpoint": lambda: said(goal.checkpoints.first()),
        "of another goal": lambda: said(submit("Another", verifier=VERIFIER)),
    }[which]()
    refused(COMPLETE_GOAL, proof.pk, goal.pk, match="completing goal")
    assert Goal.objects.get(pk=goal.pk).status == GoalStatus.PLANNING


def test_a_completed_goal_keeps_to_its_proof(done, said):
    other = said(done, met=False)
    refused("UPDATE goals_goal SET proof_id = %s WHERE id = %s", other.pk, done.pk, match="completing goal")


def test_a_rearmed_goal_needs_a_proof_again(done, said, django_user_model):
    services.rearm(django_user_model.objects.create_superuser("grace"), done.pk)
    refused(COMPLETE_GOAL, said(done, met=False).pk, done.pk, match="completing goal")


def test_a_goal_does_not_begin_completed(submit):
    goal = submit("Be done", verifier=VERIFIER)
    goal.pk, goal.proof_id = uuid.uuid4(), uuid.uuid4()
    goal.status, goal.outcome, goal.finished_at = "completed", "achieved", goal.created_at
    with pytest.raises(IntegrityError, match="completing goal"):
        goal.save(force_insert=True)


@pytest.mark.parametrize("sealed", [None, {"type": "llm", "condition": "it is there"}])
def test_a_checkpoint_is_completed_by_a_passing_verification_of_its_own(goal, said, sealed):
    step = work.step(goal, 7, "execute", {}, verifier=sealed)
    run(COMPLETE_CHECKPOINT, said(step, verifier=sealed or {"type": "llm"}).pk, step.pk)
    assert Checkpoint.objects.get(pk=step.pk).status == "completed"


@pytest.fixture
def said_of_step(said, submit):
    """A verification that does not prove a step, made where a test names what is wrong with it."""

    def make(step, which):
        return {
            "unmet": lambda: said(step, met=False, verifier=step.verifier),
            "broken": lambda: said(step, met=False, error="it cannot run", verifier=step.verifier),
            "of another verifier": lambda: said(step, verifier={"type": "llm"}),
            "of its goal": lambda: said(step.goal, verifier=step.verifier),
            "of another checkpoint": lambda: said(step.goal.checkpoints.first(), verifier=step.verifier),
            "of another goal": lambda: said(step, verifier=step.verifier, goal=submit("Another")),
        }[which]()

    return make


@pytest.mark.parametrize(
    "which", ["unmet", "broken", "of another verifier", "of its goal", "of another checkpoint", "of another goal"]
)
def test_no_other_verification_completes_a_checkpoint(goal, said_of_step, which):
    step = work.step(goal, 7, "execute", {}, verifier={"type": "llm", "condition": "it is there"})
    refused(COMPLETE_CHECKPOINT, said_of_step(step, which).pk, step.pk, match="completing checkpoint")
    assert Checkpoint.objects.get(pk=step.pk).status == "pending"


def test_a_completed_checkpoint_keeps_to_its_proof(done, said):
    step = done.checkpoints.first()
    refused(
        "UPDATE goals_checkpoint SET proof_id = %s WHERE id = %s",
        said(step, met=False).pk,
        step.pk,
        match="completing checkpoint",
    )


def test_a_checkpoint_does_not_begin_completed(done):
    step = done.checkpoints.first()
    step.pk, step.position = uuid.uuid4(), 9
    with pytest.raises(IntegrityError, match="completing checkpoint"):
        step.save(force_insert=True)


@pytest.mark.parametrize("change", ['verifier = \'{"type": "llm"}\'', "verifier_digest = 'x'", "verifier = NULL"])
def test_a_sealed_verifier_never_changes(goal, change):
    refused(f"UPDATE goals_goal SET {change} WHERE id = %s", goal.pk)


def test_nor_is_it_unsealed(goal):
    refused("UPDATE goals_goal SET verifier = NULL, verifier_digest = '' WHERE id = %s", goal.pk)


def test_a_verifier_is_sealed_with_its_digest(submit):
    goal = submit()
    refused("UPDATE goals_goal SET verifier = '{}' WHERE id = %s", goal.pk, match="goal_verifier_has_its_digest")
    refused("UPDATE goals_goal SET verifier_digest = 'x' WHERE id = %s", goal.pk, match="goal_verifier_has_its_digest")
    run("UPDATE goals_goal SET verifier = '{}', verifier_digest = 'x' WHERE id = %s", goal.pk)


@pytest.mark.parametrize("before", [None, {"type": "llm"}])
@pytest.mark.parametrize("after", ["NULL", '\'{"type": "llm", "condition": "anything"}\''])
def test_a_checkpoints_verifier_never_changes(goal, before, after):
    step = work.step(goal, 7, "execute", {}, verifier=before)
    change = f"UPDATE goals_checkpoint SET verifier = {after} WHERE id = %s"
    if (before, after) == (None, "NULL"):
        run(change, step.pk)
    else:
        refused(change, step.pk)


@pytest.mark.parametrize("change", ["met = true", "digest = 'x'", "goal_id = goal_id", "reason = 'better'"])
def test_what_a_verification_said_never_changes(goal, said, change):
    refused(f"UPDATE goals_verification SET {change} WHERE id = %s", said(goal, met=False).pk)


def test_a_proof_is_not_deleted_while_something_stands_on_it(done):
    for proof in (done.proof_id, done.checkpoints.first().proof_id):
        refused("DELETE FROM goals_verification WHERE id = %s", proof, match="violates foreign key")
        with pytest.raises(RestrictedError):
            Verification.objects.get(pk=proof).delete()


def test_a_whole_goal_can_go_with_its_proofs(done):
    done.delete()
    assert not Verification.objects.exists()
    assert not Checkpoint.objects.exists()
