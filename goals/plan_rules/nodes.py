"""One node of a plan as the rules look at it, whatever shape it came in: a field of the wrong type counts as empty."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from goals.states import Predicate

ASKING = frozenset({Predicate.GATHER_INFO, Predicate.CONFIRM})
WORKING = frozenset({Predicate.EXECUTE, Predicate.COMPOSITE})


@dataclass(frozen=True)
class Node:
    """`path` is its place in the plan, such as `checkpoints[2]`; `raw` the JSON object that stands there."""

    path: str
    number: int
    raw: Mapping[str, Any]

    def text(self, name: str) -> str:
        value = self.raw.get(name)
        return value if isinstance(value, str) else ""

    def items(self, name: str) -> Sequence[Any]:
        value = self.raw.get(name)
        return value if isinstance(value, list | tuple) else ()

    @property
    def title(self) -> str:
        return self.text("title") or self.text("gloss")

    @property
    def predicate(self) -> str:
        return self.text("predicate")

    @cached_property
    def args(self) -> Mapping[str, Any]:
        value = self.raw.get("args")
        return value if isinstance(value, dict) else {}

    @cached_property
    def conditions(self) -> list[tuple[str, Mapping[str, Any]]]:
        """Each condition with its path."""
        found = enumerate(self.items("done_when"))
        return [(f"{self.path}.done_when[{n}]", item) for n, item in found if isinstance(item, dict)]

    @cached_property
    def depends_on(self) -> list[int]:
        return [d for d in self.items("depends_on") if isinstance(d, int) and not isinstance(d, bool)]

    @property
    def key(self) -> str:
        """The evidence key that the node declares, by `evidence_key` or as the key of what it asks."""
        asked = self.args.get("key") if self.predicate in ASKING else None
        return self.text("evidence_key") or (asked if isinstance(asked, str) else "")

    @cached_property
    def made(self) -> frozenset[str]:
        """The names of the artifacts that the node leaves."""
        outputs = {str(item.get("name", "")) for item in self.items("outputs") if isinstance(item, dict)}
        return frozenset({self.key, *outputs} - {""})

    @property
    def needed(self) -> list[str]:
        """The keys that its conditions wait for."""
        return [str(c.get("key", "")) for _, c in self.conditions if c.get("kind") == "has_evidence"]


def nodes_of(field: str, drafts: Sequence[Any]) -> list[Node]:
    return [Node(f"{field}[{n}]", n, raw if isinstance(raw, dict) else {}) for n, raw in enumerate(drafts)]
