"""What a tool is given: arguments from the declared ones, then references, then evidence; and the room it works in."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from artifacts.clean import clean
from artifacts.models import Artifact
from artifacts.resolving import value_of
from artifacts.services import latest, resolve_references
from goals.driver import Drive
from goals.effects.making import ask_person, wait_for_person
from goals.models import Subgoal, ToolCall
from goals.states import QuestionKind
from goals.tools.base import Tool, ToolContext
from goals.tools.workspace import Workspace

TOOL_SECONDS = 120


@dataclass(frozen=True)
class Prepared:
    """A tool with its typed input and the artifacts that the input was made of."""

    tool: Tool
    arguments: dict[str, Any]
    sources: tuple[Artifact, ...]
    untrusted: bool


def prepare(drive: Drive, subgoal: Subgoal, tool: Tool, given: Mapping[str, Any]) -> Prepared | None:
    """Resolve references and fill what is missing from evidence; a required field nobody gives becomes a question.

    Returns None when a person was asked. Raises ToolInputError, or an ArtifactError for an unknown reference.
    """
    context = drive.goal.artifact_context_id
    resolved = resolve_references(context, dict(given))
    arguments, sources = dict(resolved.value), list(resolved.sources)
    missing = [name for name in tool.required() if name not in arguments]
    if missing:
        known = latest(context, missing)
        for name, artifact in known.items():
            arguments[name] = value_of(artifact)
            sources.append(artifact)
        absent = next((name for name in missing if name not in known), None)
        if absent is not None:
            _ask_for(drive, subgoal, tool, absent)
            return None
    tool.parse(arguments)
    # Arguments that were planned by a model that had seen content from outside may be that content's.
    untrusted = any(source.trust == "untrusted" for source in sources) or bool(subgoal.provenance.get("untrusted"))
    return Prepared(tool, clean(arguments), tuple(sources), untrusted)


def _ask_for(drive: Drive, subgoal: Subgoal, tool: Tool, name: str) -> None:
    description = tool.said_of(name) or f"{tool.name} needs it"
    with drive.writing() as writer:
        prompt = f"What is the {name.replace('_', ' ')}? ({description})"
        ask_person(writer, QuestionKind.INFORMATION, prompt, subgoal=subgoal, key=name)
        wait_for_person(writer, subgoal)


def context_of(drive: Drive, row: ToolCall, seconds: float) -> ToolContext:
    workspace = Workspace(drive.goal.workspace, read_roots=tuple(settings.GOALSITE_READ_ROOTS))
    subgoal = str(row.subgoal_id) if row.subgoal_id else None
    return ToolContext(str(drive.goal.pk), subgoal, workspace, row.key, min(seconds, float(TOOL_SECONDS)))
