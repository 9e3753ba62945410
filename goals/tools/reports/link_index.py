"""The index of Markdown links, from `index_markdown_links` (or from `search_files` with a pattern of two groups)."""

from itertools import groupby
from typing import Any

from goals.tools.markdown import code, heading, inline, table
from goals.tools.reports.shape import expect, problems
from goals.tools.text import plural


def pieces(title: str, data: Any) -> list[str]:
    """Counts, broken links first, then the links of each file."""
    if isinstance(data, dict) and "links" not in data and isinstance(data.get("matches"), list):
        data = data | {"links": [_from_match(m) for m in data["matches"] if isinstance(m, dict)]}
    data = expect(data, "link_index", "index_markdown_links", links=list)
    links = data["links"]
    broken = [link for link in links if link.get("exists") is False]
    shown = [heading(1, title or "Links"), _verdict(links, broken)]
    if broken:
        rows = [
            [code(k.get("path")), str(k.get("line", "")), inline(k.get("text")), code(k.get("target"))] for k in broken
        ]
        shown += [heading(2, "Broken links"), table(["File", "Line", "Text", "Points at"], rows)]
    shown += [heading(2, "All links")] if links else []
    for path, group in groupby(links, key=lambda link: str(link.get("path"))):
        rows = [[str(k.get("line", "")), inline(k.get("text")), code(k.get("target")), _state(k)] for k in group]
        shown += [heading(3, path), table(["Line", "Text", "Target", "Kind"], rows)]
    return [*shown, *problems(data)]


def _from_match(match: dict[str, Any]) -> dict[str, Any]:
    groups = [g for g in match.get("groups") or [] if g] or [match.get("text", "")]
    link = {"path": match.get("path"), "line": match.get("line"), "text": groups[0], "target": groups[-1]}
    return link | {"kind": "", "exists": None}


def _verdict(links: list[dict[str, Any]], broken: list[dict[str, Any]]) -> str:
    files = len({str(link.get("path")) for link in links})
    state = f"**{plural(len(broken), 'broken link')}**." if broken else "None is known to be broken."
    return f"{plural(len(links), 'link')} in {plural(files, 'file')}. {state}"


def _state(link: dict[str, Any]) -> str:
    kind = inline(link.get("kind"))
    return f"{kind}, **missing**" if link.get("exists") is False else kind
