"""The table of moves: closed, drawn, and left only by its own door."""

import pytest

from goals import states
from goals.states import (
    MOVES,
    REARM,
    TERMINAL,
    CheckpointStatus,
    GoalStatus,
    Kind,
    SubgoalStatus,
    is_legal,
    is_terminal,
)

ENUMS = {Kind.GOAL: GoalStatus, Kind.CHECKPOINT: CheckpointStatus, Kind.SUBGOAL: SubgoalStatus}
EVERY_PAIR = [(kind, a, b) for kind, enum in ENUMS.items() for a in enum for b in enum]


@pytest.mark.parametrize("kind", list(Kind))
def test_the_table_names_every_status_and_only_those(kind):
    assert set(MOVES[kind]) == set(ENUMS[kind])
    assert set().union(*MOVES[kind].values()) <= set(ENUMS[kind])


@pytest.mark.parametrize(("kind", "before", "after"), EVERY_PAIR)
def test_a_move_is_legal_exactly_when_the_table_has_it(kind, before, after):
    assert is_legal(kind, before, after) == (after in MOVES[kind][before])
    assert is_legal(kind, before.value, after.value) == is_legal(kind, before, after)


@pytest.mark.parametrize("kind", list(Kind))
def test_no_row_of_the_table_stays_where_it_is(kind):
    assert not any(before in afters for before, afters in MOVES[kind].items())


def test_the_ends_are_those_of_the_design():
    assert TERMINAL[Kind.GOAL] == {"completed", "failed", "cancelled"}
    assert TERMINAL[Kind.CHECKPOINT] == {"completed", "failed", "skipped"}
    assert TERMINAL[Kind.SUBGOAL] == {"achieved", "abandoned", "skipped"}


@pytest.mark.parametrize("kind", list(Kind))
def test_a_terminal_status_has_no_move_at_all(kind):
    for status in TERMINAL[kind]:
        assert is_terminal(kind, status)
        assert not any(is_legal(kind, status, after) for after in ENUMS[kind])


@pytest.mark.parametrize("kind", list(Kind))
def test_every_status_can_be_reached_and_can_reach_an_end(kind):
    first = next(iter(MOVES[kind]))
    assert _reach(kind, first) == set(ENUMS[kind])
    for status in ENUMS[kind]:
        assert _reach(kind, status) & TERMINAL[kind]


def _reach(kind, status):
    found, queue = {status}, [status]
    while queue:
        new = MOVES[kind][queue.pop()] - found
        found |= new
        queue += new
    return found


@pytest.mark.parametrize("status", ["planning", "active", "waiting", "paused"])
def test_every_living_goal_can_be_cancelled(status):
    assert is_legal(Kind.GOAL, status, "cancelled")


def test_rearm_is_a_door_of_its_own_from_every_end():
    assert TERMINAL[Kind.GOAL] == REARM
    assert not any(is_legal(Kind.GOAL, status, "active") for status in REARM)


def test_an_unknown_status_goes_nowhere():
    assert not is_legal(Kind.GOAL, "nowhere", "active")


@pytest.mark.parametrize("kind", list(Kind))
def test_the_diagram_shows_every_move_of_the_table_and_no_other(kind):
    lines = {line.strip() for line in states.mermaid(kind).splitlines()[1:]}
    moves = {f"{a} --> {b}" for a, afters in MOVES[kind].items() for b in afters}
    ends = {f"{status} --> [*]" for status in TERMINAL[kind]}
    rearms = {f"{status} --> active: rearm" for status in REARM} if kind is Kind.GOAL else set()
    first = {f"[*] --> {next(iter(MOVES[kind]))}"}
    assert lines == moves | ends | rearms | first


@pytest.mark.parametrize(
    "row", [{GoalStatus.PLANNING: frozenset({"planning"})}, {GoalStatus.PLANNING: frozenset({"nowhere"})}]
)
def test_a_malformed_table_fails_at_import(monkeypatch, row):
    monkeypatch.setitem(states.MOVES, Kind.GOAL, {**MOVES[Kind.GOAL], **row})
    with pytest.raises(ValueError, match="bad row"):
        states._check()


def test_a_table_that_forgets_a_status_fails_at_import(monkeypatch):
    short = {status: afters for status, afters in MOVES[Kind.GOAL].items() if status != GoalStatus.PAUSED}
    monkeypatch.setitem(states.MOVES, Kind.GOAL, short)
    with pytest.raises(ValueError, match="every status"):
        states._check()
