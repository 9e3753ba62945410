"""What goals came to, as their rows tell it: the words of the result, what they leave behind, what it cost.

The words are the artifact `result` where there is one, else what the last step of substance said. Words that stand in
the conversation already, as a message or as an answer, are not said again.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from artifacts.exceptions import ArtifactError
from artifacts.kinds import ArtifactType, Trust
from artifacts.models import Artifact
from artifacts.resolving import value_of
from goals.chat.amounts import amount
from goals.models import Budget, Checkpoint, Goal, Message, Role, Subgoal
from goals.states import CheckpointStatus, Predicate, Resource, SubgoalStatus

RESULT = "result"
MOST_ARTIFACTS = 6
MOST_FILES = 20
MOST_ROWS = 2_000
LONGEST = 20_000
TO_ITSELF = ("All that a call gave", "Kept when its text was dropped from a prompt")
SPENT = {Resource.COST_USD: "", Resource.MODEL_CALLS: "model calls", Resource.TOKENS: "tokens"}


@dataclass
class Outcome:
    """What one goal came to; `more` counts the artifacts that are not listed."""

    text: str = ""
    is_cut: bool = False
    files: list[str] = field(default_factory=list)
    artifacts: list[Artifact] = field(default_factory=list)
    more: int = 0
    spent: list[str] = field(default_factory=list)


def outcomes(goals: Sequence[Goal], *, among_messages: bool = True) -> dict[Any, Outcome]:
    """Return the outcome of each goal by its id; a fixed number of queries, however many goals there are.

    `among_messages` says that the messages of the goals are shown beside it.
    """
    found = {goal.pk: Outcome() for goal in goals}
    if not goals:
        return found
    named = _artifacts(goals)
    said = {**_spoken(goals), **_written(goals)}
    for goal in goals:
        one, artifacts = found[goal.pk], named[goal.artifact_context_id]
        one.text, one.is_cut = _shortened(said.get(goal.pk, ""))
        one.files = _files(artifacts)
        listed = [row for row in artifacts if _is_for_people(row, one.files)]
        one.artifacts, one.more = listed[-MOST_ARTIFACTS:], max(0, len(listed) - MOST_ARTIFACTS)
    if among_messages:
        _drop_said(goals, found)
    _count(goals, found)
    return found


def _artifacts(goals: Sequence[Goal]) -> dict[Any, list[Artifact]]:
    """Return the latest version of each artifact by context, oldest first."""
    contexts = [goal.artifact_context_id for goal in goals]
    rows = Artifact.objects.filter(context_id__in=contexts).exclude(purpose__in=TO_ITSELF).defer("value")
    latest = rows.order_by("context_id", "name", "-version").distinct("context_id", "name")[:MOST_ROWS]
    found: dict[Any, list[Artifact]] = defaultdict(list)
    for row in sorted(latest, key=lambda row: row.created_at):
        found[row.context_id].append(row)
    return found


def _written(goals: Sequence[Goal]) -> dict[Any, str]:
    """Return the artifact `result` of each goal that has left one as a text."""
    owners = {goal.artifact_context_id: goal.pk for goal in goals}
    rows = Artifact.objects.filter(context_id__in=owners, name=RESULT).exclude(trust=Trust.PERSON)
    texts = {}
    for row in rows.order_by("context_id", "-version").distinct("context_id"):
        try:
            value = value_of(row)
        except ArtifactError:
            continue
        if isinstance(value, str) and row.type != ArtifactType.FILE:
            texts[owners[row.context_id]] = value
    return texts


def _spoken(goals: Sequence[Goal]) -> dict[Any, str]:
    """Return what the last completed step of each goal said, where that was a model's or a tool's word."""
    steps = Checkpoint.objects.filter(goal__in=goals, status=CheckpointStatus.COMPLETED)
    last = list(steps.order_by("goal_id", "-position").distinct("goal_id"))
    spoken = [row for row in last if row.says_something_new and row.predicate != Predicate.USE_TOOL]
    roots = Subgoal.objects.filter(checkpoint__in=spoken, parent=None, status=SubgoalStatus.ACHIEVED)
    whole = {
        row.checkpoint_id: row.result
        for row in roots.order_by("checkpoint_id", "-round").distinct("checkpoint_id")
        if isinstance(row.result, dict)
    }
    return {row.goal_id: str(whole.get(row.pk, {}).get("text") or row.result_summary) for row in spoken}


def _files(artifacts: list[Artifact]) -> list[str]:
    """Return the files that tools say they made, the latest last, each once."""
    found: dict[str, None] = {}
    for row in artifacts:
        files = row.metadata.get("files")
        for path in files if isinstance(files, list) else []:
            if isinstance(path, str):
                found.pop(path, None)
                found[path] = None
    return list(found)[-MOST_FILES:]


def _is_for_people(row: Artifact, files: list[str]) -> bool:
    """Leave out what a person has said, the result itself, and what stands for a file that is listed."""
    return row.trust != Trust.PERSON and row.name != RESULT and not (files and row.metadata.get("files"))


def _shortened(text: str) -> tuple[str, bool]:
    """Cut a long text between two paragraphs."""
    if len(text) <= LONGEST:
        return text.strip(), False
    return text[:LONGEST].rpartition("\n\n")[0] or text[:LONGEST], True


def _drop_said(goals: Sequence[Goal], found: dict[Any, Outcome]) -> None:
    texts = [one.text for one in found.values() if one.text]
    if not texts:
        return
    said = Message.objects.filter(goal__in=goals, role=Role.ASSISTANT, content__in=texts)
    for goal_id, content in said.values_list("goal_id", "content"):
        if found[goal_id].text == content:
            found[goal_id].text = ""


def _count(goals: Sequence[Goal], found: dict[Any, Outcome]) -> None:
    """Say what was spent, of the budget that each goal draws on."""
    rows = Budget.objects.filter(goal_id__in={goal.budget_goal_id for goal in goals}, resource__in=SPENT)
    used = {(row.goal_id, row.resource): row.used for row in rows}
    for goal in goals:
        for resource, noun in SPENT.items():
            value = used.get((goal.budget_goal_id, resource))
            if value:
                found[goal.pk].spent.append(f"{amount(resource, value)} {noun}".strip())
