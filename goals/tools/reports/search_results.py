"""What a search found, from `search_files`."""

from itertools import groupby
from typing import Any

from goals.tools.markdown import code, heading, inline, scalar, table
from goals.tools.reports.shape import expect, problems
from goals.tools.text import plural


def pieces(title: str, data: Any) -> list[str]:
    """How much was found, the files by number of matches, then every line."""
    data = expect(data, "search_results", "search_files", matches=list, by_file=list)
    matches = data["matches"]
    query = scalar(data.get("query"))
    shown = [heading(1, title or f"Search for {query}"), _verdict(data, query)]
    if not matches:
        return [*shown, *problems(data)]
    counts = sorted(data["by_file"], key=lambda f: (-int(f.get("matches") or 0), str(f.get("path"))))
    shown += [
        heading(2, "Files"),
        table(["File", "Matches"], [[code(f.get("path")), inline(f.get("matches"))] for f in counts]),
    ]
    shown.append(heading(2, "Matches"))
    for path, group in groupby(matches, key=lambda m: str(m.get("path"))):
        rows = [[str(m.get("line", "")), code(m.get("text"))] for m in group]
        shown += [heading(3, path), table(["Line", "Text"], rows)]
    return [*shown, *problems(data)]


def _verdict(data: dict[str, Any], query: str) -> str:
    where = f"{len(data['by_file'])} of {plural(data.get('files_searched', 0), 'file')} searched"
    found = plural(len(data["matches"]), "match")
    return f"Looked for {code(query)}: **{found}** in {where}."
