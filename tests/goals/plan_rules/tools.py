"""Tools and steps as data, for plans that nobody carries out."""

from goals.plan_rules import Known

TOOLS = {
    "read_file": {
        "type": "object",
        "properties": {"path": {"type": "string"}, "max_lines": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
        "required": ["path"],
    },
    "list_files": {
        "type": "object",
        "properties": {"path": {"type": "string"}, "exclude": {"$ref": "#/$defs/globs"}},
        "$defs": {"globs": {"type": "array", "items": {"type": "string"}}},
    },
    "send": {
        "type": "object",
        "properties": {"to": {"type": "string"}, "text": {"type": "string"}},
        "required": ["to", "text"],
    },
}
KEYS = frozenset({"folder", "brief"})
KNOWN = Known(TOOLS, KEYS, most=6)
OBJECTIVE = "Describe the garden to its visitors"


def step(title="Survey the beds", predicate="execute", **fields):
    """A checkpoint that is good as it stands."""
    return {
        "title": title,
        "description": f"{title}, one by one",
        "success_criteria": f"{title}: survey.md names every bed",
        "predicate": predicate,
        "args": {},
        **fields,
    }


def tool(name="list_files", key="files", title="List", **given):
    return step(title, "use_tool", args={"tool": name, "input": given}, evidence_key=key)


def child(gloss="Count the beds", predicate="execute", **fields):
    """A subgoal that is good as it stands."""
    return {"gloss": gloss, "predicate": predicate, "args": {}, **fields}
