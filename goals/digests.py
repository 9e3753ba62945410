"""One digest for everything that is compared or sealed: SHA-256 over canonical JSON."""

import hashlib
import json
from typing import Any


def digest(*parts: Any) -> str:
    """Return the hex digest of the parts' canonical JSON; what JSON does not know is told by `str`."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
