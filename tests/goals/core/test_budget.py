"""Budget arithmetic: `used + reserved <= limit` under any sequence, and nothing spent is forgotten."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goals.budget import ZERO, Line, crossed_warning, figure, is_held, refusals, settled
from goals.states import Resource

amounts = st.decimals(0, 50, places=2)
limits = st.none() | st.decimals(0, 100, places=2)
steps = st.lists(st.tuples(st.booleans(), amounts), max_size=40)


def _drive(limit, history):
    """Reserve or settle in turn, as the shell does: a reservation is made only where it is allowed."""
    line, open_ones, spent = Line(Resource.COST_USD, limit), [], ZERO
    for is_settlement, amount in history:
        if is_settlement and open_ones:
            reserved = open_ones.pop(0)
            line, spent = settled(line, reserved, amount), spent + amount
        elif line.allows(amount):
            line = replace(line, reserved=line.reserved + amount)
            open_ones.append(amount)
        yield line, open_ones, spent


@given(limits, steps)
def test_used_and_reserved_never_exceed_the_limit(limit, history):
    for line, _, _ in _drive(limit, history):
        assert line.used >= 0
        assert line.reserved >= 0
        assert line.limit is None or line.used + line.reserved <= line.limit


@given(limits, steps)
def test_what_is_reserved_is_what_is_still_open(limit, history):
    for line, open_ones, _ in _drive(limit, history):
        assert line.reserved == sum(open_ones, ZERO)


@given(limits, steps)
def test_what_was_spent_is_counted_up_to_the_limit(limit, history):
    used = ZERO
    for line, _, spent in _drive(limit, history):
        assert used <= line.used <= spent
        if line.limit is None:
            assert line.used == spent
        used = line.used


@given(limits, st.lists(st.tuples(amounts, st.decimals(0, 1, places=2)), max_size=40))
def test_use_that_keeps_to_its_reservations_is_counted_to_the_cent(limit, history):
    line, spent = Line(Resource.COST_USD, limit), ZERO
    for reserved, share in history:
        if line.allows(reserved):
            line = settled(replace(line, reserved=reserved), reserved, reserved * share)
            spent += reserved * share
    assert line.used == spent


def test_use_within_the_reservation_is_counted_exactly():
    line = replace(Line(Resource.TOKENS, Decimal(100)), reserved=Decimal(40))
    assert settled(line, Decimal(40), Decimal(25)) == Line(Resource.TOKENS, Decimal(100), Decimal(25), ZERO)


def test_use_beyond_the_reservation_takes_what_is_left_but_no_reservation_of_others():
    line = Line(Resource.TOKENS, Decimal(100), used=Decimal(50), reserved=Decimal(40))
    assert settled(line, Decimal(10), Decimal(90)) == Line(Resource.TOKENS, Decimal(100), Decimal(70), Decimal(30))


def test_a_reservation_settled_twice_gives_nothing_back_twice():
    line = replace(Line(Resource.TOKENS, Decimal(100)), reserved=Decimal(10))
    assert settled(settled(line, Decimal(10), ZERO), Decimal(10), ZERO).reserved == ZERO


def test_a_limit_of_zero_allows_only_nothing():
    line = Line(Resource.COST_USD, ZERO)
    assert line.allows(ZERO)
    assert not line.allows(Decimal("0.01"))


def test_no_limit_allows_everything():
    assert Line(Resource.COST_USD, None).left is None
    assert Line(Resource.COST_USD, None).allows(Decimal(10**9))


def test_the_last_of_the_budget_can_be_reserved_and_not_a_cent_more():
    line = Line(Resource.COST_USD, Decimal(1), used=Decimal("0.4"), reserved=Decimal("0.1"))
    assert line.allows(Decimal("0.5"))
    assert not line.allows(Decimal("0.51"))


def test_a_refusal_names_every_line_that_is_short():
    lines = [Line(Resource.TOKENS, Decimal(10)), Line(Resource.COST_USD, Decimal(1)), Line(Resource.SECONDS, None)]
    asked = {Resource.TOKENS: Decimal(11), Resource.COST_USD: Decimal(1), Resource.SECONDS: Decimal(99)}
    assert [line.resource for line in refusals(lines, asked)] == [Resource.TOKENS]


@given(st.none() | amounts, amounts, amounts)
def test_the_warning_comes_once_when_four_fifths_are_passed(limit, first, more):
    before, after = first, first + more
    warned = crossed_warning(limit, before, after)
    assert warned == (limit is not None and limit > 0 and before < limit * Decimal("0.8") <= after)
    assert not crossed_warning(limit, after, after)


@pytest.mark.parametrize(
    ("amount", "written"), [("1.000000", "1"), ("0.000000", "0"), ("4E-7", "0.0000004"), ("1E+3", "1000")]
)
def test_an_amount_is_written_without_exponent_or_trailing_zeros(amount, written):
    assert figure(Decimal(amount)) == written


@given(st.decimals(0, 100, places=2), amounts, amounts, amounts, amounts)
def test_a_refusal_is_held_exactly_when_what_siblings_reserved_would_do(limit, used, siblings, others, wanted):
    line = Line(Resource.COST_USD, limit, used, siblings + others)
    refused = refusals([line], {Resource.COST_USD: wanted})
    held = is_held(refused, {Resource.COST_USD: wanted}, {Resource.COST_USD: siblings})
    assert held is (not refused or used + others + wanted <= limit)
