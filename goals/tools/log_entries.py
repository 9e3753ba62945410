"""Entries out of the text of a log: time, level, message, and the lines that belong to them (tracebacks)."""

import datetime as dt
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from goals.tools.log_exceptions import LONGEST, Raised, is_exception, is_frame, raised_in

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
    r"^(?:\s+\S|Traceback \(most recent|Caused by:|During handling of|The above exception|\.\.\. \d|goroutine \d)"
)
_CRASH = re.compile(r"^(?:panic|fatal error): ")
_JAVA_FRAME = re.compile(r"^\s+(?:at \S|\.\.\. \d)")
_HEAD = LONGEST
_SAMPLE = 500
ENOUGH_DATED, ENOUGH_ENTRIES = 1 / 3, 1 / 4


@dataclass
class Entry:
    """One entry; `time` is sortable text, "" when there is none; `rest` are its further lines; `status` is HTTP's."""

    line: int
    text: str
    level: str
    message: str
    time: str = ""
    rest: list[str] = field(default_factory=list)
    in_traceback: bool = False
    status: int | None = None

    def raised(self) -> Raised | None:
        """The exception that it tells of."""
        return raised_in([self.message, *self.rest])


def read_entries(lines: list[str]) -> Iterator[Entry]:
    """The entries in order; lines that continue an entry (tracebacks, indented lines) are with it."""
    dated = _share_of_starts(lines) >= ENOUGH_DATED
    entry: Entry | None = None
    for number, raw in enumerate(lines, 1):
        line = raw.rstrip("\r\n")
        if entry is not None and _continues(entry, line, dated, following=lines[number : number + 1]):
            entry.in_traceback |= line.lstrip().startswith(("Traceback (", "at ", "File ")) or is_exception(line)
            entry.rest.append(line)
            continue
        if entry is not None:
            yield entry
        entry = _begin(number, line, entry) if line.strip() else None
    if entry is not None:
        yield entry


def looks_like_log(lines: list[str]) -> bool:
    """Whether enough of the first lines begin an entry: with a time, a level, or an exception."""
    looked_at = _heads(lines)
    entries = [_begin(1, line, None) for line in looked_at]
    telling = sum(bool(entry.time) or entry.level != "none" for entry in entries)
    return telling > 0 and telling >= len(looked_at) * ENOUGH_ENTRIES


def _share_of_starts(lines: list[str]) -> float:
    """How many of the first lines begin an entry with a time; blank lines and those of stack traces do not count."""
    looked_at = _heads(lines)
    return sum(map(_starts, looked_at)) / max(len(looked_at), 1)


def _heads(lines: list[str]) -> list[str]:
    return [line for line in lines[:_SAMPLE] if line.strip() and not _CONTINUED.match(line)]


def _begin(number: int, line: str, before: Entry | None) -> Entry:
    entry = parse(number, line)
    if _raises(line):
        entry.level, entry.in_traceback = "error", True
    if _raises(line) or _CRASH.match(line):
        entry.time = entry.time or (before.time if before else "")
    return entry


def _raises(line: str) -> bool:
    """Whether a traceback begins here, or an exception's own line."""
    return line.startswith("Traceback (most recent") or (not line[:1].isspace() and is_exception(line))


def _starts(line: str) -> bool:
    return bool(_TIME.match(line) or _GLOG.match(line) or _ACCESS.match(line) or line.startswith("{"))


def _continues(entry: Entry, line: str, dated: bool, following: list[str]) -> bool:
    if _starts(line) or _CRASH.match(line):
        return False
    if not line.strip():
        return dated or entry.in_traceback
    serious = entry.level in LEVELS[:3]
    if _raises(line) and not entry.in_traceback and not serious:
        return False
    if _CONTINUED.match(line):
        return True
    if dated:
        return not _UPPER.match(line)
    if not is_exception(line):
        return False
    if entry.in_traceback:
        return not _ended(entry)
    return serious and not entry.rest and (bool(entry.time) or any(map(is_frame, following)))


def _ended(entry: Entry) -> bool:
    """Whether no exception's line can follow: Python's trace ends with one, Java's begins with one."""
    last = entry.rest[-1] if entry.rest else entry.text
    return not last.startswith((" ", "\t", "Traceback")) or bool(_JAVA_FRAME.match(last))


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
    return Entry(number, head, level, request, moment(found[2]), status=status)


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
