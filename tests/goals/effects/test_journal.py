"""The journal: what `intend` finds, what `record` and `record_late` write."""

from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from goals import services
from goals.effects import journal
from goals.effects.journal import Outcome, Standing
from goals.exceptions import BudgetExceeded, Interrupted, LeaseLost, StaleGoal
from goals.models import Goal, ModelCall, ToolCall
from goals.states import EffectClass, EffectStatus, Resource
from goals.transitions import writing
from tests.goals import rules
from tests.goals.effects.work import model_row, reserved, take, tool_row

AMOUNTS = {Resource.MODEL_CALLS: Decimal(1), Resource.TOKENS: Decimal(500)}
SECOND = {Resource.SECONDS: Decimal(1)}
DONE = Outcome(EffectStatus.SUCCEEDED, {"text": "hello"}, used={Resource.MODEL_CALLS: Decimal(1)}, seconds=0.5)
FAILED = Outcome(EffectStatus.FAILED, error="no", used={Resource.MODEL_CALLS: Decimal(1)})


def record(goal, epoch, row, outcome):
    with writing(goal.pk, epoch=epoch) as writer:
        journal.record(writer, row, outcome)


def lapse(goal):
    """Let the lease pass and another worker take the goal; returns the new epoch."""
    Goal.objects.filter(pk=goal.pk).update(lease_expires_at=None)
    return take(goal).epoch


def test_a_new_effect_is_a_row_with_a_reservation_before_it_is_done(working):
    goal, epoch = working()
    intent = journal.intend(goal, epoch, model_row(goal, "s"), AMOUNTS)
    row = ModelCall.objects.get(goal=goal)
    assert (intent.standing, row.status, row.epoch, row.key) == (Standing.NEW, "intended", epoch, "s:1")
    assert reserved(goal) == {"model_calls": 1, "tokens": 500}


def test_an_outcome_settles_the_budget_and_is_told(working):
    goal, epoch = working()
    intent = journal.intend(goal, epoch, model_row(goal, "s"), AMOUNTS)
    record(goal, epoch, intent.row, DONE)
    assert reserved(goal) == {}
    assert goal.budgets.get(resource="model_calls").used == 1
    assert goal.budgets.get(resource="tokens").used == 0
    assert Goal.objects.get(pk=goal.pk).events.filter(kind="model.called").count() == 1
    assert rules.violations() == []


def test_a_recorded_reply_is_answered_from_the_journal_and_reserves_nothing(working):
    goal, epoch = working()
    record(goal, epoch, journal.intend(goal, epoch, model_row(goal, "s"), AMOUNTS).row, DONE)
    again = journal.intend(goal, epoch, model_row(goal, "s"), AMOUNTS)
    assert again.is_answered
    assert again.row.response == {"text": "hello"}
    assert reserved(goal) == {}
    assert ModelCall.objects.filter(goal=goal).count() == 1


def test_the_same_request_of_another_attempt_is_another_effect(working):
    goal, epoch = working()
    record(goal, epoch, journal.intend(goal, epoch, model_row(goal, "s"), AMOUNTS).row, DONE)
    assert journal.intend(goal, epoch, model_row(goal, "t"), AMOUNTS).standing is Standing.NEW


def test_a_failed_try_is_followed_by_the_next_number(working):
    goal, epoch = working()
    for number in (1, 2, 3):
        intent = journal.intend(goal, epoch, model_row(goal, "s"), AMOUNTS)
        assert (intent.standing, intent.row.key) == (Standing.NEW, f"s:{number}")
        record(goal, epoch, intent.row, FAILED)
    assert journal.find(ModelCall, "s").key == "s:3"
    assert journal.find(ModelCall, "nothing") is None


@pytest.mark.parametrize("kind", [EffectClass.PURE, EffectClass.IDEMPOTENT, EffectClass.TRANSACTIONAL])
def test_a_lost_effect_that_may_run_again_is_adopted_with_its_key_and_reservation(working, kind):
    goal, epoch = working()
    first = journal.intend(goal, epoch, tool_row(goal, "s", kind), {Resource.SECONDS: Decimal(10)})
    newer = lapse(goal)
    again = journal.intend(goal, newer, tool_row(goal, "s", kind), {Resource.SECONDS: Decimal(99)})
    assert (again.standing, again.row.pk, again.row.key) == (Standing.AGAIN, first.row.pk, "s:1")
    assert ToolCall.objects.get(pk=first.row.pk).epoch == newer
    assert again.seconds == 10
    assert reserved(goal) == {"seconds": 10}


