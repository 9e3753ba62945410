"""Bytes of unknown origin as text: encodings guessed, binary recognised, nothing ever raised."""

import codecs
import io
from dataclasses import dataclass
from typing import Any

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 8192


@dataclass(frozen=True)
class Decoded:
    """Text with the encoding it was read by; `exact` is false when the encoding was a guess."""

    text: str
    encoding: str
    exact: bool = True


def is_binary(data: bytes) -> bool:
    """Whether this looks like no text at all: a NUL near the start without a mark of UTF-16 or UTF-32."""
    if any(data.startswith(bom) for bom, _ in _BOMS):
        return False
    return b"\0" in data[:_SAMPLE]


def decode(data: bytes) -> Decoded:
    """The text in `data`: by byte order mark, else UTF-8, else Windows-1252, else Latin-1."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return Decoded(data.decode(encoding, "replace"), encoding)
    for encoding in ("utf-8", "cp1252"):
        try:
            return Decoded(data.decode(encoding), encoding, exact=encoding == "utf-8")
        except UnicodeDecodeError:
            continue
    return Decoded(data.decode("latin-1"), "latin-1", exact=False)


def shorten(text: str, limit: int) -> str:
    """At most `limit` characters, the last of which says that more was cut."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)] + "…"


def lines_of(text: str) -> list[str]:
    """The lines with their ends, counted as editors do: only LF, CRLF and CR end a line."""
    return list(io.StringIO(text, newline=""))


def plural(count: Any, noun: str) -> str:
    """`1 file`, `2 files`, `3 matches`, `4 entries`."""
    if count == 1:
        return f"{count} {noun}"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{count} {noun[:-1]}ies"
    return f"{count} {noun}{'es' if noun.endswith(('s', 'ch')) else 's'}"
