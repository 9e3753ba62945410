"""Values that a sentence states: `key=value`, "from X to Y", a date, a file, a folder, a quoted text."""

import re

_NAME = r"""(?:"[^"]+"|'[^']+'|[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*)"""
_FROM = re.compile(rf"\bfrom ({_NAME}|\w+)", re.UNICODE)
_TO = re.compile(rf"\bto ({_NAME})", re.UNICODE)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATE = re.compile(
    rf"\b(\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}}\.? {_MONTH}(?: \d{{4}})?|{_MONTH} \d{{1,2}}(?:,? \d{{4}})?)\b",
    re.IGNORECASE,
)
FILE = re.compile(r"(?<![\w/.@-])((?:[\w-]+/)*[\w-]+(?:\.[A-Za-z][A-Za-z0-9]{0,4})+)(?![\w/])")
_FOLDER = re.compile(r"""(?:folder|directory) ["'`]?((?:[\w.-]+/)+[\w.-]*|(?<=["'`])[\w.-]+)["'`]?""")
QUOTED = re.compile(r""""([^"]{1,500})"|“([^”]{1,500})”|‘([^’]{1,500})’|`([^`]{1,500})`|(?<!\w)'([^']{1,500})'(?!\w)""")
_REPLACE = re.compile(r"""replace (["'`])(.+?)\1 (?:with|by) (["'`])(.*?)\3""", re.IGNORECASE | re.DOTALL)

ORIGINS = {"origin", "from", "source", "departure", "start", "from_city", "from_station"}
DESTINATIONS = {"destination", "to", "target", "arrival", "to_city", "to_station"}


def stated_values(text: str, names: list[str]) -> dict[str, str]:
    """The value of each of these names that the text states; names that it does not state are left out."""
    found: dict[str, str] = {}
    replaced = _REPLACE.search(text)
    for name in names:
        value = _assigned(text, name) or _replacement(replaced, name) or _by_kind(text, name.lower())
        if value:
            found[name] = value
    return found


def _assigned(text: str, name: str) -> str | None:
    spelled = re.escape(name).replace("_", "[ _-]")
    found = re.search(rf"""(?<!\w){spelled}\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s,;]+))""", text, re.IGNORECASE)
    return next(part for part in found.groups() if part is not None) if found else None


def _replacement(found: re.Match[str] | None, name: str) -> str | None:
    which = name.lower().split("_")[0]
    if found is None or which not in ("old", "new"):
        return None
    return found.group(2 if which == "old" else 4)


def _by_kind(text: str, name: str) -> str | None:
    parts = set(name.split("_"))
    if name in ORIGINS:
        return _bare(_FROM.search(text))
    if name in DESTINATIONS:
        return _bare(_TO.search(text))
    if parts & {"date", "day", "when"}:
        return _bare(_DATE.search(text))
    if parts & {"file", "path", "csv", "tsv", "table", "log"} and not parts & {"output", "report", "target"}:
        return _file(text, parts)
    if parts & {"folder", "directory"}:
        return _bare(_FOLDER.search(text))
    if parts & {"term", "query", "keyword", "phrase", "word"}:
        quoted = QUOTED.search(text)
        return next(part for part in quoted.groups() if part is not None) if quoted else None
    return None


def _file(text: str, parts: set[str]) -> str | None:
    """A file of the kind that the name says, or the first file where it says none."""
    files = FILE.findall(text)
    kinds = {"tsv", "csv"} if parts & {"csv", "tsv", "table"} else parts & {"log"}
    fitting = [one for one in files if not kinds or one.rsplit(".", 1)[-1].lower() in kinds]
    return fitting[0] if fitting else None


def _bare(found: re.Match[str] | None) -> str | None:
    return found.group(1).strip("\"'`") if found else None
