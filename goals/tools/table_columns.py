"""Names of a table's columns, and whether its first row gives them."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence

from goals.tools.table_values import is_missing, reads_as_value


def names_of(header: Sequence[str], width: int) -> list[str]:
    """Lower-case names of letters, digits and underscores, each once; a column without a name is `column_N`."""
    names: list[str] = []
    for position in range(width):
        given = header[position] if position < len(header) else ""
        text = unicodedata.normalize("NFKC", given).strip().lower()
        name = re.sub(r"\W+", "_", text).strip("_")[:60] or f"column_{position + 1}"
        if name[0].isdigit():
            name = f"column_{name}"
        names.append(_unused(name, names))
    return names


def _unused(name: str, taken: Sequence[str]) -> str:
    candidate, number = name, 2
    while candidate in taken:
        candidate, number = f"{name}_{number}", number + 1
    return candidate


def repeated(header: Sequence[str], names: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Each name that the header gives more than once, with what those columns are called instead."""
    called: dict[str, list[str]] = defaultdict(list)
    for given, name in zip(header, names, strict=False):
        if given:
            called[given].append(name)
    return [(given, new) for given, new in called.items() if len(new) > 1]


def is_header(cells: Sequence[str]) -> bool:
    """Whether a first row looks like names: no numbers, no dates, hardly a blank. A name may stand there twice."""
    filled = [cell for cell in cells if not is_missing(cell)]
    return len(filled) >= max(1, len(cells) / 2) and not any(map(reads_as_value, filled))