def test_a_lost_external_effect_is_never_handed_out_again(working):
    goal, epoch = working()
    journal.intend(goal, epoch, tool_row(goal, "s"), SECOND)
    again = journal.intend(goal, lapse(goal), tool_row(goal, "s"), SECOND)
    assert again.standing is Standing.LOST
    assert ToolCall.objects.get(goal=goal).status == "intended"


def test_an_external_effect_whose_answer_was_lost_is_lost_to_its_own_driver_too(working):
    goal, epoch = working()
    intent = journal.intend(goal, epoch, tool_row(goal, "s"), {Resource.SECONDS: Decimal(10)})
    record(goal, epoch, intent.row, Outcome(EffectStatus.UNKNOWN, error="no answer"))
    assert journal.intend(goal, epoch, tool_row(goal, "s"), SECOND).standing is Standing.LOST


def test_the_reservation_of_an_unknown_outcome_stays_until_it_is_settled_and_is_given_back_once(working):
    goal, epoch = working()
    intent = journal.intend(goal, epoch, tool_row(goal, "s"), {Resource.SECONDS: Decimal(10)})
    other = journal.intend(goal, epoch, tool_row(goal, "t"), {Resource.SECONDS: Decimal(7)})
    record(goal, epoch, intent.row, Outcome(EffectStatus.UNKNOWN, error="no answer"))
    assert reserved(goal) == {"seconds": 17}
    journal.adopt(goal, intent.row, epoch)
    record(goal, epoch, intent.row, Outcome(EffectStatus.SUCCEEDED, {}))
    assert reserved(goal) == {"seconds": 7}
    record(goal, epoch, other.row, Outcome(EffectStatus.SUCCEEDED, {}))
    assert rules.violations() == []


@pytest.mark.parametrize("status", ["paused", "waiting", "cancelled", "completed", "failed"])
def test_nothing_is_begun_for_a_goal_that_is_not_being_worked_on(working, status):
    goal, epoch = working()
    _force(goal, status)
    with pytest.raises(Interrupted, match=status):
        journal.intend(goal, epoch, model_row(goal, "s"), AMOUNTS)
    assert not ModelCall.objects.exists()
    assert reserved(goal) == {}


@pytest.mark.parametrize("status", ["paused", "cancelled"])
def test_nothing_is_adopted_for_a_goal_that_is_not_being_worked_on(working, status):
    goal, epoch = working()
    journal.intend(goal, epoch, model_row(goal, "s"), AMOUNTS)
    newer = lapse(goal)
    _force(goal, status)
    with pytest.raises(StaleGoal):
        journal.intend(goal, newer, model_row(goal, "s"), AMOUNTS)
    assert ModelCall.objects.get(goal=goal).epoch == epoch


def _force(goal, status):
    """Put a goal into a status with the facts that its constraints ask for, past the table of moves."""
    facts = {
        "paused": {"paused_for": "user"},
        "waiting": {"waits_for": "question"},
        "failed": {"outcome": "error"},
        "completed": {"outcome": "achieved"},
        "cancelled": {},
    }[status]
    if status in {"cancelled", "failed", "completed"}:
        facts["finished_at"] = goal.created_at
    if status == "completed":
        from goals.models import Verification

        facts["proof"] = Verification.objects.create(
            goal=goal, verifier=goal.verifier, digest=goal.verifier_digest, met=True
        )
    Goal.objects.filter(pk=goal.pk).update(status=status, **facts)


def test_a_worker_whose_lease_is_gone_begins_nothing(working):
    goal, epoch = working()
    lapse(goal)
    with pytest.raises(LeaseLost):
        journal.intend(goal, epoch, model_row(goal, "s"), AMOUNTS)
    assert not ModelCall.objects.exists()
    assert reserved(goal) == {}


def test_a_worker_whose_lease_is_gone_adopts_nothing(working):
    goal, epoch = working()
    row = journal.intend(goal, epoch, model_row(goal, "s"), AMOUNTS).row
    newer = lapse(goal)
    journal.intend(goal, newer, model_row(goal, "s"), AMOUNTS)
    with pytest.raises(StaleGoal):
        journal.adopt(goal, row, epoch)
    assert ModelCall.objects.get(pk=row.pk).epoch == newer


def test_an_effect_beyond_the_budget_leaves_no_row_and_no_part_of_a_reservation(working):
    goal, epoch = working(limits={"tokens": 400})
    with pytest.raises(BudgetExceeded, match="tokens"):
        journal.intend(goal, epoch, model_row(goal, "s"), AMOUNTS)
    assert not ModelCall.objects.exists()
    assert reserved(goal) == {}


