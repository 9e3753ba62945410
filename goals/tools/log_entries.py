"""Entries out of the text of a log: time, level, message, and the lines that belong to them (tracebacks)."""

import datetime as dt
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

LEVELS = ("critical", "error", "warning", "notice", "info", "debug", "none")
_NAMES = {
    **dict.fromkeys(("critical", "crit", "fatal", "alert", "emerg", "emergency", "panic"), "critical"),
    **dict.fromkeys(("error", "err", "severe", "eror"), "error"),
    **dict.fromkeys(("warning", "warn"), "warning"),
    **dict.fromkeys(("info", "information"), "info"),
    **dict.fromkeys(("debug", "trace", "verbose", "fine"), "debug"),
    "notice": "notice",
}
_ANY = "|".join(sorted(_NAMES, key=len, reverse=True))
_ISO = r"\d{4}[-/]\d{2}[-/]\d{2}[T _]\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?: ?(?:Z|[+-]\d{2}:?\d{2}))?"
_SYSLOG = r"[A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2}"
_APACHE = r"[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2}(?:\.\d{1,9})? \d{4}"
_COMMON = r"\d{2}/[A-Z][a-z]{2}/\d{4}:\d{2}:\d{2}:\d{2} [+-]\d{4}"
_CLOCK = r"\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?"
_TIME = re.compile(rf"^(?:(?:time|ts)=\"?)?[\[(<]?(?:({_ISO})|({_APACHE})|({_SYSLOG})|({_CLOCK}))[\])>]?\"?")
_ACCESS = re.compile(rf'^(\S{{1,200}}) .{{0,200}}?\[({_COMMON})\] "([^"]{{0,1000}})" (\d{{3}})\b')
_UPPER = re.compile(rf"(?<![\w-])[\[(<]?({_ANY.upper()})[\])>]?(?![\w-]):?")
_MARKED = re.compile(
    rf"(?i)(?:^|[\s\[(<|=:\"])(?:level=\"?|lvl=|severity=)?[\[(<]?(?:\w{{1,30}}:)?({_ANY})(?:[\])>|:\"]|$)"
)
_LOGFMT = re.compile(rf"(?i)(?:^|\s)(?:level|lvl|severity)=\"?({_ANY})\"?(?=\s|$)")
_GLOG = re.compile(r"^([IWEF])\d{4} (\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?)\s")
_BRACKETED = re.compile(r"^\s*[\[(<]?(?:pid[ :=]?)?\d{1,10}[\])>]?[:\s]")
_CONTINUED = re.compile(
    r"^(?:\s+\S|Traceback \(most recent|Caused by:|During handling of|The above exception|\.\.\. \d)"
)
_EXCEPTION = re.compile(
    r"^\s{0,8}(?:Caused by: |Exception in thread \S{1,100} )?((?:[A-Za-z_]\w{0,80}[.$]){0,12}[A-Z]\w{0,80})(?::\s|$)"
)
_EXCEPTION_NAME = re.compile(r"(?:Error|Exception|Exit|Interrupt|Failure|Fault|Timeout|Warning|NotFound|DoesNotExist)$")
_HEAD = 2000


@dataclass
class Entry:
    """One entry; `time` is sortable text, "" when there is none; `rest` are its further lines."""

    line: int
    text: str
    level: str
    message: str
    time: str = ""
    rest: list[str] = field(default_factory=list)
    in_traceback: bool = False
    kind: str = ""

    def exception(self) -> str:
        """The exception its lines end in: name and text; "" when there is none."""
        found = self.kind
        for line in [self.text, *self.rest] if self.in_traceback or self.rest else [self.message]:
            named = _EXCEPTION.match(line[:_HEAD])
            if named and _EXCEPTION_NAME.search(named[1]):
                found = line.strip()[:_HEAD]
        return found


def read_entries(lines: list[str]) -> Iterator[Entry]:
    """The entries in order; lines that continue an entry (tracebacks, indented lines) are with it."""
    dated = sum(1 for line in lines[:500] if _starts(line)) * 3 >= min(len(lines), 500)
    entry: Entry | None = None
    for number, raw in enumerate(lines, 1):
        line = raw.rstrip("\r\n")
        if entry is not None and _continues(entry, line, dated):
            entry.in_traceback |= line.lstrip().startswith(("Traceback (", "at ", "File "))
            entry.rest.append(line)
            continue
        if entry is not None:
            yield entry
        entry = _begin(number, line, entry) if line.strip() else None
    if entry is not None:
        yield entry


def _begin(number: int, line: str, before: Entry | None) -> Entry:
    entry = parse(number, line)
    if _raises(line):
        entry.level, entry.in_traceback = "error", True
        entry.time = entry.time or (before.time if before else "")
    return entry


def _raises(line: str) -> bool:
    """Whether a traceback begins here, or an exception's own line."""
    if line.startswith("Traceback (most recent"):
        return True
    named = _EXCEPTION.match(line[:_HEAD])
    return bool(named and not line[:1].isspace() and _EXCEPTION_NAME.search(named[1]))


