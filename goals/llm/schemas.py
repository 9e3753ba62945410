"""The JSON schema of each reply, and how it is asked for: `json_schema`, `json_object` or in words (`prompt`).

Rendered once a process. Strict schemas name every field as required and close every object; a reply that holds
free JSON (args, values, verifiers) cannot be written that way and travels with `strict: false`.
"""

import json
from functools import cache
from typing import Any

from goals.llm.errors import PromptError
from goals.llm.replies import REPLIES

_UNSUPPORTED_WHEN_STRICT = ("minLength", "maxLength", "default", "title")


@cache
def schema_for(name: str) -> dict[str, Any]:
    """The reply's JSON schema, references inlined. Treat it as read-only."""
    if name not in REPLIES:
        raise PromptError(f"no typed reply named {name!r}; known: {', '.join(sorted(REPLIES))}")
    schema = REPLIES[name].model_json_schema()
    return _inlined(schema, schema.pop("$defs", {}))


@cache
def is_strict(name: str) -> bool:
    """Whether the schema fits the strict subset: no object with free keys, no free value."""
    return not any(_is_free(node) for node in _nodes(schema_for(name)))


@cache
def response_format(name: str, mode: str = "json_schema") -> dict[str, Any] | None:
    """The request's `response_format`, or None when the schema travels in words."""
    if mode == "json_schema":
        strict = is_strict(name)
        schema = _strict(schema_for(name)) if strict else schema_for(name)
        return {"type": "json_schema", "json_schema": {"name": name, "strict": strict, "schema": schema}}
    return {"type": "json_object"} if mode == "json_object" else None


@cache
def instructions(name: str, mode: str) -> str:
    """What is said in the system message, where `response_format` does not say it."""
    if mode == "json_schema":
        return ""
    schema = json.dumps(schema_for(name), ensure_ascii=False, separators=(",", ":"))
    return (
        f"\n\nReply form `{name}`: answer with exactly one JSON object and nothing else, no code fence. "
        f"It fits this JSON schema:\n{schema}"
    )


def _inlined(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_inlined(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = node["$ref"].rsplit("/", 1)[-1]
        return {} if name == "JsonValue" else _inlined(definitions[name], definitions)
    kept = {key: _inlined(value, definitions) for key, value in node.items() if key != "discriminator"}
    if "oneOf" in kept:
        kept["anyOf"] = kept.pop("oneOf")
    return kept


def _nodes(schema: Any) -> list[dict[str, Any]]:
    """Every subschema; property names are not mistaken for keywords."""
    if not isinstance(schema, dict):
        return []
    below = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    below += [schema[key] for key in ("items", "additionalProperties") if isinstance(schema.get(key), dict)]
    return [schema, *(found for node in below for found in _nodes(node))]


def _is_free(node: dict[str, Any]) -> bool:
    if node.get("type") == "object":
        return node.get("additionalProperties") is not False
    return not node.keys() & {"type", "anyOf", "enum", "const"}


def _strict(node: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in node.items() if key not in _UNSUPPORTED_WHEN_STRICT}
    if "properties" in kept:
        kept["properties"] = {name: _strict(value) for name, value in kept["properties"].items()}
        kept["required"] = list(kept["properties"])
    if "anyOf" in kept:
        kept["anyOf"] = [_strict(value) for value in kept["anyOf"]]
    if isinstance(kept.get("items"), dict):
        kept["items"] = _strict(kept["items"])
    return kept
