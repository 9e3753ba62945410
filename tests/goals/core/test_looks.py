"""What a look of a watch comes to."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goals.looks import look
from goals.states import Trigger, Verdict
from tests.goals.core.build import NOW

MET, UNMET, BROKEN = Verdict.MET, Verdict.UNMET, Verdict.BROKEN
MINUTE = timedelta(minutes=1)


def watched(trigger, looks_, stall_after=None):
    """The looks of a watch, one a minute; each is a verdict with a mark of what was read."""
    seen, found = None, []
    for number, (verdict, mark) in enumerate(looks_):
        found.append(look(trigger, stall_after, seen, verdict, f"{verdict}{mark}", NOW + number * MINUTE))
        seen = found[-1].seen
    return found


def fired(trigger, *looks_):
    return [number for number, one in enumerate(watched(trigger, looks_)) if one.fires]


def test_a_rising_edge_fires_once_until_it_has_fallen():
    assert fired(Trigger.MET, (UNMET, 1), (MET, 1), (MET, 2), (UNMET, 1), (MET, 1)) == [1, 4]


def test_what_is_met_at_the_first_look_fires_and_what_is_there_at_first_is_no_change():
    assert fired(Trigger.MET, (MET, 1)) == [0]
    assert fired(Trigger.CHANGE, (MET, 1), (MET, 1), (MET, 2), (UNMET, 2), (UNMET, 2)) == [2, 3]


@pytest.mark.parametrize("trigger", Trigger)
def test_a_look_by_a_broken_verifier_says_nothing(trigger):
    without = [(MET, 1), (MET, 1), (UNMET, 1), (MET, 1)]
    broken = [(MET, 1), (BROKEN, 9), (MET, 1), (BROKEN, 9), (UNMET, 1), (MET, 1)]
    edges = {Trigger.MET: ([0, 3], [0, 5]), Trigger.CHANGE: ([2, 3], [4, 5])}
    assert (fired(trigger, *without), fired(trigger, *broken)) == edges[trigger]


def test_what_does_not_change_has_stalled_once_until_it_changes():
    looks_ = watched(Trigger.MET, [(UNMET, 1)] * 5 + [(UNMET, 2)] * 4, 3 * MINUTE)
    assert [number for number, one in enumerate(looks_) if one.stalls] == [3, 8]
    assert [one.seen.stalled for one in looks_] == [False] * 3 + [True] * 2 + [False] * 3 + [True]
    assert not any(one.stalls for one in watched(Trigger.MET, [(UNMET, 1)] * 9))


marks = st.lists(st.tuples(st.sampled_from([MET, UNMET, BROKEN]), st.integers(1, 2)), max_size=12)


@given(marks, st.sampled_from(Trigger))
def test_only_what_is_news_fires(looks_, trigger):
    found = watched(trigger, looks_)
    assert all(one.changed for one in found if one.fires)
    assert not any(one.stalls and one.changed for one in found)
    if trigger == Trigger.MET:
        assert all(verdict == MET for (verdict, _), one in zip(looks_, found, strict=True) if one.fires)
