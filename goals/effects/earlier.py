"""What attempts before this one did: it is real, though they were not finished or not accepted."""

from typing import Any

from django.db.models import Q, QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Left

from artifacts.models import Artifact
from goals.effects import briefing
from goals.models import Checkpoint, Subgoal, ToolCall
from goals.results import text_of
from goals.states import EffectClass, EffectStatus, SubgoalStatus
from goals.tools.text import shorten

MOST_NODES, MOST_CALLS = 20, 20
LONGEST_RESULT, LONGEST_VALUE = 2_000, 600
STANDING = "It was not finished or not accepted, for the reason given. What is listed is real all the same."
REAL = "done outside: the same call is answered from the record and not made again"


def work_of(checkpoint: Checkpoint | None, subgoal: Subgoal) -> dict[str, Any]:
    """Return what the last attempt at the checkpoint, and earlier tries at this subgoal, achieved; {} where nothing."""
    if checkpoint is None or (checkpoint.round <= 1 and subgoal.attempts <= 1):
        return {}
    achieved, calls = _achieved(checkpoint), _calls(checkpoint, subgoal)
    if not achieved and not calls:
        return {}
    why = subgoal.previous_failure or checkpoint.failure
    return {"standing": STANDING, "why_again": why, "achieved": achieved, "tool_calls": calls}


def is_untrusted(work: dict[str, Any]) -> bool:
    """Whether any of it came from outside."""
    return any(call.get("untrusted") for call in work.get("tool_calls", ()))


def _achieved(checkpoint: Checkpoint) -> list[dict[str, str]]:
    last = Subgoal.objects.filter(checkpoint=checkpoint, round=checkpoint.round - 1, status=SubgoalStatus.ACHIEVED)
    rows = last.order_by("depth", "position", "created_at")[:MOST_NODES]
    return [
        {"gloss": shorten(row.gloss, 500), "result": text_of(row, LONGEST_RESULT), "evidence": row.evidence_key}
        for row in rows
    ]


def _calls(checkpoint: Checkpoint, subgoal: Subgoal) -> list[dict[str, Any]]:
    last_attempt = Q(checkpoint=checkpoint, subgoal__round=checkpoint.round - 1)
    earlier_try = Q(subgoal=subgoal, attempt__lt=subgoal.attempts)
    done = ToolCall.objects.filter(last_attempt | earlier_try, status=EffectStatus.SUCCEEDED, subgoal__isnull=False)
    shown = done.annotate(value=Left(KeyTextTransform("value", "response"), LONGEST_VALUE + 1)).defer("response")
    rows = list(reversed(shown.order_by("-created_at", "-id")[:MOST_CALLS]))
    kept = _kept(checkpoint, rows)
    return [_call(row, kept.get(str(row.pk), [])) for row in rows]


def _call(row: Any, kept: list[str]) -> dict[str, Any]:
    value = row.value or ""
    told = {
        "tool": row.tool,
        "arguments": briefing.shortened(row.request.get("input", {})),
        "summary": shorten(row.summary, 500),
        "gave": value if len(value) <= LONGEST_VALUE else f"{value[:LONGEST_VALUE]}… (cut)",
        "kept_as": kept,
        "untrusted": row.untrusted,
    }
    return {**told, "note": REAL} if row.effect_class == EffectClass.EXTERNAL else told


def _kept(checkpoint: Checkpoint, rows: list[Any]) -> dict[str, list[str]]:
    """Return the references of the artifacts that these calls left, by call."""
    if not rows:
        return {}
    made: QuerySet[Artifact] = Artifact.objects.filter(
        context_id=checkpoint.goal.artifact_context_id,
        created_at__gte=rows[0].created_at,
        metadata__call__in=[str(row.pk) for row in rows],
    )
    kept: dict[str, list[str]] = {}
    for name, version, call in made.order_by("created_at").values_list("name", "version", "metadata__call"):
        kept.setdefault(call, []).append(f"@{name}:{version}")
    return kept
