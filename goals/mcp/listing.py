"""What a server's list of tools comes to: each tool as it may be offered, or why not. Pure."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from goals.digests import digest
from goals.mcp import taming
from goals.mcp.taming import Untameable

LONGEST_NAME = 200
HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


@dataclass(frozen=True)
class Said:
    """A tool as its server told of it."""

    name: str
    description: str = ""
    schema: Any = None
    hints: dict[str, Any] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """Of all that is told of it, as it was told: what changes there changes what was let in."""
        return digest("mcp tool", self.name, self.description, json.dumps(self.schema, sort_keys=True))


@dataclass(frozen=True)
class Listed:
    """A tool as it may be offered; `refused` says why it cannot be."""

    said_name: str
    digest: str
    name: str = ""
    description: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    hints: dict[str, bool] = field(default_factory=dict)
    refused: str = ""


def listed(server: str, told: Iterable[Said]) -> list[Listed]:
    """Return what a server's tools come to, each of its names once."""
    found = [_listed(server, one) for one in told]
    times = Counter(one.said_name for one in found)
    same = Counter(one.name for one in found if not one.refused)
    once = {one.said_name: one for one in found}.values()
    return [_alone(one, times[one.said_name], same[one.name]) for one in once]


def _listed(server: str, said: Said) -> Listed:
    shown = taming.text(said.name, LONGEST_NAME) or "?"
    hints = {hint: said.hints[hint] for hint in HINTS if isinstance(said.hints.get(hint), bool)}
    description = taming.text(said.description, taming.LONGEST_DESCRIPTION) or shown
    plain = Listed(shown, said.digest, f"{server}.?", description, hints=hints)
    try:
        if shown != said.name or not said.name.isprintable():
            raise Untameable("its name is too long, or holds characters that are not shown")
        plain = replace(plain, name=taming.called(server, said.name))
        return replace(plain, parameters=taming.parameters(said.schema))
    except Untameable as why:
        return replace(plain, refused=str(why))


def _alone(one: Listed, times: int, same: int) -> Listed:
    if one.refused or (times == 1 and same == 1):
        return one
    twice, taken = "the server has two tools of this name", f"another of its tools would be called {one.name}, too"
    return replace(one, refused=twice if times > 1 else taken)
