"""Whether a text says a value: what a model read out of a person's words is theirs only if it stands in them. PURE."""

import re
from typing import Any


def says(text: str, value: Any) -> bool:
    """Whether the value stands in the text as whole words; of a list, whether each item does. Case does not matter."""
    if isinstance(value, list):
        return bool(value) and all(says(text, item) for item in value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return False
    wanted = _plain(str(value))
    return bool(wanted) and re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", _plain(text)) is not None


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
