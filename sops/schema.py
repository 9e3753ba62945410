"""PURE: the form of a procedure as people write it, in files, in the API and by distilling.

`parse(raw)` is the door: it accepts the older form too (`sops.seed_form`), fills what follows from the rest and
raises `InvalidSop`, whose problems name the field and what is allowed. Sizes are bounded throughout.
"""

import hashlib
import json
import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints, ValidationError, model_validator

from sops.exceptions import InvalidSop
from sops.seed_form import modernise_sop, modernise_step
from sops.text import MAX_DEPTH, unstorable

MAX_STEPS = 50
MAX_JSON = 20_000
UNSTORABLE = f"cannot be stored: NUL or unpaired surrogates, NaN or Infinity, or what is nested over {MAX_DEPTH} deep"
KEY = r"^[A-Za-z_][A-Za-z0-9_-]{0,79}$"
REFERENCE = re.compile(r"^@([A-Za-z_][A-Za-z0-9_-]*)(?::\d+)?(?:\.[\w-]+)*$")

Key = Annotated[str, StringConstraints(pattern=KEY)]
Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=4000)]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(?:-[a-z0-9]+)*$", max_length=80)]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class HasEvidence(Strict):
    kind: Literal["has_evidence"]
    key: Key


class PredicateTrue(Strict):
    kind: Literal["predicate_true"]
    predicate: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]


class VerifierPasses(Strict):
    kind: Literal["verifier"]
    verifier: dict[str, JsonValue]


class After(Strict):
    kind: Literal["after"]
    at: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?$", max_length=40)]


Condition = Annotated[HasEvidence | PredicateTrue | VerifierPasses | After, Field(discriminator="kind")]


class InputSpec(Strict):
    """Something the procedure needs. A required one that is not known yet is asked with `prompt`.

    One that is not required has a `default`, which takes the place of `@name` in the steps' args.
    """

    name: Key
    description: Text = ""
    required: bool = True
    prompt: Text = ""
    suggestions: list[JsonValue] = Field(default_factory=list, max_length=20)
    default: JsonValue = None


class OutputSpec(Strict):
    name: Key
    description: Text = ""


class StepSpec(Strict):
    """One step. `evidence_key` names the artifact that it leaves; later steps say `@key` for it."""

    title: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] = ""
    gloss: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
    predicate: Literal["composite", "use_tool", "gather_info", "confirm", "present_info", "execute"]
    operation: Literal["think", "write", "search"] | None = None
    evidence_key: Key | None = None
    tools: list[Line] = Field(default_factory=list, max_length=20)
    args: dict[str, JsonValue] = Field(default_factory=dict)
    done_when: list[Condition] = Field(default_factory=list, max_length=10)
    prompt: Text = ""

    @model_validator(mode="before")
    @classmethod
    def complete(cls, raw: Any) -> Any:
        from sops.step_defaults import with_defaults

        return with_defaults(modernise_step(raw))

    @model_validator(mode="after")
    def check(self) -> "StepSpec":
        if len(json.dumps(self.args)) > MAX_JSON:
            raise ValueError(f"args are over {MAX_JSON} characters of JSON")
        if self.predicate == "use_tool" and not isinstance(self.args.get("tool"), str):
            raise ValueError('a use_tool step needs args {"tool": NAME, "input": {…}} or a tool in tools')
        if not isinstance(self.args.get("input", {}), dict):
            raise ValueError("args.input must be an object")
        return self

    @property
    def tool(self) -> str | None:
        """The tool that a `use_tool` step names."""
        name = self.args.get("tool") if self.predicate == "use_tool" else None
        return name if isinstance(name, str) else None


