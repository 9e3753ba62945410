"""A proposed plan as people read it: what each step does, with what, and how it is known to be done."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from goals.states import Operation

DOES = {
    "composite": "Has parts of its own",
    "use_tool": "Uses one tool",
    "gather_info": "Asks you",
    "confirm": "Asks you for a yes or no",
    "present_info": "Tells you something",
}
WORKS = {"think": "Thinks and writes", "search": "Looks things up", "write": "Works with tools"}
# The argument that says in words what a step is to do or say.
SAYS = {
    "execute": ("instructions", "Instructions"),
    "gather_info": ("prompt", "Question"),
    "confirm": ("question", "Question"),
    "present_info": ("text", "Text"),
}
BEYOND_WORDS = 300


@dataclass(frozen=True)
class Step:
    """One step of a proposed plan; `raw` is the checkpoint as it was proposed."""

    number: int
    raw: Mapping[str, Any]

    @property
    def title(self) -> str:
        return str(self.raw["title"])

    @property
    def description(self) -> str:
        return str(self.raw.get("description") or "")

    @property
    def criteria(self) -> str:
        return str(self.raw.get("success_criteria") or "")

    @property
    def does(self) -> str:
        return DOES.get(self.raw["predicate"]) or WORKS.get(self.operation, "Works")

    @property
    def operation(self) -> str:
        """How far an `execute` reaches; blank for every other step."""
        return (self.raw.get("operation") or Operation.WRITE.value) if self.raw["predicate"] == "execute" else ""

    @property
    def tools(self) -> list[str]:
        called = self._args.get("tool")
        named = [called, *(self.raw.get("tools") or [])]
        return list(dict.fromkeys(str(name) for name in named if name))

    @property
    def says(self) -> tuple[str, str, str] | None:
        """The argument that says what to do, unless the description does: its name, what it is called, its text."""
        name, label = SAYS.get(self.raw["predicate"], ("", ""))
        text = str(self._args.get(name) or "")
        return (name, label, text) if text and text != self.description else None

    @property
    def input(self) -> str:
        """What its tool is given, as JSON; blank for a step that calls none."""
        if self.raw["predicate"] != "use_tool":
            return ""
        return json.dumps(self._args.get("input", {}), ensure_ascii=False, indent=2)

    @property
    def json(self) -> str:
        return json.dumps(self.raw, ensure_ascii=False)

    @property
    def checks(self) -> list[str]:
        """How it is known to be done, beside what is said in its criteria."""
        return list(_checks(self.raw))

    @property
    def _args(self) -> Mapping[str, Any]:
        return self.raw.get("args") or {}


@dataclass(frozen=True)
class Proposal:
    """One of the plans to choose from."""

    number: int
    raw: Mapping[str, Any]

    @property
    def steps(self) -> list[Step]:
        return [Step(number, raw) for number, raw in enumerate(self.raw["checkpoints"], 1)]

    @property
    def notes(self) -> str:
        return str(self.raw.get("notes") or "")

    @property
    def source(self) -> str:
        source = self.raw["source"]
        return f"procedure {source['sop']}" if source["source"] == "sop" else "the model"

    @property
    def untrusted(self) -> bool:
        return bool(self.raw["source"].get("untrusted"))


def proposals(details: Mapping[str, Any]) -> list[Proposal]:
    """Return the plans of a question's details."""
    return [Proposal(number, raw) for number, raw in enumerate(details["plans"], 1)]


def _checks(raw: Mapping[str, Any]) -> Iterator[str]:
    if raw.get("verifier"):
        yield verifier_in_words(raw["verifier"])
    for condition in raw.get("done_when") or []:
        match condition.get("kind"):
            case "has_evidence":
                yield f"@{condition['key']} is there"
            case "predicate_true":
                yield str(condition["predicate"])
            case "verifier":
                yield verifier_in_words(condition["verifier"])
            case "after":
                yield f"it is {condition['at']}"


def verifier_in_words(spec: Mapping[str, Any]) -> str:
    """Return what a verifier looks at, in a line."""
    match spec:
        case {"type": "llm"}:
            return f"a judge finds: {spec.get('condition') or 'the criteria are met'}"
        case {"type": "artifact", "name": name}:
            return f"@{name} is {'there' if spec.get('exists', True) else 'not there'}"
        case {"type": "data", "contains": text}:
            return f"{_subject(spec)} contains “{text}”"
        case {"type": "data", "expr": text}:
            return f"of {_subject(spec)}: {text}"
        case {"type": "command" | "test", "command": command}:
            return f"the command succeeds: {command}"
        case {"type": "all" | "any" as how, "of": parts}:
            return (" and " if how == "all" else " or ").join(verifier_in_words(part) for part in parts)
    return json.dumps(spec, ensure_ascii=False)[:BEYOND_WORDS]


def _subject(spec: Mapping[str, Any]) -> str:
    return f"@{spec['artifact']}" if spec.get("artifact") else str(spec.get("path"))
