"""PURE: a procedure and what is known already become the steps of a plan."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Any

from sops.exceptions import NotAdaptable
from sops.schema import InputSpec, SopSpec, StepSpec


@dataclass(frozen=True)
class PlannedStep:
    """One checkpoint or child to be. `step` is the position in the procedure, None for an input that is asked."""

    title: str
    description: str
    success_criteria: str
    predicate: str
    args: dict[str, Any] = field(default_factory=dict)
    operation: str | None = None
    tools: tuple[str, ...] = ()
    evidence_key: str | None = None
    done_when: tuple[dict[str, Any], ...] = ()
    step: int | None = None


def adapt(
    spec: SopSpec, evidence: AbstractSet[str], known_tools: AbstractSet[str], goal_objective: str = ""
) -> list[PlannedStep]:
    """The steps of `spec`, preceded by a question for each required input that nothing gives.

    Each step keeps its own predicate, evidence key, tools, args and conditions. Raises `NotAdaptable` when a tool
    that a step calls does not exist here; a tool that is only suggested is left out.
    """
    if missing := missing_tools(spec, known_tools):
        raise NotAdaptable(f"{spec.slug} needs tools that this site does not have: {', '.join(missing)}")
    asked = [gather(entry, goal_objective) for entry in missing_inputs(spec, evidence)]
    given = defaults(spec, evidence)
    return distinct(asked + [planned(position, step, known_tools, given) for position, step in enumerate(spec.steps)])


def distinct(steps: list[PlannedStep]) -> list[PlannedStep]:
    """The steps with each title once: glosses that begin alike are alike when they are shortened."""
    seen: dict[str, int] = {}
    told = []
    for step in steps:
        times = seen[step.title.casefold()] = seen.get(step.title.casefold(), 0) + 1
        told.append(step if times == 1 else replace(step, title=f"{step.title} ({times})"))
    return told


def missing_tools(spec: SopSpec, known_tools: AbstractSet[str]) -> list[str]:
    """Tools that steps call by name and that do not exist here."""
    return sorted({step.tool for step in spec.steps if step.tool} - known_tools)


def missing_inputs(spec: SopSpec, evidence: AbstractSet[str]) -> list[InputSpec]:
    """Required inputs that are neither known nor the outcome of an own step."""
    produced = {step.evidence_key for step in spec.steps}
    return [entry for entry in spec.inputs if entry.required and entry.name not in evidence | produced]


def defaults(spec: SopSpec, evidence: AbstractSet[str]) -> dict[str, Any]:
    """What optional inputs stand for as long as nobody gave them."""
    known = evidence | {step.evidence_key for step in spec.steps}
    return {entry.name: entry.default for entry in spec.inputs if not entry.required and entry.name not in known}


def filled(value: Any, given: dict[str, Any]) -> Any:
    """The JSON value with each `@name` of an optional input replaced by its default."""
    if isinstance(value, str):
        return given[value[1:]] if value[:1] == "@" and value[1:] in given else value
    if isinstance(value, dict):
        return {name: filled(item, given) for name, item in value.items()}
    if isinstance(value, list):
        return [filled(item, given) for item in value]
    return value


def gather(entry: InputSpec, goal_objective: str) -> PlannedStep:
    label = entry.name.replace("_", " ")
    prompt = entry.prompt or entry.description or f"What is the {label}?"
    args: dict[str, Any] = {"key": entry.name, "prompt": prompt}
    if entry.suggestions:
        args["suggestions"] = list(entry.suggestions)
    needed = f"Needed for: {goal_objective}" if goal_objective else f"The procedure needs the {label}."
    return PlannedStep(
        title=f"Ask for the {label}",
        description=entry.description or needed,
        success_criteria=f"@{entry.name} is known.",
        predicate="gather_info",
        args=args,
        evidence_key=entry.name,
        done_when=({"kind": "has_evidence", "key": entry.name},),
    )


def planned(position: int, step: StepSpec, known_tools: AbstractSet[str], given: dict[str, Any]) -> PlannedStep:
    conditions = tuple(condition.model_dump(mode="json") for condition in step.done_when)
    return PlannedStep(
        title=step.title or shortened(step.gloss),
        description=step.gloss,
        success_criteria="; ".join(said(condition) for condition in conditions) or f"Done: {step.gloss}",
        predicate=step.predicate,
        args=filled(step.args, given),
        operation=step.operation,
        tools=tuple(tool for tool in step.tools if tool in known_tools),
        evidence_key=step.evidence_key,
        done_when=conditions,
        step=position,
    )


def said(condition: dict[str, Any]) -> str:
    """A condition in words, for people and for prompts."""
    match condition["kind"]:
        case "has_evidence":
            return f"@{condition['key']} is known"
        case "predicate_true":
            return str(condition["predicate"])
        case "after":
            return f"it is past {condition['at']}"
        case _:
            return f"its {condition['verifier'].get('type', 'own')} verifier passes"


def shortened(text: str, limit: int = 80) -> str:
    return text if len(text) <= limit else text[: limit - 1].rsplit(" ", 1)[0] + "…"
