"""PURE: small bar charts as figures for an SVG: where each bar stands and how high it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

WIDTH, HEIGHT, GAP = 480, 96, 4
LEAST = 2  # the height of a bar that is not nothing


@dataclass(frozen=True)
class Bar:
    """`other` stands on top of `value`, hatched: colour never says it alone."""

    at: datetime
    value: float
    other: float
    words: str


@dataclass(frozen=True)
class Drawn:
    """A bar in the chart's own units, from the top left."""

    x: float
    width: float
    y: float
    height: float
    other_y: float
    other_height: float
    words: str


@dataclass(frozen=True)
class Chart:
    """`words` say in a line what the bars show."""

    title: str
    words: str
    bars: Sequence[Drawn]
    ticks: Sequence[tuple[float, str]]
    width: int = WIDTH
    height: int = HEIGHT

    @property
    def is_empty(self) -> bool:
        return not any(bar.height or bar.other_height for bar in self.bars)


def bars(title: str, words: str, given: Sequence[Bar]) -> Chart:
    """Return a chart whose highest bar fills it."""
    step = WIDTH / max(1, len(given))
    most = max((bar.value + bar.other for bar in given), default=0) or 1
    drawn = []
    for number, bar in enumerate(given):
        height, other = _height(bar.value, most), _height(bar.other, most)
        height -= max(0.0, height + other - HEIGHT)
        top = HEIGHT - height
        drawn.append(Drawn(number * step, step - GAP, top, height, top - other, other, bar.words))
    ticks = [(number * step, f"{bar.at:%H}:00") for number, bar in enumerate(given) if bar.at.hour % 6 == 0]
    return Chart(title, words, drawn, ticks)


def _height(value: float, most: float) -> float:
    return max(LEAST, round(HEIGHT * value / most, 1)) if value > 0 else 0.0
