"""What a tool of an MCP server gave, as a value: bounded, clean, without the server's secret. Pure.

Texts and the structured part are kept; of images, sounds and files it is said that they were there, and how large.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from artifacts.clean import clean
from artifacts.exceptions import UncleanValue
from goals.mcp import taming

MOST_PARTS = 100
LONGEST_SAID = 500
HIDDEN = "[secret]"


@dataclass(frozen=True)
class Given:
    """`value` is {text, structured, parts, cut}; `summary` a line of it."""

    value: dict[str, Any]
    summary: str


def value_of(content: Iterable[Any], structured: Any, most: int, secret: str = "") -> Given:
    """Return what a result holds; `most` characters of it in all."""
    texts, parts = [], []
    for block in list(content)[:MOST_PARTS]:
        told, part = _read(block)
        texts += [told] if told else []
        parts += [part] if part else []
    whole = without(secret, "\n".join(texts))
    kept, room = whole[:most], most - min(len(whole), most)
    structured, size = _structured(structured, secret)
    fits = size <= room
    cut = len(whole) > most or not fits
    told_of = _hidden(parts, secret)
    value = {"text": kept, "structured": structured if fits else None, "parts": told_of, "cut": cut}
    return Given(value, _summary(len(whole), size, parts, cut, most))


def said(content: Iterable[Any], secret: str = "") -> str:
    """Return what a result says, as the words of an error."""
    texts = [told for told, _ in map(_read, list(content)[:MOST_PARTS]) if told]
    return taming.text(without(secret, "\n".join(texts)), LONGEST_SAID)


def without(secret: str, told: str) -> str:
    """Return a text in which a secret cannot be read."""
    return told.replace(secret, HIDDEN) if secret else told


def _read(block: Any) -> tuple[str, dict[str, Any] | None]:
    """Return the text of one part of a result, or what is to be said of a part that is none."""
    kind = getattr(block, "type", "")
    if kind == "text":
        return block.text, None
    if kind == "resource_link":
        return "", {"type": "link", "uri": taming.text(str(block.uri), 500), "name": taming.text(block.name, 200)}
    held = block.resource if kind == "resource" else block
    if (told := getattr(held, "text", None)) is not None:
        return told, None
    encoded = getattr(held, "data", None) or getattr(held, "blob", None) or ""
    mime = taming.text(getattr(held, "mime_type", None) or "", 100)
    return "", {"type": kind or "unknown", "mime_type": mime, "bytes": len(encoded) * 3 // 4, "kept": False}


def _structured(given: Any, secret: str) -> tuple[Any, int]:
    """Return the structured part, clean, and its size as text; what cannot be stored is left out."""
    if given is None:
        return None, 0
    try:
        kept = _hidden(clean(given), secret)
        return kept, len(json.dumps(kept, ensure_ascii=False))
    except (UncleanValue, RecursionError):
        return None, 0


def _hidden(value: Any, secret: str) -> Any:
    """Return a value in which a secret can be read nowhere: in no text, name or number."""
    if isinstance(value, dict):
        return {without(secret, name): _hidden(held, secret) for name, held in value.items()}
    if isinstance(value, list):
        return [_hidden(held, secret) for held in value]
    if isinstance(value, str):
        return without(secret, value)
    return HIDDEN if secret and str(value) == secret else value


def _summary(characters: int, structured: int, parts: list[dict[str, Any]], cut: bool, most: int) -> str:
    said = [f"{characters} characters of text"] if characters or not structured else []
    said += [f"{structured} characters of data"] if structured else []
    said += [f"{len(parts)} parts that are no text and are not kept"] if parts else []
    return f"{', '.join(said)}{f'; cut to {most}' if cut else ''}."
