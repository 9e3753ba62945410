"""Tables for people, JSON lines for programs."""

import json
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from rich.cells import cell_len, set_cell_size

from goals.management.wording import one_line

GAP = "  "


def table(out: TextIO, heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write columns under their heads; on a terminal the last one ends at its edge. Nothing for no rows."""
    cells = [[one_line(cell) for cell in row] for row in rows]
    if not cells:
        return
    widths = [max(cell_len(row[number]) for row in (list(heads), *cells)) for number in range(len(heads) - 1)]
    edge = shutil.get_terminal_size().columns if out.isatty() else None
    for row in (list(heads), *cells):
        line = GAP.join([*map(set_cell_size, row, widths), row[-1]])
        out.write((set_cell_size(line, edge) if edge and cell_len(line) > edge else line).rstrip() + "\n")


def json_lines(out: TextIO, rows: Iterable[Any]) -> None:
    """Write one JSON object a line."""
    for row in rows:
        out.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")


def use_utf8(*, as_json: bool) -> None:
    """Let standard output take any letter: JSON is UTF-8, and a terminal that lacks a letter shows its number."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8" if as_json else None, errors="backslashreplace")
