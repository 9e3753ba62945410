"""What one look of a watch comes to: whether it fires, and whether what it watches has stalled. Pure.

A look by a broken verifier says nothing: what was seen before it stays what was seen last.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from goals.states import Trigger, Verdict


@dataclass(frozen=True, slots=True)
class Seen:
    """What the last look that said something saw: whether it was met, a digest of what it read, and since when."""

    met: bool
    mark: str
    since: datetime
    stalled: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    """`fires` and `stalls` are true once for each time; `changed` is what is worth a line of history."""

    seen: Seen | None
    fires: bool = False
    stalls: bool = False
    changed: bool = False


def look(
    trigger: Trigger, stall_after: timedelta | None, before: Seen | None, verdict: Verdict, mark: str, now: datetime
) -> Look:
    """Return what a look is to be taken for; `mark` is a digest of what the verifier read, its verdict included."""
    if verdict == Verdict.BROKEN:
        return Look(before)
    met = verdict == Verdict.MET
    if before is None or mark != before.mark:
        rises = met and (before is None or not before.met)
        fires = rises if trigger == Trigger.MET else before is not None
        return Look(Seen(met, mark, now), fires=fires, changed=True)
    stalls = stall_after is not None and not before.stalled and now - before.since >= stall_after
    return Look(replace(before, stalled=before.stalled or stalls), stalls=stalls)
