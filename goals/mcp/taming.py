"""What an outsider says of its tools, made harmless: names, texts and schemas that are bounded and clean. Pure.

A schema here only helps a model to fill in arguments; the server holds them to its own. So what could cost without end
(patterns, references that lead away or round in a circle) is left out rather than refused.
"""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from artifacts.clean import clean_text

LONGEST_DESCRIPTION = 2_000
LONGEST_INNER = 500
LONGEST_VALUE = 200
MAX_DEPTH = 12
MAX_NODES = 500
MOST_FIELDS = 60
MOST_CHOICES = 100
PROVIDERS_LONGEST = 64  # of a function's name, with OpenAI and others
FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_.$-]{0,63}")
UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
TYPES = {"string", "number", "integer", "boolean", "array", "object", "null"}
NUMBERS = (
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
)
ANY_OF = ("anyOf", "oneOf", "allOf")
SHOWN_SEPARATORS = {"\n", "\t"}


class Untameable(Exception):
    """Nothing that could be offered; says why."""


def text(given: Any, most: int) -> str:
    """Return a text without control, direction and other invisible characters, cut to `most`."""
    plain = clean_text(given)[: 4 * most] if isinstance(given, str) else ""
    kept = "".join(c for c in plain if c in SHOWN_SEPARATORS or unicodedata.category(c)[0] != "C").strip()
    return kept if len(kept) <= most else kept[: most - 1].rstrip() + "…"


def line(given: Any, most: int) -> str:
    """Return a text as one line."""
    return text(" ".join(given.split()) if isinstance(given, str) else "", most)


def called(server: str, said: str) -> str:
    """Return what goals call a server's tool; raises Untameable."""
    plain = UNSAFE.sub("_", said)
    if not said or not plain.strip("_-"):
        raise Untameable("its name has no letter or digit")
    if len(server) + len("__") + len(plain) > PROVIDERS_LONGEST:
        raise Untameable(f"its name is too long: with the server's, models take {PROVIDERS_LONGEST} characters")
    return f"{server}.{plain}"


def parameters(schema: Any) -> dict[str, Any]:
    """Return the schema of a tool's arguments, tamed; raises Untameable."""
    if not isinstance(schema, Mapping) or schema.get("type", "object") != "object":
        raise Untameable("its arguments are no object")
    fields = schema.get("properties", {})
    if not isinstance(fields, Mapping):
        raise Untameable("its schema cannot be read")
    if len(fields) > MOST_FIELDS:
        raise Untameable(f"it has {len(fields)} arguments; at most {MOST_FIELDS} are offered")
    if "outputs" in fields:
        raise Untameable("it has an argument `outputs`, by which goals name what a call gave")
    if wrong := next((name for name in fields if not isinstance(name, str) or not FIELD.fullmatch(name)), None):
        raise Untameable(f"its argument {text(str(wrong), 40)!r} has no name that models write")
    tamer = _Tamer(schema)
    tamed = {name: tamer.tame(field, 1, ()) for name, field in fields.items()}
    required = schema.get("required", [])
    known = [name for name in required if name in tamed] if isinstance(required, list) else []
    return {"type": "object", "properties": tamed, "required": sorted(set(known)), "additionalProperties": False}


class _Tamer:
    """Copies what is known to be harmless; references are replaced by what they lead to."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._left = MAX_NODES

    def tame(self, schema: Any, depth: int, through: tuple[str, ...]) -> dict[str, Any]:
        """Return one schema, tamed; what is too deep, too much, or leads round in a circle lets anything through."""
        self._left -= 1
        if self._left < 0:
            raise Untameable(f"its schema has more than {MAX_NODES} parts")
        if not isinstance(schema, Mapping) or depth > MAX_DEPTH:
            return {}
        reference = schema.get("$ref")
        if isinstance(reference, str):
            return {} if reference in through else self.tame(self._led(reference), depth + 1, (*through, reference))
        return {**self._plain(schema), **self._inner(schema, depth + 1, through)}

    def _led(self, reference: str) -> Any:
        """Return what a reference within the document leads to, None for any other."""
        head, *path = reference.split("/")
        found: Any = self._root if head == "#" and len(path) == 2 and path[0] in ("$defs", "definitions") else None
        for step in path:
            found = found.get(step) if isinstance(found, Mapping) else None
        return found

    def _plain(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        if described := text(schema.get("description"), LONGEST_INNER):
            kept["description"] = described
        kinds = schema.get("type")
        if isinstance(kinds, str) and kinds in TYPES:
            kept["type"] = kinds
        elif isinstance(kinds, list) and kinds and all(isinstance(one, str) and one in TYPES for one in kinds):
            kept["type"] = sorted(set(kinds))
        choices = schema.get("enum")
        if isinstance(choices, list) and 0 < len(choices) <= MOST_CHOICES and all(map(_is_plain, choices)):
            kept["enum"] = choices
        for name in ("const", "default"):
            if name in schema and _is_plain(schema[name]):
                kept[name] = schema[name]
        for name in NUMBERS:
            value = schema.get(name)
            if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15:
                kept[name] = value
        return kept

    def _inner(self, schema: Mapping[str, Any], depth: int, through: tuple[str, ...]) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        fields, items, more = schema.get("properties"), schema.get("items"), schema.get("additionalProperties")
        if isinstance(fields, Mapping):
            names = [name for name in fields if isinstance(name, str) and FIELD.fullmatch(name)]
            kept["properties"] = {name: self.tame(fields[name], depth, through) for name in names}
            required = schema.get("required")
            if isinstance(required, list) and (known := sorted({one for one in required if one in names})):
                kept["required"] = known
        if isinstance(items, Mapping):
            kept["items"] = self.tame(items, depth, through)
        if isinstance(more, bool) and len(kept.get("properties", ())) == len(fields or ()):
            kept["additionalProperties"] = more
        for name in ANY_OF:
            options = schema.get(name)
            if isinstance(options, list) and 0 < len(options) <= MOST_CHOICES:
                kept[name] = [self.tame(option, depth, through) for option in options]
        return kept


def _is_plain(value: Any) -> bool:
    """Whether a value is short enough to be shown, and can be stored."""
    if isinstance(value, str):
        return len(value) <= LONGEST_VALUE and value == text(value, LONGEST_VALUE)
    if isinstance(value, float):
        return abs(value) < 1e15
    return value is None or isinstance(value, bool) or (isinstance(value, int) and abs(value) < 10**15)
