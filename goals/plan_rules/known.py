"""What a plan is held against; it comes as data, so that the rules need no database."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

SHOWN = 30


@dataclass(frozen=True)
class Known:
    """The tools with the JSON schema of their input, the evidence there is, and how long the plan may be.

    Those that the tool policy has `denied` are not among the tools.

    A procedure was `reviewed` by a person: its verifiers may run on the host, its schemas may cost what they cost,
    and a required argument that nothing gives is asked for when its step comes. A model can mend its plan: it must.
    """

    tools: Mapping[str, Mapping[str, Any]]
    keys: frozenset[str] = field(default_factory=frozenset)
    most: int = 20
    reviewed: bool = False
    denied: frozenset[str] = frozenset()


def no_tool(name: Any, known: Known) -> str:
    """Why a tool of this name cannot be used."""
    why = "the tool policy denies" if name in known.denied else "there is no tool"
    return f"{why} {str(name)[:100]!r}; there are {listed(known.tools)}"


def listed(names: Iterable[str]) -> str:
    """The names in order, shortened, as the end of an error that says what is allowed."""
    found = sorted(names)
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return (", ".join(found[:SHOWN]) or "none") + more
