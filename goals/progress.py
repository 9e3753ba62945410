"""When a goal is going nowhere. Pure: counters in, verdicts out (DESIGN section 5, STYLE "guards that cannot fire")."""

from dataclasses import dataclass

REVISIONS_IN_A_ROW = 3


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One evaluation of progress by the judge. `score` is in 0..1."""

    on_track: bool
    revise: bool
    score: float


def next_streak(streak: int, evaluation: Evaluation) -> int:
    """Count evaluations in a row that asked for revision; only one that finds the goal on track resets the count."""
    if evaluation.on_track and not evaluation.revise:
        return 0
    return streak + 1 if evaluation.revise else streak


def is_stuck(streak: int) -> bool:
    return streak >= REVISIONS_IN_A_ROW


def next_repeat(previous_fingerprint: str, fingerprint: str, repeats: int) -> int:
    """Count how many times in a row the goal's verifier failed with the same fingerprint (1 is the first time)."""
    return repeats + 1 if fingerprint and fingerprint == previous_fingerprint else 1
