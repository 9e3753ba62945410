"""External calls whose outcome is not known, and what people say became of them."""

import time

import pytest

from goals import answers, services
from goals.effects import journal
from goals.effects.tool_calls import running
from goals.exceptions import AlreadyAnswered, InvalidInput, NotFound
from goals.models import Goal, Question, ToolCall
from goals.states import EffectClass, GoalStatus
from goals.tasks import Slice
from goals.tools.base import ProbeResult, ToolResult
from goals.tools.errors import OutcomeUnknown, ToolError, ToolTimeout
from tests.goals import rules
from tests.goals.effects.work import only_call, reserved, take

QUICK = {"options": {"retries": 0, "checkpoint_attempts": 1, "revisions": 0}}


def raises(*errors):
    """A tool's work that raises these, one a run, and then succeeds."""
    left = list(errors)

    def work(*_):
        if left:
            raise left.pop(0)
        return "booked"

    return work


@pytest.mark.parametrize(
    "error",
    [OutcomeUnknown("cut"), ToolTimeout("slow"), ConnectionResetError("reset"), ValueError("a bug")],
    ids=lambda error: type(error).__name__,
)
def test_an_external_call_that_may_have_happened_is_asked_about_and_not_repeated(planned, tool, settle, error):
    booking = tool("book", EffectClass.EXTERNAL, raises(error))
    goal = settle(planned("book", **QUICK))
    assert goal.waits_for == "question"
    assert only_call(goal).status == "unknown"
    assert goal.questions.get().kind == "recovery"
    assert len(booking.keys) == 1
    assert reserved(goal) == {"seconds": 120}
    assert rules.violations() == []


def test_a_result_that_cannot_be_stored_is_no_reason_to_book_again(planned, tool, settle):
    booking = tool("book", EffectClass.EXTERNAL, lambda *_: ToolResult(float("nan"), "booked"))
    goal = settle(planned("book", **QUICK))
    assert goal.waits_for == "question"
    assert len(booking.keys) == 1


def test_an_external_call_that_did_not_happen_is_tried_again_under_another_key(planned, tool, settle):
    booking = tool("book", EffectClass.EXTERNAL, raises(ToolError("full", retryable=True)))
    goal = settle(planned("book"))
    assert goal.status == GoalStatus.COMPLETED
    assert len(set(booking.keys)) == 2
    assert list(goal.toolcall_set.order_by("created_at").values_list("status", flat=True)) == ["failed", "succeeded"]
    assert rules.violations() == []


@pytest.mark.parametrize("kind", [EffectClass.PURE, EffectClass.IDEMPOTENT])
def test_a_call_that_may_run_again_is_simply_tried_again(planned, tool, settle, kind):
    work = tool("work", kind, raises(ConnectionResetError("reset")))
    goal = settle(planned("work"))
    assert goal.status == GoalStatus.COMPLETED
    assert len(work.keys) == 2


def asked(goal, settle):
    goal = settle(goal)
    assert goal.waits_for == "question"
    return goal, goal.questions.open().get()


def test_it_happened(planned, tool, settle):
    booking = tool("book", EffectClass.EXTERNAL, raises(OutcomeUnknown("cut")))
    goal, question = asked(planned("book"), settle)
    answers.answer(goal.owner, question.pk, "happened")
    assert settle(goal).status == GoalStatus.COMPLETED
    assert len(booking.keys) == 1
    assert only_call(goal).status == "succeeded"
    assert rules.violations() == []


def test_it_did_not_happen(planned, tool, settle):
    booking = tool("book", EffectClass.EXTERNAL, raises(OutcomeUnknown("cut")))
    goal, question = asked(planned("book"), settle)
    answers.answer(goal.owner, question.pk, "did_not_happen")
    assert settle(goal).status == GoalStatus.COMPLETED
    assert len(booking.keys) == len(set(booking.keys)) == 2
    assert rules.violations() == []


def test_given_up(planned, tool, settle, endpoint):
    booking = tool("book", EffectClass.EXTERNAL, raises(OutcomeUnknown("cut")))
    goal, question = asked(planned("book"), settle)
    answers.answer(goal.owner, question.pk, "give_up")
    goal = settle(goal)
    assert goal.status == GoalStatus.FAILED
    assert "given up" in goal.reason
    assert len(booking.keys) == 1
    assert only_call(goal).status == "failed"
    assert rules.violations() == []


def test_nothing_else_is_an_answer_and_only_the_first_one_counts(planned, tool, settle):
    tool("book", EffectClass.EXTERNAL, raises(OutcomeUnknown("cut")))
    goal, question = asked(planned("book"), settle)
    for wrong in ("yes", None, True, 3, ["happened"]):
        with pytest.raises(InvalidInput, match="did_not_happen"):
            answers.answer(goal.owner, question.pk, wrong)
    answers.answer(goal.owner, question.pk, "happened")
    with pytest.raises(AlreadyAnswered):
        answers.answer(goal.owner, question.pk, "give_up")
    assert only_call(goal).status == "succeeded"


