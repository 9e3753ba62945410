"""The goals' history as log lines, for those who collect logs: what was written is said, once it is written."""

import logging
from collections.abc import Iterable, Mapping
from typing import Any

logger = logging.getLogger("goals.history")
IDS = ("subgoal", "checkpoint", "call", "question", "artifact")
TOLD = ("status", "outcome", "tool", "purpose", "model", "seconds", "cost_usd", "reason", "error", "for")
LONGEST = 300


def log(goal: Any, events: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    """Log each event with the ids that it names; answers, arguments and prompts stay in the database."""
    if not logger.isEnabledFor(logging.INFO):
        return
    for kind, payload in events:
        facts = {"goal": str(goal.pk)}
        facts |= {name: payload[name] for name in IDS if payload.get(name)}
        facts |= {name: _short(payload[name]) for name in TOLD if payload.get(name) not in (None, "")}
        logger.info(kind, extra={"facts": facts})


def _short(value: Any) -> Any:
    return value[:LONGEST] if isinstance(value, str) else value
