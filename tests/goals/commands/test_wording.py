"""What a terminal shows of texts from outside, and amounts as people write them."""

import pytest

from goals.management.wording import one_line, printable, words
from goals.models import Event


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mb", "a\ufffd[31mb"),
        ("\x9b2J", "\ufffd2J"),
        ("bell\x07", "bell\ufffd"),
        ("gnp\u202eexe", "gnp\ufffdexe"),
        ("two\nlines\tand tab", "two\nlines\tand tab"),
        ("Größe 目標 🎯", "Größe 目標 🎯"),
    ],
)
def test_nothing_that_steers_a_terminal_is_shown(text, shown):
    assert printable(text) == shown
    assert "\x1b" not in one_line(text)


def test_amounts_of_the_budget_are_written_plainly():
    payload = {"resource": "cost_usd", "used": "0.800000", "limit": "1.000000"}
    assert [*words(Event(kind="budget.warning", payload=payload))] == ["cost_usd: 0.8 of 1 are used"]
    payload = {"resource": "cost_usd", "overrun": "0.000400", "limit": "5.000000"}
    assert [*words(Event(kind="budget.exceeded", payload=payload))] == ["cost_usd: 0.0004 more than 5"]