def test_a_stranger_cannot_answer(planned, tool, settle, django_user_model):
    tool("book", EffectClass.EXTERNAL, raises(OutcomeUnknown("cut")))
    _, question = asked(planned("book"), settle)
    with pytest.raises(NotFound):
        answers.answer(django_user_model.objects.create_user("eve"), question.pk, "happened")


def test_a_probe_that_knows_settles_it_without_a_person(planned, tool, settle):
    found = ProbeResult(True, ToolResult("the booking", "found"))
    booking = tool("book", EffectClass.EXTERNAL, raises(OutcomeUnknown("cut")), lambda _: found)
    goal = settle(planned("book"))
    assert goal.status == GoalStatus.COMPLETED
    assert len(booking.keys) == 1
    assert not Question.objects.exists()
    assert only_call(goal).response["value"] == "the booking"
    assert rules.violations() == []


def test_a_call_that_keeps_breaking_is_retried_with_pauses_and_then_given_up(planned, tool, settle, endpoint):
    """A probe that says "not yet" each time must not make a loop that hammers the other side."""
    booking = tool("book", EffectClass.EXTERNAL, raises(*[OutcomeUnknown("cut")] * 50), lambda _: ProbeResult(False))
    goal = settle(planned("book", options={"retries": 1, "checkpoint_attempts": 1, "revisions": 0}))
    assert goal.is_ended
    assert len(booking.keys) <= 4
    assert rules.violations() == []


@pytest.mark.parametrize("error", [ToolError("down"), OutcomeUnknown("cut")])
def test_a_probe_that_fails_cannot_tell_and_a_person_is_asked(planned, tool, settle, error):
    def probe(_):
        raise error

    tool("book", EffectClass.EXTERNAL, raises(OutcomeUnknown("cut")), probe)
    asked(planned("book"), settle)


def test_a_question_whose_call_was_settled_after_all_is_withdrawn(planned, tool, settle):
    tool("book", EffectClass.EXTERNAL, raises(OutcomeUnknown("cut")))
    goal, question = asked(planned("book"), settle)
    assert answers.withdraw_moot() == 0
    ToolCall.objects.filter(goal=goal).update(
        status="succeeded", response={"value": 1, "summary": "late"}, finished_at=goal.created_at
    )
    assert answers.withdraw_moot() == 1
    question.refresh_from_db()
    assert question.status == "withdrawn"
    assert settle(goal).status == GoalStatus.COMPLETED


def test_a_cancelled_goal_withdraws_its_question_and_gives_back_what_was_reserved(planned, tool, settle):
    tool("book", EffectClass.EXTERNAL, raises(OutcomeUnknown("cut")))
    goal, question = asked(planned("book"), settle)
    services.cancel(goal.owner, goal.pk)
    question.refresh_from_db()
    assert question.status == "withdrawn"
    Slice(lambda: False, only=[], linger=0.0).run()
    assert reserved(goal) == {}
    assert rules.violations() == []


@pytest.mark.parametrize(("room", "step"), [(journal, "intend"), (running, "_refuse_dropped")])
def test_a_worker_that_was_held_up_before_an_external_call_does_not_send_it(
    room, step, planned, tool, settle, settings, monkeypatch
):
    settings.GOALSITE_LEASE_SECONDS = 1
    booking = tool("book", EffectClass.EXTERNAL)
    done, slept = getattr(room, step), []

    def held_up(*arguments):
        found = done(*arguments)
        if not slept:
            slept.append(time.sleep(1.2))
        return found

    monkeypatch.setattr(room, step, held_up)
    goal = settle(planned("book"))
    assert goal.status == GoalStatus.COMPLETED
    assert len(booking.keys) == 1
    assert "held up" in ToolCall.objects.filter(goal=goal).order_by("created_at").first().error


def test_what_a_transactional_tool_wrote_goes_with_the_transaction_that_failed(planned, tool, settle):
    """Its writes and its outcome are one transaction: there is no moment at which only one of them is there."""
    from django.contrib.auth import get_user_model

    def write(*_):
        get_user_model().objects.create_user(f"user{len(work.keys)}")
        if len(work.keys) == 1:
            raise ToolError("no", retryable=True)
        return "written"

    work = tool("write", EffectClass.TRANSACTIONAL, write)
    goal = settle(planned("write"))
    assert goal.status == GoalStatus.COMPLETED
    assert sorted(get_user_model().objects.values_list("username", flat=True)) == ["ada", "user2"]
    assert list(goal.toolcall_set.order_by("created_at").values_list("status", flat=True)) == ["failed", "succeeded"]
    assert rules.violations() == []


def test_a_lease_that_was_given_back_is_not_renewed(planned, tool):
    from goals import lease

    tool("book", EffectClass.EXTERNAL)
    goal = planned("book")
    taken = take(goal)
    lease.release(taken)
    lease.renew([taken])
    assert Goal.objects.get(pk=goal.pk).lease_expires_at is None
    newer = take(goal)
    before = Goal.objects.get(pk=goal.pk).lease_expires_at
    lease.renew([taken])
    lease.release(taken)
    assert Goal.objects.get(pk=goal.pk).lease_expires_at == before
    lease.renew([newer])
    assert Goal.objects.get(pk=goal.pk).lease_expires_at > before
