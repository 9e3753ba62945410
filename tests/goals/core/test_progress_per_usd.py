"""Progress for the money: two dear steps in a row are too dear; one is not, and nothing free is."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goals.progress import DEAR_IN_A_ROW, Point, is_too_dear, next_dear_streak

FLOOR = Decimal("0.1")
scores = st.floats(0, 1)
steps = st.lists(st.tuples(scores, st.decimals(0, 10, places=2)), min_size=1, max_size=20)


def streaks(*scored, floor=FLOOR):
    """The streak after each evaluation of `(score, USD spent since the last)`."""
    points, streak, found, spent = [], 0, [], Decimal(0)
    for score, cost in scored:
        spent += Decimal(cost)
        points.append(Point(score, spent))
        streak = next_dear_streak(streak, points, floor)
        found.append(streak)
    return found


def test_two_steps_that_bring_too_little_for_their_money_are_too_dear():
    found = streaks((0.2, 1), (0.21, 1), (0.22, 1))
    assert found == [0, 1, 2]
    assert [is_too_dear(streak) for streak in found] == [False, False, True]


def test_one_bad_step_between_good_ones_is_not():
    assert streaks((0.2, 1), (0.2, 1), (0.4, 1), (0.4, 1), (0.6, 1)) == [0, 1, 0, 1, 0]


def test_what_cost_nothing_says_nothing_and_forgets_nothing():
    assert streaks((0.2, 1), (0.2, 0), (0.2, 0), (0.2, 0)) == [0, 0, 0, 0]
    assert streaks((0.2, 1), (0.2, 1), (0.2, 0), (0.2, 1)) == [0, 1, 1, 2]


def test_a_first_evaluation_has_gained_nothing_and_lost_nothing():
    assert streaks((0.9, 100)) == [0]


def test_a_high_start_hides_no_standstill():
    assert streaks((0.8, 1), (0.8, 5), (0.8, 5)) == [0, 1, 2]


def test_a_high_start_that_was_a_mistake_is_not_held_against_what_rises_since():
    assert streaks((0.9, 1), (0.4, 1), (0.55, 1), (0.7, 1)) == [0, 1, 0, 0]


def test_half_of_what_was_missing_is_enough_at_any_price():
    assert streaks((0.9, 1), (0.96, 5), (0.98, 5)) == [0, 0, 0]


def test_where_nothing_is_missing_nothing_is_to_be_gained():
    assert streaks((1.0, 1), (1.0, 5), (1.0, 5)) == [0, 0, 0]


def test_going_up_and_down_is_no_progress():
    assert streaks((0.3, 1), (0.5, 1), (0.3, 1), (0.5, 1)) == [0, 0, 1, 2]


@pytest.mark.parametrize("floor", [Decimal(0), Decimal(-1)])
def test_without_a_floor_nothing_is_too_dear(floor):
    assert streaks((0.2, 9), (0.1, 9), (0.0, 9), floor=floor) == [0, 0, 0]


@given(steps)
def test_it_takes_as_many_paid_steps_without_a_gain_in_a_row(history):
    found = streaks(*history)
    assert found == streaks(*history)
    for place, streak in enumerate(found):
        if is_too_dear(streak):
            paid = [cost for _, cost in history[1 : place + 1] if cost > 0]
            assert len(paid) >= DEAR_IN_A_ROW


@given(scores, st.lists(st.decimals("0.01", 10, places=2), min_size=2, max_size=10))
def test_a_goal_that_stands_still_below_the_top_is_found_after_two_paid_steps(score, costs):
    found = streaks((score, 1), *((score, cost) for cost in costs))
    assert found == ([0] * len(found) if score == 1 else list(range(len(found))))
