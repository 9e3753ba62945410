"""How fast one socket may send."""

from goals.chat.pace import BURST, RATE, Pace


def test_a_burst_waits_for_nothing_and_what_follows_for_its_turn():
    pace = Pace(0.0)
    assert [pace.wait(0.0) for _ in range(BURST)] == [0.0] * BURST
    assert pace.wait(0.0) == 1 / RATE


def test_whoever_keeps_to_the_rate_never_waits():
    pace = Pace(0.0)
    assert not any(pace.wait(number / RATE) for number in range(1, 10 * BURST))


def test_a_rest_gives_back_a_burst_and_no_more():
    pace = Pace(0.0)
    assert [pace.wait(3600.0) for _ in range(BURST)] == [0.0] * BURST
    assert pace.wait(3600.0) > 0


def test_a_flood_is_over_when_half_a_burst_is_back():
    pace = Pace(0.0)
    pace.spend(BURST)
    pace.wait(1.0)
    assert not pace.is_calm
    pace.wait(4.0)
    assert pace.is_calm
