"""Artifacts of a conversation's earlier goals that a new goal's words name after an @: it is given them as its own.

A file is left out: its value is a path in another goal's workspace. (What a person has attached, every goal is given.)
"""

import re
from typing import Any

from artifacts.kinds import ArtifactType
from artifacts.models import Artifact
from artifacts.references import NAME
from artifacts.resolving import NotAValue, value_of
from goals.effects.making import make_artifact
from goals.models import Goal
from goals.transitions import Writer

MOST = 10
MENTION = re.compile(rf"(?<![\w@])@({NAME.pattern})")


def give(writer: Writer, conversation_id: Any, text: str) -> None:
    """Give a goal the newest artifact of each name that it has not yet, with lineage; any other name is only words."""
    names = list(dict.fromkeys(MENTION.findall(text)))[:MOST]
    if not names:
        return
    known = Artifact.objects.filter(context_id=writer.goal.artifact_context_id, name__in=names)
    contexts = Goal.objects.filter(conversation_id=conversation_id).exclude(pk=writer.goal.pk)
    rows = Artifact.objects.filter(context_id__in=contexts.values("artifact_context_id"), name__in=names)
    rows = rows.exclude(type=ArtifactType.FILE).exclude(name__in=known.values("name"))
    newest = rows.order_by("name", "-created_at").distinct("name")
    for artifact in newest:
        _copy(writer, artifact)


def _copy(writer: Writer, artifact: Artifact) -> None:
    try:
        value = value_of(artifact)
    except NotAValue:
        return
    make_artifact(
        writer,
        artifact.name,
        type=artifact.type,
        value=value,
        description=artifact.description,
        purpose=artifact.purpose,
        metadata={"mentioned": str(artifact.pk)},
        trust=artifact.trust,
        derived_from=[artifact],
    )
