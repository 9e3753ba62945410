"""Circuit breakers: shared by all workers, told by what a call came to, and no work is lost because of one."""

import subprocess
import sys
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from goals import breaker, operating, services
from goals.breaker import Rule, Standing
from goals.effects import breakers
from goals.effects.calls import recording
from goals.effects.tool_use import prepare, run
from goals.exceptions import BreakerOpen, NotAllowed, NotFound, StaleGoal
from goals.llm.errors import ModelRejected, ModelTimeout, ModelUnavailable
from goals.models import Breaker, Goal, ModelCall, Subgoal, ToolCall
from goals.states import BreakerState, EffectClass, GoalStatus
from goals.tasks import Slice
from goals.tools.errors import OutcomeUnknown, ToolError, ToolInputError, ToolTimeout
from tests.goals import rules
from tests.goals.effects.work import at_first_step, plan, step

FAR = {"kind": "tool", "name": "far"}
BUSY = {"status": 503, "headers": {"x-should-retry": "false"}}
DONE = {"reply": {"status": "done", "result": "Yes.", "outputs": []}}
MET = {"reply": {"met": True, "score": 1, "reason": "so", "evidence": ""}}


@pytest.fixture(autouse=True)
def quick(settings, transactional_db):
    """Three failures open a breaker, for a moment."""
    settings.GOALSITE_BREAKER_FAILURES = 3
    settings.GOALSITE_BREAKER_SECONDS = 0.4
    settings.GOALSITE_BREAKER_LONGEST_SECONDS = 2
    breakers.troubled.forget()


def call(error=None, *, patient=True, name="far"):
    """Make one call of a far side, which goes as told."""
    with (
        pytest.raises(type(error)) if error else nullcontext(),
        breakers.permitted("tool", name, key="k", seconds=5) as given,
        breakers.told(given, patient=patient),
    ):
        if error:
            raise error


def fail(times=1, error=ModelUnavailable):
    for _ in range(times):
        call(error("busy"))


def only():
    return Breaker.objects.get()


def opened(**columns):
    now = timezone.now()
    facts = {"state": "open", "failures": 3, "openings": 1, "opened_at": now, "retry_at": now + timedelta(seconds=60)}
    breakers.troubled.forget()
    return Breaker.objects.create(**FAR, **{**facts, **columns})


def due(**columns):
    now = timezone.now()
    return opened(opened_at=now - timedelta(seconds=9), retry_at=now - timedelta(seconds=1), **columns)


# -- the rule in SQL --------------------------------------------------------------------------------------------


def test_the_database_counts_as_the_pure_rule_says(settings):
    now = datetime(2026, 1, 1, tzinfo=UTC)
    settings.GOALSITE_BREAKER_SECONDS, settings.GOALSITE_BREAKER_LONGEST_SECONDS = 10, 60
    states = [
        Standing(),
        Standing(failures=2),
        *(Standing(BreakerState.OPEN, 3, n, now - timedelta(seconds=5), now + timedelta(seconds=5)) for n in (1, 4)),
        breaker.probing(Standing(BreakerState.OPEN, 3, 1, now, now), "p", now + timedelta(seconds=9)),
    ]
    columns = Standing.__dataclass_fields__
    row = Breaker.objects.create(**FAR)
    for before, retry_after, mark in product(states, [0, 7, 100, 1e5], ["", "p", "q"]):
        given = breakers.Pass(**FAR, key="k", mark=mark)
        Breaker.objects.update(**{name: getattr(before, name) for name in columns})
        error = ModelUnavailable("busy", retry_after=retry_after)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(breakers.timezone, "now", lambda: now)
            breakers._fail(given, error)
        row.refresh_from_db()
        assert row.standing == breaker.after_failure(before, Rule(3, 10, 60), now, retry_after, mark)
        assert (error.opened is None) == (row.state == BreakerState.CLOSED)
        Breaker.objects.update(**{name: getattr(before, name) for name in columns})
        breakers.troubled.remember("tool", "far")
        breakers._succeed(given)
        row.refresh_from_db()
        assert row.standing == breaker.after_success(before, mark)


