"""What a file is called and what it is, from what a stranger says of it and from its first bytes (pure)."""

import mimetypes
import re
import unicodedata
from pathlib import PurePosixPath

LONGEST_NAME = 120
BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
)
TEXTS = {"application/json", "application/xml", "application/yaml", "application/toml", "application/sql"}
MARKUP = {"text/html", "image/svg+xml", "application/xhtml+xml"}  # never told to a browser


def safe_name(given: str) -> str:
    """Return a file name: no folder, no control character, none that turns text around, of a bounded length."""
    last = given.replace("\\", "/").rpartition("/")[2]
    kept = "".join(character for character in last if unicodedata.category(character)[0] != "C")
    name = " ".join(kept.split()).lstrip(".") or "file"
    suffix = PurePosixPath(name).suffix[:20]
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - len(suffix)].removesuffix(suffix) + suffix


def artifact_name(name: str) -> str:
    """Return the name under which a file can be referred to: `Sales 2024.csv` is `@Sales_2024_csv`."""
    found = re.sub(r"[^\w-]+", "_", name).strip("_-")
    return (found if found and not found[0].isdecimal() else f"file_{found}".rstrip("_"))[:100]


def media_type(name: str, data: bytes) -> str:
    """Return what a file is: by its first bytes where they tell, else by its name as long as it is text."""
    for beginning, kind in BEGINNINGS:
        if data.startswith(beginning):
            guessed = mimetypes.guess_type(name)[0] or ""
            return guessed if kind == "application/zip" and guessed.startswith("application/") else kind
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if not is_text(data):
        return "application/octet-stream"
    guessed = mimetypes.guess_type(name)[0] or "text/plain"
    return guessed if (guessed.startswith("text/") or guessed in TEXTS) and guessed not in MARKUP else "text/plain"


def is_text(data: bytes) -> bool:
    """Whether it is UTF-8 without NUL characters."""
    if b"\0" in data:
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def size_in_words(size: int) -> str:
    """Return a number of bytes as a person reads it: 812 bytes, 12 kB, 3.4 MB."""
    if size < 1000:
        return f"{size} byte" if size == 1 else f"{size} bytes"
    return f"{round(size / 1000)} kB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"
