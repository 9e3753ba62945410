"""What an event adds to the site's figures. PURE: an event in, amounts out."""

from collections.abc import Iterator, Mapping
from typing import Any

Labels = tuple[tuple[str, str], ...]
Amount = tuple[str, Labels, float]

SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)  # the upper bounds of a histogram's buckets
EFFECTS = {"model.called": ("model", "purpose"), "tool.called": ("tool", "tool"), "tool.unknown": ("tool", "tool")}
ENDS = {"goal.completed", "goal.failed", "goal.cancelled"}
LONGEST_LABEL = 100


def measures(kind: str, payload: Mapping[str, Any]) -> Iterator[Amount]:
    """Yield (name, labels, amount) for an event of a goal; amounts are added up, never replaced."""
    yield "events", (("kind", kind),), 1.0
    if kind in ENDS:
        yield "goals_ended", (("outcome", _label(payload.get("outcome") or kind.removeprefix("goal."))),), 1.0
    if kind in EFFECTS:
        yield from _effect(kind, payload)


def _effect(kind: str, payload: Mapping[str, Any]) -> Iterator[Amount]:
    effect, named_by = EFFECTS[kind]
    of_kind = ("kind", effect)
    yield "effects", (of_kind, ("name", _label(payload.get(named_by))), ("outcome", _label(payload.get("status")))), 1.0
    yield from _histogram("effect_seconds", (of_kind,), float(payload.get("seconds") or 0))
    if effect == "model":
        model = ("model", _label(payload.get("model")))
        yield "spent_usd", (model,), float(payload.get("cost_usd") or 0)
        for direction in ("input", "output"):
            yield "tokens", (model, ("direction", direction)), float(payload.get(f"{direction}_tokens") or 0)


def _histogram(name: str, labels: Labels, seconds: float) -> Iterator[Amount]:
    """Yield one observation: the first bucket that holds it, the sum and the count."""
    bound = next((str(bound) for bound in SECONDS if seconds <= bound), "+Inf")
    yield f"{name}_bucket", (*labels, ("le", bound)), 1.0
    yield f"{name}_sum", labels, seconds


def _label(value: Any) -> str:
    return str(value or "")[:LONGEST_LABEL]