# -- what counts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "error",
    [
        ModelUnavailable("503"),
        ModelTimeout("slow"),
        ToolTimeout("slow"),
        OutcomeUnknown("lost"),
        ToolError("down", retryable=True),
        ConnectionRefusedError("refused"),
    ],
)
def test_what_speaks_of_the_far_side_opens_it(error):
    for _ in range(3):
        call(error)
    assert only().state == BreakerState.OPEN
    with pytest.raises(BreakerOpen, match=r"the tool far is left alone, until .* it failed 3 times in a row"):
        call()


@pytest.mark.parametrize(
    "error",
    [ModelRejected("400"), ToolInputError("wrong"), ToolError("no such page"), ValueError("a bug of ours")],
)
def test_what_the_far_side_answered_does_not_open_it(error):
    for _ in range(5):
        call(error)
    call()
    assert not Breaker.objects.exclude(failures=0).exists()


def test_an_answer_ends_the_row_of_failures():
    fail(2)
    call(ModelRejected("400"))
    fail(2)
    call()
    fail(2)
    assert (only().state, only().failures) == ("closed", 2)


def test_a_call_that_had_less_than_its_time_says_nothing_by_running_out():
    for _ in range(5):
        call(ModelTimeout("slow"), patient=False)
    assert not Breaker.objects.exists()


def test_what_works_costs_no_statement_and_a_failure_one():
    call()
    with CaptureQueriesContext(connection) as asked:
        for _ in range(100):
            call()
    assert len(asked) == 0
    fail()
    breakers.troubled.holds("tool", "far")
    statements = []
    execute = breakers.rows.execute
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(breakers.rows, "execute", lambda *told: statements.append(told) or execute(*told))
        fail()
    assert len(statements) == 1


# -- shared by all ----------------------------------------------------------------------------------------------

ANOTHER = """
import sys
import django
django.setup()
from goals.effects import breakers
from goals.effects.calls import recording
from goals.effects.tool_use import prepare, run
from goals.exceptions import BreakerOpen
from goals.llm.errors import ModelUnavailable
for act in sys.stdin:
    breakers.troubled.forget()
    try:
        with breakers.permitted("tool", "far", key="k", seconds=5) as given, breakers.told(given):
            if act.strip() == "fail":
                raise ModelUnavailable("busy")
        print("called", flush=True)
    except BreakerOpen:
        print("asleep", flush=True)
    except ModelUnavailable:
        print("failed", flush=True)
"""


