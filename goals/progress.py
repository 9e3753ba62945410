"""When a goal is going nowhere. Pure: counters in, verdicts out (DESIGN section 5, STYLE "guards that cannot fire")."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

REVISIONS_IN_A_ROW = 3
DEAR_IN_A_ROW = 2
ENOUGH_OF_WHAT_IS_MISSING = 0.5


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One evaluation of progress by the judge. `score` is in 0..1; `asked` says that somebody's words led to it."""

    on_track: bool
    revise: bool
    score: float
    asked: bool = False


@dataclass(frozen=True, slots=True)
class Point:
    """A score (0..1) and the USD that the goal had used when it was given."""

    score: float
    cost_usd: Decimal


def next_streak(streak: int, evaluation: Evaluation) -> int:
    """Count evaluations in a row that asked for revision; only one that finds the goal on track resets the count.

    A change that somebody asked for says nothing about the progress.
    """
    if evaluation.on_track and not evaluation.revise:
        return 0
    return streak + 1 if evaluation.revise and not evaluation.asked else streak


def is_stuck(streak: int) -> bool:
    return streak >= REVISIONS_IN_A_ROW


def next_dear_streak(streak: int, points: Sequence[Point], floor: Decimal) -> int:
    """Count evaluations in a row that found too little gained for what was spent since the one before.

    `points` are the goal's, oldest first, the new one last; `floor` is the score per USD that is wanted, 0 for none.
    Where nothing was spent nothing can be said: the count stays.
    """
    if floor <= 0 or len(points) < 2 or points[-1].cost_usd <= points[-2].cost_usd:
        return streak
    return streak + 1 if _is_dear(points, floor) else 0


def is_too_dear(streak: int) -> bool:
    return streak >= DEAR_IN_A_ROW


def _is_dear(points: Sequence[Point], floor: Decimal) -> bool:
    """Whether the last step gained less than the floor wants; half of what was missing is enough at any price."""
    spent = points[-1].cost_usd - points[-2].cost_usd
    best = _best_since_the_lowest([point.score for point in points[:-1]])
    gained = points[-1].score - best
    return gained < float(floor * spent) and gained < (1 - best) * ENOUGH_OF_WHAT_IS_MISSING


def _best_since_the_lowest(scores: Sequence[float]) -> float:
    """Return what a gain is measured from: neither a score that was too high at first, nor a dip that is made up for.

    Scores that go up and down between two values gain nothing; scores that rise from a correction do.
    """
    lowest = min(range(len(scores)), key=scores.__getitem__)
    return max(scores[lowest:])


def next_repeat(previous_fingerprint: str, fingerprint: str, repeats: int) -> int:
    """Count how many times in a row the goal's verifier failed with the same fingerprint (1 is the first time)."""
    return repeats + 1 if fingerprint and fingerprint == previous_fingerprint else 1
