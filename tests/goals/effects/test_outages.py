"""The database hangs up just when an outcome is recorded: what was paid for is kept, and nothing is done twice."""

from decimal import Decimal

import pytest
from django.db import DataError, OperationalError, connection

from goals import outages
from goals.driver import MOST_OUTAGES
from goals.effects import journal
from goals.effects.calls import Call, recording
from goals.effects.journal import Outcome
from goals.effects.keeping import keep_alone, keep_late
from goals.exceptions import LeaseLost
from goals.models import Goal, ModelCall, ToolCall
from goals.outages import is_outage
from goals.states import EffectClass, EffectStatus, GoalStatus, Resource
from tests.goals import rules
from tests.goals.effects.work import drive, model_row, only_call, reserved, take
from tests.goals.test_model_goals import DONE, MET, plan, step

PAID = {Resource.MODEL_CALLS: Decimal(1), Resource.COST_USD: Decimal("0.25")}
REPLIED = Outcome(EffectStatus.SUCCEEDED, {"text": "hello"}, used=PAID)
HANGS_UP = """
CREATE SEQUENCE hung_up;
CREATE FUNCTION hang_up() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF nextval('hung_up') <= TG_ARGV[0]::int THEN
        PERFORM pg_terminate_backend(pg_backend_pid());
        PERFORM pg_sleep(10);
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER hangs_up AFTER UPDATE ON {table} FOR EACH ROW WHEN (NEW.status <> 'intended')
    EXECUTE FUNCTION hang_up({times});
"""
HANGS_UP_NO_MORE = "DROP FUNCTION IF EXISTS hang_up() CASCADE; DROP SEQUENCE IF EXISTS hung_up;"


@pytest.fixture
def hang_up(owner):
    """Let Postgres end the connection that writes an outcome, so many times."""

    def run(statement):
        with connection.cursor() as cursor:
            cursor.execute(statement)

    yield lambda table, times=1: run(HANGS_UP.format(table=table, times=times))
    run(HANGS_UP_NO_MORE)


@pytest.mark.parametrize("times", [1, 3])
def test_no_reply_is_paid_for_again(endpoint, submit, settle, hang_up, times):
    hang_up("goals_modelcall", times)
    endpoint.script.update(plan_checkpoints=[plan(step())], act=[DONE], judge_outcome=MET)
    goal = settle(submit())
    assert goal.status == GoalStatus.COMPLETED
    assert [r["name"] for r in endpoint.requests] == ["plan_checkpoints", "act", "judge_outcome", "judge_outcome"]
    assert goal.budgets.get(resource="model_calls").used == 4
    assert {call.status for call in ModelCall.objects.all()} == {"succeeded"}
    assert rules.violations() == []


@pytest.mark.parametrize("kind", [EffectClass.PURE, EffectClass.IDEMPOTENT, EffectClass.EXTERNAL])
def test_no_tool_is_used_again(planned, tool, settle, hang_up, kind):
    hang_up("goals_toolcall")
    used = tool("use", kind)
    goal = settle(planned("use"))
    assert goal.status == GoalStatus.COMPLETED
    assert (len(used.keys), only_call(goal).attempt) == (1, 1)
    assert rules.violations() == []


def test_what_hangs_up_more_often_than_an_outage_does_is_a_failure(planned, tool, settle):
    """Else one step that always loses its connection would be tried for ever."""

    def does(*_):
        if len(used.keys) <= 3 * MOST_OUTAGES:
            raise OperationalError("the server closed the connection unexpectedly")
        return 1

    used = tool("use", EffectClass.PURE, does)
    goal = settle(planned("use", options={"retries": 0, "checkpoint_attempts": 1, "revisions": 0}))
    assert len(used.keys) == MOST_OUTAGES + 1
    assert goal.status in {GoalStatus.PAUSED, GoalStatus.FAILED}
    assert "closed the connection" in goal.reason


def test_what_was_undone_with_its_transaction_is_done_again(planned, tool, settle, hang_up):
    hang_up("goals_toolcall")
    used = tool("use", EffectClass.TRANSACTIONAL)
    goal = settle(planned("use"))
    assert goal.status == GoalStatus.COMPLETED
    assert used.keys == [only_call(goal).key] * 2
    assert rules.violations() == []


@pytest.fixture
def replied(planned, tool):
    """A model call in flight under a lease: the drive and the call with its reply."""

    def make():
        tool("use", EffectClass.PURE)
        found = drive(planned("use"))
        row = journal.intend(found.goal, found.epoch, model_row(found.goal, "s"), PAID).row
        return found, Call(row, REPLIED)

    return make


def record(found, call):
    with recording(found, call):
        pass


def test_the_outcome_is_kept_though_its_transaction_is_lost(replied, hang_up):
    found, call = replied()
    hang_up("goals_modelcall")
    with pytest.raises(OperationalError):
        record(found, call)
    assert ModelCall.objects.get().response == {"text": "hello"}
    assert (reserved(found.goal), found.goal.budgets.get(resource="model_calls").used) == ({}, 1)
    assert Goal.objects.get().events.filter(kind="model.called").count() == 1


def test_a_worker_whose_lease_went_meanwhile_records_it_late(replied, hang_up):
    found, call = replied()
    hang_up("goals_modelcall")
    Goal.objects.update(lease_expires_at=None)
    take(found.goal)
    before = Goal.objects.get().seq
    with pytest.raises(LeaseLost):
        record(found, call)
    row = ModelCall.objects.get()
    assert (row.late, row.response, Goal.objects.get().seq) == (True, {"text": "hello"}, before)


@pytest.mark.parametrize("late", [False, True])
def test_a_commit_whose_answer_was_lost_is_not_counted_again(replied, late):
    found, call = replied()
    row = call.row
    if late:
        journal.record_late(row, REPLIED)
        keep_late([(row, REPLIED)])
    else:
        record(found, call)
        keep_alone(found, [(row, REPLIED)])
    assert ModelCall.objects.get().cost_usd == Decimal("0.25")
    assert found.goal.budgets.get(resource="model_calls").used == 1


def test_a_database_that_stays_away_leaves_the_effect_to_its_class(replied, hang_up, monkeypatch):
    monkeypatch.setattr(outages, "LONGEST_SECONDS", 0.0)
    found, call = replied()
    hang_up("goals_modelcall", 99)
    with pytest.raises(OperationalError):
        record(found, call)
    assert ModelCall.objects.get().status == "intended"
    assert reserved(found.goal)["model_calls"] == 1


@pytest.mark.parametrize("statement", ["SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(10)", "SELECT 1/0"])
def test_only_what_says_nothing_about_the_work_is_an_outage(db, statement):
    with pytest.raises((OperationalError, DataError)) as raised, connection.cursor() as cursor:
        cursor.execute(statement)
    assert is_outage(raised.value) is ("terminate" in statement)


def test_a_statement_that_takes_too_long_is_no_outage(db):
    with pytest.raises(OperationalError) as raised, connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 1; SELECT pg_sleep(10)")
    assert not is_outage(raised.value)


def test_a_tool_that_always_breaks_like_an_outage_ends_as_a_failure(planned, tool, settle):
    def breaks(*_):
        raise OperationalError("so it says")

    used = tool("use", EffectClass.PURE, breaks)
    goal = settle(planned("use", options={"retries": 0, "checkpoint_attempts": 1, "revisions": 0}))
    assert goal.status == GoalStatus.FAILED
    assert 1 <= len(used.keys) <= 20
    assert ToolCall.objects.filter(status="succeeded").count() == 0
