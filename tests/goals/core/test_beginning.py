"""Which effects are begun beside those in flight."""

from goals.decisions import Action, Perform
from goals.engine import begin

A, B, C = (Perform(Action.ACT, name) for name in "abc")


def test_all_that_can_run_is_begun_once():
    assert begin([A, B, C], [], []) == [A, B, C]
    assert begin([A, B, C], [B], []) == [A, C]


def test_what_is_held_back_waits_for_those_in_flight():
    assert begin([A, B], [A], [B]) == []
    assert begin([A, B, C], [A], [B]) == [C]
    assert begin([B, C], [], [B]) == [C]


def test_with_nothing_in_flight_one_that_was_held_back_is_tried_alone():
    assert begin([A, B], [], [A, B]) == [A]
    assert begin([B], [], [A, B]) == [B]
    assert begin([], [], [A]) == []
