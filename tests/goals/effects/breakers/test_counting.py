"""What counts for a breaker: what speaks of the far side."""

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from goals.effects import breakers
from goals.exceptions import BreakerOpen
from goals.llm.errors import ModelRejected, ModelTimeout, ModelUnavailable
from goals.models import Breaker
from goals.states import BreakerState
from goals.tools.errors import OutcomeUnknown, ToolError, ToolInputError, ToolTimeout
from tests.goals.effects.breakers.far import call, fail, only


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
    [
        ModelRejected("400"),
        ToolInputError("wrong", retryable=True),
        ToolError("no such page"),
        ValueError("a bug of ours"),
    ],
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


@pytest.mark.parametrize("error", [None, ModelUnavailable("503")])
def test_what_a_call_came_to_does_not_depend_on_whether_its_breaker_could_be_told(error, monkeypatch, caplog):
    fail()

    def gone(*_):
        raise OperationalError("the server closed the connection")

    monkeypatch.setattr(breakers.rows, "execute", gone)
    call(error)
    assert "a breaker could not be told" in caplog.text
