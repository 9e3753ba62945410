"""Follow a plan literally: real tools on a real folder, answers from a table, every confirmation a yes."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from artifacts.references import resolve
from goals.tools import registry
from goals.tools.base import ToolContext
from goals.tools.workspace import Workspace
from sops.adaptation import PlannedStep, adapt
from sops.schema import SopSpec


@dataclass
class Walk:
    """What was asked and shown on the way, and the evidence at its end."""

    evidence: dict[str, Any]
    asked: list[dict[str, Any]] = field(default_factory=list)
    shown: list[dict[str, Any]] = field(default_factory=list)


def follow(spec: SopSpec, folder: Path, answers: dict[str, Any], known: dict[str, Any] | None = None) -> Walk:
    """`answers` are given when asked; `known` is evidence from the start."""
    walk = Walk(dict(known or {}))
    for number, step in enumerate(adapt(spec, set(walk.evidence), set(registry.own_names()), "a test")):
        if step.evidence_key not in walk.evidence:
            take(step, number, walk, folder, answers)
        missing = [c["key"] for c in step.done_when if c["kind"] == "has_evidence" and c["key"] not in walk.evidence]
        assert not missing, f"{step.title} left no {missing}"
    return walk


def take(step: PlannedStep, number: int, walk: Walk, folder: Path, answers: dict[str, Any]) -> None:
    args = resolve(step.args, lambda reference: walk.evidence[reference.name], lambda: walk.evidence)
    match step.predicate:
        case "use_tool":
            walk.evidence[step.evidence_key] = call(args, number, folder)
        case "gather_info":
            walk.asked.append(args)
            walk.evidence[args["key"]] = answers[args["key"]]
        case "confirm":
            walk.asked.append(args)
            walk.evidence[step.evidence_key] = True
        case "present_info":
            walk.shown.append(args)
        case other:
            raise AssertionError(f"the library has no {other} steps: they would need a model")


def call(args: dict[str, Any], number: int, folder: Path) -> Any:
    tool = registry.get(args["tool"])
    context = ToolContext("goal", f"step-{number}", Workspace(folder), f"key-{number}")
    return tool.run(tool.parse(args["input"]), context).value
