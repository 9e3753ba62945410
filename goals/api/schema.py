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
    "429": "Too many calls: Retry-After says when to come again.",
}
READS = {"503": "The search took too long and was given up: ask for less."}
CHANGES = {
    "409": "The thing has moved on: look at it again.",
    "412": "It has changed since it was seen: `changed` says how.",
    "413": "The body is too large.",
    "415": "The body must be JSON.",
}
HELD = ("/api/goals/{id}/", "/api/questions/{id}/", "/api/conversations/{id}/")
TAGGED = (*HELD, "/api/goals/{id}/limits/", "/api/goals/{id}/tree/")
METHODS = ("get", "put", "post", "patch", "delete")
KEY = {
    "in": "header",
    "name": "Idempotency-Key",
    "schema": {"type": "string", "pattern": "^[!-~]{1,200}$"},
    "description": "The same request under the same key is done once, and answered alike for a day.",
}
SEEN = {
    "in": "header",
    "name": "If-Match",
    "schema": {"type": "string"},
    "description": "The ETag that was read: the change is made only if nothing has happened since.",
}
KNOWN = {
    "in": "header",
    "name": "If-None-Match",
    "schema": {"type": "string"},
    "description": "The ETag that is known: what has not changed is not sent again.",
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
    """drf-spectacular's hook: add to every operation the headers it takes, and how it refuses."""
    result["components"].setdefault("schemas", {})["Problem"] = PROBLEM
    for address, path in result["paths"].items():
        for method in METHODS:
            if method in path:
                _tell(path[method], method, address)
    return result


def _tell(operation: dict[str, Any], method: str, address: str) -> None:
    parameters, responses = operation.setdefault("parameters", []), operation["responses"]
    may = {**ALWAYS, **READS, "409": CHANGES["409"]} if method == "get" else {**ALWAYS, **CHANGES}
    if method == "get" and address in TAGGED:
        parameters.append(KNOWN)
        responses["304"] = {"description": "What is known has not changed."}
    if method != "get" and address.startswith(HELD):
        parameters.append(SEEN)
    if method == "post":
        parameters.append(KEY)
    for code, text in may.items():
        responses.setdefault(code, _refusal(text))


def _refusal(text: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": text, "content": {"application/problem+json": {"schema": schema}}}
