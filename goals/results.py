"""What prompts are told of a subgoal's result: all of it, or its beginning, how long it is, and where all of it is.

A result is a JSON object: `text`, the `evidence` key or `kept` reference under which all of it can be read, and whether
it is `untrusted`.
"""

from typing import Any

from goals.models import Subgoal

LONGEST = 4_000


def text_of(subgoal: Subgoal | None, most: int = LONGEST) -> str:
    """Return a subgoal's result in at most `most` characters."""
    return told(subgoal.result, most) if subgoal is not None else ""


def told(result: Any, most: int = LONGEST) -> str:
    if result is None:
        return ""
    if not isinstance(result, dict):
        return cut(str(result), most)
    text = result.get("text")
    return cut(str(result if text is None else text), most, reference(result))


def whole(subgoal: Subgoal) -> str:
    """Return all of a subgoal's result, for what is made of it."""
    return told(subgoal.result, most=10**9)


def reference(result: dict[str, Any]) -> str:
    """Return under which reference all of a result can be read; "" where it is nowhere but in its row."""
    return str(result.get("kept") or (f"@{result['evidence']}" if result.get("evidence") else ""))


def cut(text: str, most: int, kept: str = "") -> str:
    """Return a text in at most `most` characters; one that is longer says so at its end."""
    if len(text) <= most:
        return text
    where = f"; all of it is kept as {kept}" if kept else ""
    note = f"\n… cut: {len(text)} characters in all{where}"
    return text[: max(most - len(note), 0)] + note
