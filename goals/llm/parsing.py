"""From a reply's text to its typed value, or to a problem in words that the model can act on. Never a default."""

import json
import re
from typing import Any

from pydantic import ValidationError

from artifacts.clean import clean
from artifacts.exceptions import UncleanValue
from goals.llm.replies import REPLIES
from goals.llm.shapes import Shape

MAX_ERRORS = 50
_FENCE = re.compile(r"^\s*```[a-zA-Z]*\s*\n(.*?)\n?```\s*$", re.DOTALL)


def parse(name: str, text: str, finish_reason: str = "stop") -> tuple[Shape | None, str | None]:
    """The typed value and no problem, or no value and the problem."""
    if not text.strip():
        return None, _cut(finish_reason) or "the reply is empty"
    source = _json_in(text)
    try:
        odd = _without_unstorable(source) if "\\u" in source else None
        reply = REPLIES[name].model_validate_json(source) if odd is None else REPLIES[name].model_validate(odd)
    except ValidationError as error:
        return None, _cut(finish_reason) or _told(error)
    return reply, None


def _without_unstorable(source: str) -> Any:
    """The JSON value without the NUL characters and unpaired surrogates that escapes can smuggle in; None: no JSON."""
    try:
        return clean(json.loads(source))
    except (ValueError, RecursionError, UncleanValue):
        return None


def _json_in(text: str) -> str:
    """The one JSON object in the text: the whole of it, in a code fence, or the first among words."""
    if text.lstrip().startswith("{"):
        return text
    fenced = _FENCE.match(text)
    if fenced:
        return fenced.group(1)
    start = text.find("{")
    if start < 0:
        return text
    try:
        _, end = json.JSONDecoder().raw_decode(text, start)
    except (json.JSONDecodeError, RecursionError):
        return text
    return text[start:end]


def _cut(finish_reason: str) -> str | None:
    return "the reply was cut off at the token limit; be shorter" if finish_reason == "length" else None


def place(location: tuple[Any, ...]) -> str:
    """The path to a field as a person writes it, `checkpoints[2].done_when[0].key`: no kinds of conditions in it."""
    words = [part for n, part in enumerate(location) if n < 2 or location[n - 2] != "done_when"]
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in words).lstrip(".")


def _told(error: ValidationError) -> str:
    errors = error.errors(include_url=False, include_context=False, include_input=False)
    lines = [f"{place(one['loc']) or 'reply'}: {one['msg']}" for one in errors[:MAX_ERRORS]]
    if len(errors) > MAX_ERRORS:
        lines.append(f"and {len(errors) - MAX_ERRORS} more")
    return "; ".join(lines)[:4_000]