class SopSpec(Strict):
    slug: Slug
    title: Line
    intent: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)]
    description: Text = ""
    prerequisites: list[Line] = Field(default_factory=list, max_length=20)
    inputs: list[InputSpec] = Field(default_factory=list, max_length=30)
    outputs: list[OutputSpec] = Field(default_factory=list, max_length=30)
    steps: list[StepSpec] = Field(min_length=1, max_length=MAX_STEPS)
    tags: list[Line] = Field(default_factory=list, max_length=60)
    quality: dict[str, JsonValue] = Field(default_factory=dict, max_length=20)
    verifier: dict[str, JsonValue] | None = None

    @model_validator(mode="before")
    @classmethod
    def complete(cls, raw: Any) -> Any:
        return modernise_sop(raw)

    @model_validator(mode="after")
    def check(self) -> "SopSpec":
        problems = [*repeated("inputs", [i.name for i in self.inputs]), *unproduced(self)]
        if problems:
            raise ValueError("; ".join(problems))
        return self

    def plain(self) -> dict[str, Any]:
        """JSON of the parts that say something, in the order of the fields: what files hold."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def digest(self) -> str:
        """SHA-256 of the canonical text; equal for files that mean the same."""
        canonical = json.dumps(self.model_dump(mode="json"), sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()

    def tools(self) -> set[str]:
        """Every tool that the steps name."""
        return {tool for step in self.steps for tool in step.tools}


def repeated(field: str, names: list[str]) -> list[str]:
    return [f"{field}: {name!r} is given twice" for name in sorted({n for n in names if names.count(n) > 1})]


def unproduced(spec: SopSpec) -> list[str]:
    """References to evidence that neither an input nor an earlier step gives."""
    known, problems = {entry.name for entry in spec.inputs}, []
    for position, step in enumerate(spec.steps):
        for name in sorted(references(step.args) - known):
            problems.append(
                f"steps.{position}.args: @{name} is not known there (known: {', '.join(sorted(known)) or 'nothing'})"
            )
        if step.evidence_key:
            known.add(step.evidence_key)
    return problems


def references(value: Any) -> set[str]:
    """Names of the whole-value `@references` in a JSON value."""
    if isinstance(value, str):
        found = REFERENCE.match(value)
        return {found.group(1)} if found else set()
    if isinstance(value, dict):
        return set().union(*(references(item) for item in value.values())) if value else set()
    if isinstance(value, list):
        return set().union(*(references(item) for item in value)) if value else set()
    return set()


def parse(raw: Any, *, source: str = "procedure") -> SopSpec:
    """The procedure that `raw` (JSON value) describes; `source` is named by the error."""
    if not isinstance(raw, dict):
        raise InvalidSop(source, [("(whole)", f"a procedure is an object with title, intent, steps; not {kind(raw)}")])
    if found := [*unstorable(raw)]:
        raise InvalidSop(source, [(named(path), UNSTORABLE) for path in dict.fromkeys(found)])
    try:
        return SopSpec.model_validate(raw)
    except ValidationError as error:
        raise InvalidSop(source, [problem(entry) for entry in error.errors(include_url=False)]) from error


def problem(entry: Any) -> tuple[str, str]:
    field = named(entry["loc"])
    message = entry["msg"].removeprefix("Value error, ")
    if entry["type"] == "extra_forbidden":
        message = f"unknown field; allowed: {', '.join(allowed_beside(entry['loc']))}"
    return field, message


def named(path: tuple[Any, ...]) -> str:
    return ".".join(str(part) for part in path) or "(whole)"


def allowed_beside(loc: tuple[Any, ...]) -> list[str]:
    models = {"steps": StepSpec, "inputs": InputSpec, "outputs": OutputSpec}
    if "done_when" in loc:
        return ["kind", "key", "predicate", "verifier", "at"]
    model = models.get(loc[0], SopSpec) if len(loc) > 1 else SopSpec
    return list(model.model_fields)


def kind(value: Any) -> str:
    names = {type(None): "null", list: "an array", str: "a string", bool: "true/false", int: "a number"}
    return names.get(type(value), type(value).__name__)


__all__ = ["Condition", "InputSpec", "OutputSpec", "SopSpec", "StepSpec", "parse", "references"]