def _starts(line: str) -> bool:
    return bool(_TIME.match(line) or _GLOG.match(line) or _ACCESS.match(line) or line.startswith("{"))


def _continues(entry: Entry, line: str, dated: bool) -> bool:
    if _starts(line):
        return False
    if not line.strip():
        return dated or entry.in_traceback
    if _raises(line) and not entry.in_traceback and entry.level not in LEVELS[:3]:
        return False
    if _CONTINUED.match(line):
        return True
    if dated:
        return not _UPPER.match(line)
    return entry.in_traceback and bool(_EXCEPTION.match(line[:_HEAD])) and not _ended(entry)


def _ended(entry: Entry) -> bool:
    """Whether the traceback's closing line was there already and nothing reopened it."""
    last = entry.rest[-1] if entry.rest else entry.text
    return not last.startswith((" ", "\t", "Traceback"))


def parse(number: int, line: str) -> Entry:
    """One line as an entry of its own."""
    head = line[:_HEAD]
    for reader in (_json_entry, _access_entry, _glog_entry):
        found = reader(number, head)
        if found is not None:
            return found
    time, rest = _split_time(head)
    level, message = _split_level(rest)
    traceback = rest.startswith("Traceback (")
    return Entry(number, line, "error" if traceback else level, message, time, in_traceback=traceback)


def _json_entry(number: int, head: str) -> Entry | None:
    if not head.startswith("{"):
        return None
    try:
        record = json.loads(head)
    except (ValueError, RecursionError):
        return None
    level = next((str(record[k]).lower() for k in ("level", "levelname", "severity", "lvl") if k in record), "")
    message = next((str(record[k]) for k in ("message", "msg", "event", "error") if record.get(k)), head)
    time = next((str(record[k]) for k in ("timestamp", "time", "@timestamp", "ts", "asctime") if record.get(k)), "")
    entry = Entry(number, head, _NAMES.get(level, "none"), message, moment(time) or time[:40])
    trace = record.get("exc_info") or record.get("exception") or record.get("traceback") or record.get("stack")
    if isinstance(trace, str):
        entry.rest, entry.in_traceback = trace.splitlines(), True
    return entry


def _access_entry(number: int, head: str) -> Entry | None:
    found = _ACCESS.match(head)
    if not found:
        return None
    status = int(found[4])
    level = "error" if status >= 500 else "warning" if status >= 400 else "info"
    request = found[3].split("?", 1)[0].removesuffix(" HTTP/1.1")
    return Entry(number, head, level, request, moment(found[2]), kind=f"HTTP {status}")


def _glog_entry(number: int, head: str) -> Entry | None:
    found = _GLOG.match(head)
    if not found:
        return None
    level = {"I": "info", "W": "warning", "E": "error", "F": "critical"}[found[1]]
    return Entry(number, head, level, head[found.end() :].split("] ", 1)[-1], found[2])


def _split_time(head: str) -> tuple[str, str]:
    found = _TIME.match(head)
    if not found:
        return "", head
    return moment(next(group for group in found.groups() if group)), head[found.end() :].lstrip(" \t,;|-")


def _split_level(text: str) -> tuple[str, str]:
    """The level that the beginning names and the text without it."""
    found = _LOGFMT.search(text[:300]) or _UPPER.search(text[:200]) or _MARKED.search(text[:120])
    if not found:
        return "none", text.strip()
    before, after = text[: found.start()], text[found.end() :]
    before = re.sub(r"[\s|:\-\[(<]+$", "", _BRACKETED.sub("", before + " "))
    message = " ".join(part for part in (before.strip(), after.strip(" \t:|-]")) if part)
    return _NAMES[found[1].lower()], message or text.strip()


_FORMS = ("%a %b %d %H:%M:%S %Y", "%a %b %d %H:%M:%S.%f %Y", "%d/%b/%Y:%H:%M:%S %z")


def moment(text: str) -> str:
    """A time as sortable text: UTC with Z when the zone is known, else as it stands; a bare clock stays one."""
    found = re.fullmatch(_ISO, text.strip())
    if found:
        plain = re.sub(
            r" (?=Z|[+-]\d{2}:?\d{2}$)", "", text.strip().replace("/", "-").replace("_", " ").replace(",", ".")
        )
        try:
            return _plain(dt.datetime.fromisoformat(plain))
        except ValueError:
            return plain
    for form in _FORMS:
        try:
            return _plain(dt.datetime.strptime(text, form))
        except ValueError:
            continue
    if re.fullmatch(_SYSLOG, text):
        try:
            return f"{dt.datetime.strptime('2000 ' + text, '%Y %b %d %H:%M:%S'):%m-%d %H:%M:%S}"
        except ValueError:
            return text
    return text if re.fullmatch(_CLOCK, text) else ""


def _plain(when: dt.datetime) -> str:
    if when.tzinfo is not None:
        return f"{when.astimezone(dt.UTC):%Y-%m-%d %H:%M:%S}Z"
    return f"{when:%Y-%m-%d %H:%M:%S}"
