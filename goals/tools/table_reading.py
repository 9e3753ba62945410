"""Rows out of delimited text of unknown making: the delimiter found, broken quoting survived, nothing lost."""

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

DELIMITERS = (",", ";", "\t", "|")
# A quoted cell may run over this many lines; beyond that its quotation mark was never closed.
_SPAN = 200
_MAX_CELL = 100_000
_SAMPLE = 300


@dataclass(frozen=True)
class Row:
    """One row: the line it begins at (from 1), its cells, what is wrong with it ("" for nothing), and how many of its
    cells had spaces around them."""

    line: int
    cells: tuple[str, ...]
    problem: str = ""
    stray_quotes: bool = False
    trimmed: int = 0


def read_rows(lines: list[str], delimiter: str) -> Iterator[Row]:
    """All rows. A row with a quotation mark that is never closed is one bad row of one line."""
    at = 0
    while at < len(lines):
        row, used = _next(lines, at, delimiter)
        at += used
        yield row


def _next(lines: list[str], at: int, delimiter: str) -> tuple[Row, int]:
    if len(lines[at]) > _MAX_CELL:
        return Row(at + 1, (lines[at][:200],), f"the line has more than {_MAX_CELL:,} characters"), 1
    following = map(lines.__getitem__, range(at, min(at + _SPAN, len(lines))))
    reader = csv.reader(following, delimiter=delimiter, strict=True)
    try:
        cells = next(reader, [])
        return _trimmed(at + 1, cells), max(reader.line_num, 1)
    except csv.Error as error:
        closed = "end of data" not in str(error) and lines[at].count('"') % 2 == 0
    cells = tuple(cell.strip().strip('"') for cell in lines[at].rstrip("\r\n").split(delimiter))
    if closed:
        loose = next(csv.reader([lines[at]], delimiter=delimiter, skipinitialspace=True), [])
        return _trimmed(at + 1, loose, stray_quotes=True), 1
    return Row(at + 1, cells, "a quotation mark is not closed"), 1


def _trimmed(line: int, cells: list[str], *, stray_quotes: bool = False) -> Row:
    bare = tuple(cell.strip() for cell in cells)
    return Row(line, bare, stray_quotes=stray_quotes, trimmed=sum(map(str.__ne__, bare, cells)))


def sniff(lines: list[str]) -> str:
    """The delimiter under which most of the first rows have the same number of cells, and more than one."""
    scores = {d: _score(lines[:_SAMPLE], d) for d in (*DELIMITERS, ":")}
    best = max(DELIMITERS, key=lambda d: scores[d])
    if scores[best] > (0.0, 0):
        return best
    return ":" if scores[":"] > (0.9, 1) else ","


def _score(lines: list[str], delimiter: str) -> tuple[float, int]:
    counts = Counter(len(row.cells) for row in read_rows(lines, delimiter) if any(row.cells))
    total = sum(counts.values())
    usual, often = max(counts.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
    if usual < 2 or not total:
        return (0.0, 0)
    return (often / total, usual)


def usual_width(rows: list[Row]) -> int:
    """How many cells most rows have."""
    counts = Counter(len(row.cells) for row in rows[:1000] if any(row.cells) and not row.problem)
    return max(counts, key=lambda width: (counts[width], width), default=0)
