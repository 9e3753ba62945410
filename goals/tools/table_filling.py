"""One column being filled: its values made from cells, and a count of everything that was not plain."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from goals.tools.table_kinds import Kind, Misfit, Otherwise
from goals.tools.table_values import is_missing
from goals.tools.text import shorten

LISTED_OF_A_COLUMN = 20
_EXAMPLES = 3


@dataclass
class Column:
    """Counts are of cells; `emptied` and `kept` are the spellings of a missing value that became null, or did not."""

    name: str
    original: str
    kind: Kind
    filled: int = 0
    empty: int = 0
    examples: list[str] = field(default_factory=list)
    emptied: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    misfits: list[dict[str, Any]] = field(default_factory=list)
    misfit_count: int = 0
    otherwise: dict[str, dict[str, Any]] = field(default_factory=dict)

    def take(self, line: int, cell: str) -> Any:
        """The value of one cell; what does not fit stays the text that it is."""
        if self.kind.empties(cell):
            self.empty += 1
            if cell:
                self.emptied[cell] += 1
            return None
        if is_missing(cell):
            self.kept[cell] += 1
        self.filled += 1
        value = self.kind.read(cell)
        if isinstance(value, Misfit):
            self._refuse(line, cell, value)
            return cell
        if isinstance(value, Otherwise):
            first = {"column": self.name, "format": value.form, "count": 0, "line": line, "value": cell}
            self.otherwise.setdefault(value.form, first | {"became": value.value})["count"] += 1
            value = value.value
        if len(self.examples) < _EXAMPLES and (shown := shorten(str(value), 60)) not in self.examples:
            self.examples.append(shown)
        return value

    def _refuse(self, line: int, cell: str, misfit: Misfit) -> None:
        self.misfit_count += 1
        if len(self.misfits) < LISTED_OF_A_COLUMN:
            told = {"line": line, "column": self.name, "value": shorten(cell, 200), "problem": misfit.problem}
            self.misfits.append(told)

    def described(self) -> dict[str, Any]:
        """What is known of it; `filled` and `empty` together are all records."""
        named = {"name": self.name, "original": self.original, "type": self.kind.name}
        counts = {"filled": self.filled, "empty": self.empty, "misfits": self.misfit_count}
        return named | counts | {"examples": self.examples}
