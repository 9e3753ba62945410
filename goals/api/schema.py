"""What the OpenAPI schema says beside the views: how every operation refuses, and what a problem looks like."""

from typing import Any

from django.apps import apps

from goals.api.problems import TITLES

ROOMS = ("goals", "sops", "artifacts")

PROBLEM = {
    "type": "object",
    "description": "RFC 9457. `code` is stable; `errors` names each field that was refused, nested ones with dots.",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string", "example": "urn:goalsite:problem:invalid_input"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string", "examples": sorted(TITLES)},
        "errors": {"type": "object", "additionalProperties": {"type": "string"}},
    },
    "example": {
        "type": "urn:goalsite:problem:invalid_input",
        "title": TITLES["invalid_input"],
        "status": 400,
        "detail": "objective: must not be empty",
        "code": "invalid_input",
        "errors": {"objective": "must not be empty"},
    },
}
ALWAYS = {
    "400": "What was sent cannot be accepted; `errors` says which field and what is allowed.",
    "401": "Who calls is not known.",
    "403": "The caller may not do this.",
    "404": "There is no such thing, or it is somebody else's.",
    "406": "JSON is all that is answered.",
}
CHANGES = {
    "409": "The thing has moved on: look at it again.",
    "413": "The body is too large.",
    "415": "The body must be JSON.",
}
METHODS = ("get", "put", "post", "patch", "delete")
KEY = {
    "in": "header",
    "name": "Idempotency-Key",
    "schema": {"type": "string", "pattern": "^[!-~]{1,200}$"},
    "description": "The same request under the same key is done once, and answered alike for a day.",
}


def tell_bodies(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """drf-spectacular's hook: a body has no other fields, a change has one at least, and a state may be empty."""
    schemas = result["components"]["schemas"]
    for name, schema in schemas.items():
        if name.endswith("Input"):
            schema["additionalProperties"] = False
        if name.startswith("Patched"):
            schema["minProperties"] = 1
    _any_value(result)
    empties = _words_that_may_be_empty()
    for name, schema in schemas.items():
        if name.endswith("Enum") and frozenset(schema.get("enum", ())) in empties:
            schema["enum"] = [*schema["enum"], ""]
    return result


def _any_value(part: Any) -> None:
    """A value of any kind that may be null as well is simply a value of any kind."""
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        _any_value(inner)
    if isinstance(part, dict) and part.get("oneOf") == [{}, {"type": "null"}]:
        del part["oneOf"]


def _words_that_may_be_empty() -> set[frozenset[str]]:
    """Return the words of each column that may have none of them."""
    models = [model for room in ROOMS for model in apps.get_app_config(room).get_models()]
    fields = [field for model in models for field in model._meta.fields]
    return {frozenset(word for word, _ in field.choices if word) for field in fields if field.choices and field.blank}


def tell_refusals(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """drf-spectacular's hook: add to every operation how it refuses, and to every POST its Idempotency-Key."""
    result["components"].setdefault("schemas", {})["Problem"] = PROBLEM
    for path in result["paths"].values():
        for method in METHODS:
            if method not in path:
                continue
            operation = path[method]
            may = {**ALWAYS, **CHANGES} if method != "get" else {**ALWAYS, "409": CHANGES["409"]}
            for code, text in may.items():
                operation["responses"].setdefault(code, _refusal(text))
            if method == "post":
                operation.setdefault("parameters", []).append(KEY)
    return result


def _refusal(text: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": text, "content": {"application/problem+json": {"schema": schema}}}
