"""An example for every operation of the schema, made from the schema itself and the words of one story.

A field is told by the most particular word there is: that of its component (`GoalInput.limits`), that of its name, the
first of its enum, or something of its type and format.
"""

from typing import Any

ID = "01a200bc-0aa7-76c4-9145-7082c16e51e6"
AT = "2026-11-22T09:30:00Z"
SHA = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
WORDS: dict[str, Any] = {
    "actor": "ada",
    "address": "https://hooks.example.org/goalsite",
    "after": 0,
    "answer": "Paris",
    "answered_by": "ada",
    "author": "ada",
    "beginning": "gs_Zk3vQ1",
    "blob_sha256": SHA,
    "channel": "api",
    "checkpoints": 2,
    "completed": 1,
    "constraints": "Change nothing in the folder.",
    "content": "Book me a train from London to Paris",
    "context": "The folder holds three modules.",
    "cost_usd": "0.012400",
    "description": "Files, lines and public functions of each module.",
    "details": {},
    "digest": SHA,
    "disabled_because": "",
    "error": "",
    "evidence_key": "modules",
    "expires_at": None,
    "failing_since": None,
    "failure": None,
    "gloss": "Inspect the Python modules",
    "intent": "list what Python modules hold",
    "key": "destination",
    "kind": "goal.created",
    "kinds": ["goal.completed", "question.*"],
    "media_type": "application/json",
    "metadata": {},
    "model": "gpt-4.1-mini",
    "name": "modules",
    "next": None,
    "objective": "Write an inventory of the Python modules in this folder",
    "outcome": "",
    "owner": "ada",
    "paused_for": "",
    "payload": {"objective": "Write an inventory of the Python modules in this folder", "mode": "drive"},
    "person": "grace",
    "previous": None,
    "prompt": "Where do you want to go?",
    "purpose": "act",
    "reason": "All 3 checks passed.",
    "reasoning": "The modules were read; the report is still to be written.",
    "request": {"path": "."},
    "response": {"files": 3},
    "role": "worker",
    "score": 0.5,
    "secret": "kept nowhere else",
    "seconds": 1.5,
    "shape": "object of 3",
    "slug": "python-inventory",
    "sop": "python-inventory",
    "status_code": 200,
    "steering": [],
    "success_criteria": "Every module is there.",
    "suggestions": ["Paris", "Rome"],
    "summary": "3 modules were found.",
    "text": "Be brief",
    "title": "Inspect the Python modules",
    "tool": "inspect_python_modules",
    "tools": ["inspect_python_modules"],
    "url": "https://goals.example.org/shared/q3vT0a1b2c",
    "value": {"files": 3},
    "verifier": {"type": "artifact", "name": "report"},
    "verifier_digest": SHA,
    "wake_at": None,
    "workspace": "/srv/goalsite/workspaces/01a200bc",
}
PARTICULAR: dict[str, Any] = {
    "BulkInput.goals": [{"objective": "Count the lines of a.py"}, {"objective": "Count the lines of b.py"}],
    "ConversationInput.title": "Trains to Paris",
    "Conversation.title": "Trains to Paris",
    "GoalInput.alternatives": None,
    "GoalInput.answers": None,
    "GoalInput.conversation": None,
    "GoalInput.limits": {"cost_usd": 1, "model_calls": 50},
    "GoalInput.plan_approval": False,
    "GoalInput.sop": None,
    "PatchedCheckpointInput.args": {},
    "PatchedLimitsInput.cost_usd": "+5",
    "PatchedLimitsInput.model_calls": 300,
    "PatchedLimitsInput.seconds": None,
    "PatchedLimitsInput.tokens": 100_000,
    "PatchedSubgoalInput.args": {},
    "GoalInput.watch": None,
    "PatchedWatchInput.deadline": None,
    "PatchedWatchInput.follow_up": {"objective": "Find out why the build is red"},
    "PatchedWatchInput.stall_after": 3600,
    "PauseInput.reason": "until tomorrow",
    "Question.schema": None,
    "ReasonInput.reason": "no longer needed",
    "ReviseInput.reason": "a cheaper way will do",
    "ShareInput.days": 7,
    "Tree.checkpoints": [],
    "Goal.watch": None,
}
CERTIFICATE = {
    "goal": ID,
    "objective": WORDS["objective"],
    "owner": "ada",
    "outcome": "achieved",
    "completed_at": AT,
    "procedure": {"slug": "python-inventory", "version": 1},
    "verifier": WORDS["verifier"],
    "verifier_digest": SHA,
    "digest": SHA,
}
OF_OPERATION: dict[str, Any] = {"goals_certificate_retrieve": CERTIFICATE}
BY_FORMAT = {"uuid": ID, "date-time": AT, "uri": "https://goals.example.org/", "decimal": "0.012400", "binary": ""}
BY_TYPE: dict[str, Any] = {"string": "…", "integer": 1, "number": 1.0, "boolean": True, "object": {}, "array": []}


def tell_examples(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """drf-spectacular's hook: give every body that is sent or answered an example."""
    schemas = result["components"]["schemas"]
    for path in result["paths"].values():
        for operation in path.values():
            answers = [answer for code, answer in operation["responses"].items() if code.startswith("2")]
            for part in [operation.get("requestBody", {}), *answers]:
                if media := part.get("content", {}).get("application/json"):
                    told = OF_OPERATION.get(operation["operationId"])
                    media["example"] = told or example_of(schemas, media.get("schema", {}))
    return result


def example_of(schemas: dict[str, Any], schema: dict[str, Any], *, component: str = "", name: str = "") -> Any:
    """Return an example of a schema that stands at a field of a component."""
    if "$ref" in schema:
        component = schema["$ref"].rsplit("/", 1)[1]
        return example_of(schemas, schemas[component], component=component, name=name)
    for told, words in ((f"{component}.{name}", PARTICULAR), (name, WORDS)):
        if told in words and _fits(schema, words[told]):
            return words[told]
    return _made(schemas, schema, component)


def _made(schemas: dict[str, Any], schema: dict[str, Any], component: str) -> Any:
    for parts in ("allOf", "oneOf", "anyOf"):
        if parts in schema:
            return example_of(schemas, schema[parts][0], component=component)
    if "enum" in schema:
        return schema["enum"][0]
    if "properties" in schema:
        return {
            name: example_of(schemas, inner, component=component, name=name)
            for name, inner in schema["properties"].items()
        }
    kind = _types(schema)[0]
    if kind == "array" and schema.get("items"):
        return [example_of(schemas, schema["items"], component=component)]
    return BY_FORMAT.get(schema.get("format", ""), schema.get("minimum", BY_TYPE.get(kind)))


def _types(schema: dict[str, Any]) -> list[str]:
    found = schema.get("type", "object")
    return [found] if isinstance(found, str) else list(found)


def _fits(schema: dict[str, Any], word: Any) -> bool:
    """Whether a word may stand for a schema: of its type, and one of its enum."""
    if "enum" in schema:
        return word in schema["enum"]
    if any(parts in schema for parts in ("allOf", "oneOf", "anyOf")):
        return False
    if schema.get("format") == "uuid":
        return word is None
    return "type" not in schema or any(isinstance(word, PYTHON[kind]) for kind in _types(schema))


PYTHON: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "object": dict,
    "array": list,
    "null": type(None),
}
