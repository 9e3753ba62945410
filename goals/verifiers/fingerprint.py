"""The same failure twice has the same fingerprint, whatever the clock, the addresses and the temporary folders say."""

import hashlib
import re

_NORMAL = (
    (re.compile(r"\x1b\[[0-9;]*[A-Za-z]"), ""),
    (re.compile(r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"), "<id>"),
    (re.compile(r"\b0x[0-9a-fA-F]+\b"), "<address>"),
    (re.compile(r"(?:/private)?(?:/var)?/tmp/[^\s'\":,)]*|/var/folders/[^\s'\":,)]*"), "<temporary>"),
    (re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?"), "<time>"),
    (re.compile(r"\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b"), "<time>"),
    (re.compile(r"\b\d+(?:[.,]\d+)?\s?(?:ns|us|µs|ms|s|sec|secs|seconds?|min|minutes?)\b"), "<duration>"),
    (re.compile(r"\b(?:127\.0\.0\.1|localhost|0\.0\.0\.0|\[::1\]):\d{1,5}\b"), "<local address>"),
    (re.compile(r"\b(pid|process|thread)([ =:#]+)\d+\b", re.IGNORECASE), r"\1\2<n>"),
    (re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,64}\b"), "<id>"),
    (re.compile(r"[ \t]+"), " "),
)


def normalise(text: str) -> str:
    """The text without what differs from run to run."""
    for pattern, replacement in _NORMAL:
        text = pattern.sub(replacement, text)
    return text.strip()


def fingerprint(met: bool, *texts: str) -> str:
    """SHA-256 of the verdict and its normalised texts."""
    plain = "\n".join([str(met), *(normalise(text) for text in texts)])
    return hashlib.sha256(plain.encode("utf-8", "replace")).hexdigest()