@pytest.fixture
def elsewhere(site_environment):
    """Another worker's process, which makes one call each time that it is told to."""
    environment = {**site_environment, "GOALSITE_BREAKER_FAILURES": "3", "GOALSITE_BREAKER_SECONDS": "60"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", ANOTHER], env=environment, **pipes) as process:

        def act(name):
            process.stdin.write(f"{name}\n")
            process.stdin.flush()
            return process.stdout.readline().strip()

        yield act
        process.stdin.close()


def test_two_processes_share_one_breaker(elsewhere, settings):
    settings.GOALSITE_BREAKER_SECONDS = settings.GOALSITE_BREAKER_LONGEST_SECONDS = 60
    assert elsewhere("fail") == "failed"
    fail(2)
    assert only().state == BreakerState.OPEN
    assert elsewhere("call") == "asleep"
    Breaker.objects.update(retry_at=timezone.now())
    assert elsewhere("call") == "called"
    assert only().standing == Standing()


def test_one_probe_is_let_through_at_a_time():
    due()
    with breakers.permitted("tool", "far", key="k", seconds=5) as probe:
        assert probe.mark
        with pytest.raises(BreakerOpen, match="being tried"):
            call()
        with breakers.told(probe):
            pass
    assert only().standing == Standing()


def test_a_probe_that_was_beaten_to_it_sleeps():
    row = due()
    winner, loser = breakers.Pass(**FAR, key="a"), breakers.Pass(**FAR, key="b")
    first = Breaker.objects.get
    assert breakers._ask(winner, 5).mark
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(breakers.Breaker.objects, "filter", lambda **_: type("Rows", (), {"first": lambda _: row})())
        with pytest.raises(BreakerOpen):
            breakers._ask(loser, 5)
    assert first().state == BreakerState.HALF_OPEN


def test_a_dead_probe_blocks_nobody_for_ever():
    due()
    breakers._ask(breakers.Pass(**FAR, key="k"), 5)
    Breaker.objects.update(probe_until=timezone.now())
    call()
    assert only().state == BreakerState.CLOSED


def test_a_probe_that_was_never_sent_is_given_back():
    due()
    with pytest.raises(StaleGoal), breakers.permitted("tool", "far", key="k", seconds=5):
        raise StaleGoal
    assert only().state == BreakerState.OPEN
    call()
    assert only().state == BreakerState.CLOSED


@pytest.mark.parametrize("error", [ValueError("a bug"), ModelTimeout("slow")])
def test_a_probe_that_found_nothing_out_is_given_back(error):
    due()
    call(error, patient=False)
    assert (only().state, only().openings) == ("open", 1)
    call()
    assert only().state == BreakerState.CLOSED


def test_what_is_remembered_holds_nobody_back():
    fail(3)
    Breaker.objects.update(state="closed", retry_at=None)
    call()


# -- goals ------------------------------------------------------------------------------------------------------


def acting(submit, **wishes):
    goal = submit("Act", verifier={"type": "llm"}, **wishes)
    step(goal, 0, "execute", {"instructions": "act"}, operation="think")
    return plan(goal)


def test_a_goal_sleeps_through_an_outage_and_loses_no_attempt(endpoint, submit, settle, settings):
    settings.GOALSITE_MAX_RETRIES = 0
    settings.GOALSITE_BREAKER_FAILURES = 1
    endpoint.script.update(act=[BUSY, BUSY, DONE], judge_outcome=MET)
    goal = settle(acting(submit))
    assert goal.status == GoalStatus.COMPLETED
    assert Subgoal.objects.get(goal=goal).attempts == 1
    slept = goal.events.filter(kind="subgoal.waiting")
    assert slept.count() >= 2
    assert "is left alone, until" in slept.first().payload["reason"]
    assert [call.status for call in ModelCall.objects.filter(goal=goal, purpose="act").order_by("created_at")] == [
        "failed",
        "failed",
        "succeeded",
    ]
    assert only().standing == Standing()
    assert rules.violations() == []


def test_a_goal_that_plans_sleeps_too_and_says_why(endpoint, submit, settle, settings):
    settings.GOALSITE_BREAKER_FAILURES = 1
    settings.GOALSITE_MAX_RETRIES = 0
    endpoint.script.update(plan_checkpoints=[BUSY])
    goal = submit()
    Slice(lambda: False, only=[goal.pk], linger=0.0).run()
    goal = Goal.objects.get(pk=goal.pk)
    assert (goal.status, goal.attempt) == (GoalStatus.PLANNING, 1)
    assert goal.wake_at > timezone.now() - timedelta(seconds=2)
    assert goal.reason.startswith(f"the endpoint {endpoint.url} is left alone, until")
    goal = settle(goal)
    assert goal.events.filter(kind="goal.planned").exists()
    assert "left alone" not in goal.reason


def test_a_verification_sleeps_too(endpoint, submit, settle, settings):
    settings.GOALSITE_BREAKER_FAILURES = 1
    settings.GOALSITE_MAX_RETRIES = 0
    endpoint.script.update(act=DONE, judge_outcome=[BUSY, MET, MET])
    goal = settle(acting(submit))
    assert goal.status == GoalStatus.COMPLETED
    assert "left alone" in goal.events.filter(kind="goal.waiting").first().payload["reason"]


def test_an_open_breaker_is_met_before_anything_is_spent(endpoint, submit):
    now = timezone.now()
    Breaker.objects.create(
        kind="endpoint", name=endpoint.url, state="open", failures=3, opened_at=now, retry_at=now + timedelta(hours=1)
    )
    goal = acting(submit)
    Slice(lambda: False, only=[goal.pk], linger=0.0).run()
    goal = Goal.objects.get(pk=goal.pk)
    assert (goal.status, goal.waits_for) == (GoalStatus.WAITING, "timer")
    assert endpoint.requests == []
    assert not ModelCall.objects.exists()
    assert all(row.used == row.reserved == 0 for row in goal.budgets.all())


def test_what_the_journal_has_is_taken_while_its_far_side_is_left_alone(planned, tool, settle):
    far = tool("far", EffectClass.PURE)
    goal = planned("far")
    drive, subgoal = at_first_step(goal)
    prepared = prepare(drive, subgoal, far, {"number": 0})
    with recording(drive, run(drive, subgoal, prepared, mark="use")):
        pass
    opened()
    assert run(drive, subgoal, prepared, mark="use").value.value == 1
    with pytest.raises(BreakerOpen):
        run(drive, subgoal, prepared, mark="another")
    assert len(far.keys) == 1


def test_a_tool_that_fails_is_left_alone_for_all_goals(planned, tool, settle, settings):
    settings.GOALSITE_MAX_RETRIES = 0
    settings.GOALSITE_BREAKER_FAILURES = 1
    answers = iter([ToolError("down", retryable=True)])

    def does(*_):
        for error in answers:
            raise error
        return 1

    far = tool("far", EffectClass.PURE, does)
    first, second = planned("far"), planned("far")
    Slice(lambda: False, only=[first.pk], linger=0.0).run()
    Slice(lambda: False, only=[second.pk], linger=0.0).run()
    assert {g.status for g in Goal.objects.all()} == {GoalStatus.WAITING}
    assert len(far.keys) == 1
    assert settle(first).status == settle(second).status == GoalStatus.COMPLETED
    assert set(Subgoal.objects.values_list("attempts", flat=True)) == {1}
    assert ToolCall.objects.filter(status="failed").count() == 1
    assert rules.violations() == []


def test_a_tool_of_this_machine_has_no_breaker(planned, tool, settle, settings):
    settings.GOALSITE_MAX_RETRIES = 0
    near = tool("near", EffectClass.PURE, lambda *_: (_ for _ in ()).throw(ToolTimeout("slow")))
    near.far_side = False
    settle(planned("near", limits={"model_calls": 1}))
    assert near.keys
    assert not Breaker.objects.filter(kind="tool").exists()


def test_retry_after_is_honoured_by_the_goal_and_by_the_breaker(endpoint, submit, settings):
    settings.GOALSITE_BREAKER_FAILURES = 1
    endpoint.script.update(act={"status": 429, "headers": {"Retry-After": "40"}})
    goal = acting(submit)
    Slice(lambda: False, only=[goal.pk], linger=0.0).run()
    assert len(endpoint.requests) == 1
    goal = Goal.objects.get(pk=goal.pk)
    assert timedelta(seconds=30) < goal.wake_at - timezone.now() < timedelta(seconds=46)
    assert only().retry_at - only().opened_at == timedelta(seconds=40)


# -- people -----------------------------------------------------------------------------------------------------


def test_an_operator_closes_it_and_what_sleeps_wakes(planned, tool, settle, django_user_model, settings):
    settings.GOALSITE_BREAKER_SECONDS = settings.GOALSITE_BREAKER_LONGEST_SECONDS = 3600
    settings.GOALSITE_BREAKER_FAILURES = 1
    answers = iter([ToolError("down", retryable=True)])
    tool("far", EffectClass.PURE, lambda *_: [raising(error) for error in answers])
    goal = planned("far")
    Slice(lambda: False, only=[goal.pk], linger=0.0).run()
    row = only()
    with pytest.raises(NotAllowed):
        operating.close_breaker(goal.owner, row.pk)
    root = django_user_model.objects.create_superuser("root")
    closed = operating.close_breaker(root, row.pk)
    assert (closed.state, closed.closed_by) == ("closed", root)
    assert goal.events.last().actor == root
    with pytest.raises(StaleGoal):
        operating.close_breaker(root, row.pk)
    with pytest.raises(NotFound):
        operating.close_breaker(root, "x")
    assert settle(goal).status == GoalStatus.COMPLETED
    assert services.find(root, goal.pk).reason != row.error


def raising(error):
    raise error
