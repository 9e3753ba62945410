"""JSON schemas that people may hand in: those keywords left out whose cost has no bound."""

from typing import Any

import jsonschema
from jsonschema.exceptions import SchemaError, best_match

MAX_NODES = 300
# References can multiply without end, patterns can backtrack for ever.
REFUSED = ("$ref", "$dynamicRef", "$recursiveRef", "pattern", "patternProperties")


def check_schema(schema: Any) -> None:
    """ValueError when this is no JSON schema, or one that could cost too much."""
    _walk(schema, [0])
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise ValueError(f"json_schema is not a JSON schema: {error.message}") from error


def problem_with(value: Any, schema: dict[str, Any]) -> str:
    """Why the value does not fit; "" when it does."""
    error = best_match(jsonschema.Draft202012Validator(schema).iter_errors(value))
    if error is None:
        return ""
    place = ".".join(str(part) for part in error.absolute_path)
    return f"{place or 'value'}: {error.message}"[:1000]


def _walk(node: Any, count: list[int]) -> None:
    count[0] += 1
    if count[0] > MAX_NODES * 10:
        raise ValueError("json_schema is too large")
    if isinstance(node, dict):
        for key, inner in node.items():
            if key in REFUSED:
                raise ValueError(f"json_schema must not use {key}")
            _walk(inner, count)
    elif isinstance(node, list):
        for inner in node:
            _walk(inner, count)