def test_two_rows_never_share_an_idempotency_key(working):
    goal, epoch = working()
    journal.intend(goal, epoch, model_row(goal, "s"), AMOUNTS)
    clash = model_row(goal, "s", key="s:1")
    with pytest.raises(Exception, match="key"):
        clash.save(force_insert=True)


def test_a_late_outcome_is_written_on_its_row_and_in_the_budget_and_nowhere_else(working):
    goal, epoch = working()
    row = journal.intend(goal, epoch, model_row(goal, "s"), AMOUNTS).row
    lapse(goal)
    before = Goal.objects.get(pk=goal.pk)
    journal.record_late(row, DONE)
    row = ModelCall.objects.get(pk=row.pk)
    assert (row.status, row.late, row.response) == ("succeeded", True, {"text": "hello"})
    assert reserved(goal) == {}
    assert goal.budgets.get(resource="model_calls").used == 1
    after = Goal.objects.get(pk=goal.pk)
    assert (after.seq, after.status, after.lease_epoch) == (before.seq, before.status, before.lease_epoch)


def test_a_late_outcome_answers_the_worker_that_took_over(working):
    goal, epoch = working()
    row = journal.intend(goal, epoch, model_row(goal, "s"), AMOUNTS).row
    newer = lapse(goal)
    journal.record_late(row, DONE)
    assert journal.intend(goal, newer, model_row(goal, "s"), AMOUNTS).is_answered


def test_a_late_outcome_of_a_settled_effect_only_adds_what_it_cost(working):
    goal, epoch = working()
    row = journal.intend(goal, epoch, model_row(goal, "s"), AMOUNTS).row
    stale = ModelCall.objects.get(pk=row.pk)
    newer = lapse(goal)
    taken = journal.intend(goal, newer, model_row(goal, "s"), AMOUNTS).row
    record(goal, newer, taken, DONE)
    paid = {Resource.MODEL_CALLS: Decimal(1), Resource.COST_USD: Decimal("0.25")}
    journal.record_late(stale, Outcome(EffectStatus.SUCCEEDED, {"text": "other"}, used=paid))
    row = ModelCall.objects.get(pk=row.pk)
    assert (row.response, row.late, row.cost_usd) == ({"text": "hello"}, True, Decimal("0.25"))
    assert goal.budgets.get(resource="cost_usd").used == Decimal("0.25")
    assert goal.budgets.get(resource="model_calls").used == 2
    assert reserved(goal) == {}


def test_a_worker_that_was_overtaken_by_a_late_one_does_not_write_over_it(working):
    goal, epoch = working()
    row = journal.intend(goal, epoch, model_row(goal, "s"), AMOUNTS).row
    stale = ModelCall.objects.get(pk=row.pk)
    newer = lapse(goal)
    taken = journal.intend(goal, newer, model_row(goal, "s"), AMOUNTS).row
    journal.record_late(stale, DONE)
    with pytest.raises(StaleGoal):
        record(goal, newer, taken, Outcome(EffectStatus.SUCCEEDED, {"text": "other"}))
    assert ModelCall.objects.get(pk=row.pk).response == {"text": "hello"}


def test_a_worker_whose_lease_is_gone_cannot_record(working):
    goal, epoch = working()
    row = journal.intend(goal, epoch, model_row(goal, "s"), AMOUNTS).row
    lapse(goal)
    with pytest.raises(LeaseLost):
        record(goal, epoch, row, DONE)
    assert ModelCall.objects.get(pk=row.pk).status == "intended"


def test_an_outcome_is_cleaned_before_it_is_stored(working):
    goal, epoch = working()
    row = journal.intend(goal, epoch, model_row(goal, "s"), AMOUNTS).row
    record(goal, epoch, row, Outcome(EffectStatus.FAILED, {"a\x00": "b\udc00"}, error="bad\x00"))
    row = ModelCall.objects.get(pk=row.pk)
    assert "\x00" not in row.error + str(row.response)


def test_a_call_that_took_more_than_was_left_is_clamped_and_told(working):
    goal, epoch = working(limits={"tokens": 1000})
    row = journal.intend(goal, epoch, model_row(goal, "s"), AMOUNTS).row
    record(goal, epoch, row, Outcome(EffectStatus.SUCCEEDED, {}, used={Resource.TOKENS: Decimal(1400)}))
    tokens = goal.budgets.get(resource="tokens")
    assert (tokens.used, tokens.reserved, tokens.limit) == (1000, 0, 1000)
    told = goal.events.get(kind="budget.exceeded").payload
    assert (told["resource"], Decimal(told["overrun"])) == ("tokens", 400)
    assert goal.events.filter(kind="budget.warning").count() == 1


