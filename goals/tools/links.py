"""`index_markdown_links`: every link of the Markdown files, and whether the files they point at are there."""

import posixpath
import re
from typing import Any
from urllib.parse import unquote

from pydantic import Field

from goals.tools.base import OutputSpec, Tool, ToolContext, ToolInput, ToolResult
from goals.tools.errors import ToolError, ToolInputError
from goals.tools.text import decode, is_binary, lines_of, plural, shorten
from goals.tools.tree import in_folder, walk

MAX_FILE_BYTES = 4 * 1024 * 1024
_LINE = 4000
# [text](target "title"), [name]: target, <https://…>. No nested quantifiers, so the time is bounded by the line.
_INLINE = re.compile(
    r"(!?)\[([^\[\]]{0,500})\]\(\s*<?([^()<>\s]{1,1000}(?:\([^()\s]{0,200}\)[^()<>\s]{0,500})?)>?[^()]{0,300}\)"
)
_DEFINITION = re.compile(r"^ {0,3}\[([^\[\]]{1,200})\]:\s+<?(\S{1,1000}?)>?(?:\s|$)")
_BARE = re.compile(r"<(https?://[^<>\s]{1,1000})>")
_FENCE = re.compile(r"^\s{0,3}(```|~~~)")
_CODE = re.compile(r"`[^`]{0,500}`")


class IndexMarkdownLinksInput(ToolInput):
    path: str = Field(".", min_length=1, max_length=4096, description="Folder to look in, relative to the workspace")
    pattern: str = Field("*.md", min_length=1, max_length=500, description="Glob of the Markdown files")
    max_links: int = Field(5000, ge=1, le=20_000)


class IndexMarkdownLinks(Tool):
    name = "index_markdown_links"
    description = (
        "Index the links of Markdown files. Gives {links: [{path, line, text, target, kind, exists}], count, broken, "
        "files, by_kind, problems, truncated}; exists tells for links to files whether they are there, else null."
    )
    Input = IndexMarkdownLinksInput
    far_side = False
    outputs = (OutputSpec("link_list", "data", "Links of the Markdown files, broken ones apart"),)

    def run(self, input: IndexMarkdownLinksInput, context: ToolContext) -> ToolResult:
        """Read each file's links; only links to files are checked, nothing is fetched."""
        listing = walk(context, input.path, pattern=input.pattern)
        links: list[dict[str, Any]] = []
        read = 0
        for entry in listing.files:
            context.check_deadline()
            if len(links) > input.max_links:
                break
            try:
                data = context.workspace.read_bytes(entry.path, limit=MAX_FILE_BYTES)
            except ToolError as error:
                listing.problem(entry.path, str(error))
                continue
            if is_binary(data):
                listing.problem(entry.path, "is binary")
                continue
            read += 1
            links += [_judge(context, entry.path, link) for link in find_links(decode(data).text)]
        if not read:
            raise ToolInputError(
                f"There are no Markdown files {in_folder(input.path)}: {input.pattern} was looked for."
            )
        shown = links[: input.max_links]
        kinds = sorted({link["kind"] for link in shown})
        value = {
            "links": shown,
            "count": len(shown),
            "broken": [link for link in shown if link["exists"] is False],
            "files": read,
            "by_kind": [{"kind": kind, "links": sum(1 for x in shown if x["kind"] == kind)} for kind in kinds],
            "problems": listing.problems,
            "truncated": listing.truncated or len(links) > len(shown),
        }
        said = f"{plural(len(shown), 'link')} in {plural(read, 'file')}, {len(value['broken'])} broken."
        return ToolResult(value, said, untrusted=True)


def find_links(text: str) -> list[dict[str, Any]]:
    """The links {line, text, target} of one Markdown text; code is not looked into."""
    found: list[dict[str, Any]] = []
    fenced = ""
    for number, line in enumerate(lines_of(text), 1):
        fence = _FENCE.match(line)
        if fence:
            fenced = "" if fenced == fence[1] else fenced or fence[1]
            continue
        if not fenced:
            found += [{"line": number, "text": t, "target": target} for t, target in _links(line[:_LINE])]
    return found


def _links(line: str) -> list[tuple[str, str]]:
    definition = _DEFINITION.match(line)
    if definition:
        return [(definition[1], definition[2])]
    line = _CODE.sub(lambda m: " " * len(m[0]), line)
    links = [(m[2].strip(), m[3]) for m in _INLINE.finditer(line)]
    return links + [(m[1], m[1]) for m in _BARE.finditer(line)]


def _judge(context: ToolContext, path: str, link: dict[str, Any]) -> dict[str, Any]:
    target = link["target"]
    kind = _kind(target)
    exists = _exists(context, path, target) if kind == "file" else None
    text = shorten(" ".join(link["text"].split()), 200)
    return {"path": path, "line": link["line"], "text": text, "target": target, "kind": kind, "exists": exists}


def _kind(target: str) -> str:
    if target.startswith("#"):
        return "anchor"
    if target.lower().startswith("mailto:"):
        return "mail"
    return "web" if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:|//", target) else "file"


def _exists(context: ToolContext, path: str, target: str) -> bool | None:
    """Whether the file is there; None when it lies where the tool must not look."""
    name = unquote(target.split("#", 1)[0].split("?", 1)[0])
    base = "" if name.startswith("/") else posixpath.dirname(path)
    place = posixpath.normpath(posixpath.join(base, name.lstrip("/")))
    if place.startswith("..") or "\0" in place:
        return None
    return context.workspace.exists(place)