def test_use_beyond_four_fifths_is_warned_of_once(working):
    goal, epoch = working(limits={"tokens": 1000})
    for scope, took in (("s", 700), ("t", 150), ("u", 50)):
        row = journal.intend(goal, epoch, model_row(goal, scope), {Resource.TOKENS: Decimal(took)}).row
        record(goal, epoch, row, Outcome(EffectStatus.SUCCEEDED, {}, used={Resource.TOKENS: Decimal(took)}))
    assert goal.events.filter(kind="budget.warning").count() == 1
    assert not goal.events.filter(kind="budget.exceeded").exists()


def test_a_late_failure_does_not_end_what_another_worker_has_adopted(working):
    goal, epoch = working()
    row = journal.intend(goal, epoch, tool_row(goal, "s", EffectClass.IDEMPOTENT), SECOND).row
    stale = ToolCall.objects.get(pk=row.pk)
    newer = lapse(goal)
    taken = journal.intend(goal, newer, tool_row(goal, "s", EffectClass.IDEMPOTENT), SECOND).row
    journal.record_late(stale, Outcome(EffectStatus.FAILED, error="cut"))
    assert ToolCall.objects.get(pk=row.pk).status == "intended"
    record(goal, newer, taken, Outcome(EffectStatus.SUCCEEDED, {}))
    assert reserved(goal) == {}


def test_a_late_outcome_that_is_still_unknown_says_nothing(working):
    goal, epoch = working()
    row = journal.intend(goal, epoch, tool_row(goal, "s"), SECOND).row
    lapse(goal)
    journal.record_late(row, Outcome(EffectStatus.UNKNOWN, error="no answer"))
    assert (ToolCall.objects.get(pk=row.pk).status, reserved(goal)) == ("intended", {"seconds": 1})


def test_what_a_dead_worker_left_in_flight_is_settled_once_its_goal_has_ended(working):
    goal, epoch = working()
    model = journal.intend(goal, epoch, model_row(goal, "s"), AMOUNTS).row
    external = journal.intend(goal, epoch, tool_row(goal, "t"), SECOND).row
    assert journal.settle_left_behind() == 0
    services.cancel(goal.owner, goal.pk)
    assert journal.settle_left_behind() == 0  # its worker may yet come back with the outcomes
    Goal.objects.filter(pk=goal.pk).update(lease_expires_at=None)
    assert journal.settle_left_behind() == 2
    assert journal.settle_left_behind() == 0
    assert ModelCall.objects.get(pk=model.pk).status == "failed"
    assert ToolCall.objects.get(pk=external.pk).status == "unknown"
    assert reserved(goal) == {}
    assert goal.budgets.get(resource="tokens").used == 500  # it may have been paid
    assert goal.events.filter(kind="tool.unknown").count() == 1
    assert rules.violations() == []


@pytest.mark.parametrize("status", ["paused", "cancelled"])
def test_adopting_looks_at_the_goal_itself(working, status):
    goal, epoch = working()
    row = journal.intend(goal, epoch, model_row(goal, "s"), AMOUNTS).row
    newer = lapse(goal)
    _force(goal, status)
    with pytest.raises(StaleGoal):
        journal.adopt(goal, row, newer)
    assert ModelCall.objects.get(pk=row.pk).epoch == epoch


def test_what_a_newer_worker_has_adopted_is_not_taken_back_even_if_the_look_at_the_goal_came_too_early(working):
    goal, epoch = working()
    row = journal.intend(goal, epoch, model_row(goal, "s"), AMOUNTS).row
    ModelCall.objects.filter(pk=row.pk).update(epoch=epoch + 1)
    with pytest.raises(StaleGoal):
        journal.adopt(goal, row, epoch)


def test_an_effect_is_one_statement_before_it_and_three_after(working):
    goal, epoch = working()
    with CaptureQueriesContext(connection) as before:
        row = journal.intend(goal, epoch, model_row(goal, "s"), AMOUNTS).row
    with CaptureQueriesContext(connection) as after, writing(goal.pk, epoch=epoch, known=goal) as writer:
        journal.record(writer, row, DONE)
    assert len(on_rows(before)) == 1
    assert len(on_rows(after)) == 3, "the lock, the outcome with its settlement, the goal with its events"


def on_rows(queries):
    return [query["sql"] for query in queries if "goals_" in query["sql"]]
