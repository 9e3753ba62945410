"""From rows to what the engine looks at."""

from datetime import datetime
from typing import Any

from goals import tree
from goals.decisions import Failure
from goals.loop.picture import Picture
from goals.models import Checkpoint, Goal, ModelCall, Question, Subgoal, ToolCall
from goals.states import (
    Begun,
    CheckpointStatus,
    Decomposition,
    EffectClass,
    EffectStatus,
    GoalStatus,
    Predicate,
    SubgoalStatus,
)


def snapshot(picture: Picture) -> tree.Snapshot:
    """Return what the engine looks at."""
    return tree.Snapshot(
        goal=_goal_view(picture),
        checkpoints=tuple(_checkpoint_view(c, picture) for c in picture.checkpoints.values()),
        nodes=tuple(_node(s, picture) for s in picture.subgoals.values()),
        evidence=picture.evidence,
        limits=picture.limits,
    )


def _goal_view(picture: Picture) -> tree.GoalView:
    goal, question, watch = picture.goal, picture.plan_question, picture.watch
    return tree.GoalView(
        id=goal.id,
        status=goal.status,
        mode=goal.mode,
        preflight_due=goal.preflight_due,
        plan_due=goal.plan_due,
        plan_asked=goal.plan_asked,
        plan_wake_at=goal.plan_wake_at,
        plan_reminded=question is not None and question.reminded_at is not None,
        revise_reason=goal.revise_reason,
        summary_due=goal.summary_due,
        iteration=goal.iteration,
        revision=goal.revision,
        asked_revisions=goal.asked_revisions,
        attempt=goal.attempt,
        since_evaluation=goal.since_evaluation,
        revise_streak=goal.revise_streak,
        dear_streak=goal.dear_streak,
        words=goal.words,
        words_heard=goal.words_heard,
        repeats=goal.repeats,
        verdict=goal.verdict,
        verdict_reason=goal.verdict_reason,
        unachievable=goal.unachievable,
        failure=Failure.from_json(goal.failure),
        wake_at=goal.wake_at,
        waits_for=goal.waits_for,
        paused_for=goal.paused_for,
        outcome=goal.outcome,
        reason=goal.reason,
        watch=tree.WatchView(watch.interval, watch.deadline, watch.fired, watch.quiet) if watch else tree.WatchView(),
    )


def _checkpoint_view(row: Checkpoint, picture: Picture) -> tree.CheckpointView:
    root = None
    if row.status == CheckpointStatus.ACTIVE:
        root = next((s.pk for s in picture.subgoals.values() if s.parent_id is None), None)
    return tree.CheckpointView(
        id=row.id,
        position=row.position,
        status=row.status,
        attempts=row.attempts,
        root=root,
        verdict=row.verdict,
        failure=row.failure,
        seconds=row.seconds,
        says_something_new=row.says_something_new,
        yields=row.yields,
        begun=_begun(row, picture.goal) if root else Begun.NOTHING,
    )


def _begun(row: Checkpoint, goal: Goal) -> Begun:
    """Return how far the attempt in hand has reached, where that may matter; what was done outside is for ever."""
    if not (goal.revise_reason or goal.words > goal.words_heard or goal.status == GoalStatus.PAUSED):
        return Begun.OUTSIDE
    calls = ToolCall.objects.filter(checkpoint=row)
    if calls.filter(effect_class=EffectClass.EXTERNAL).exclude(status=EffectStatus.FAILED).exists():
        return Begun.OUTSIDE
    this = {"subgoal__checkpoint": row, "subgoal__round": row.round}
    begun = any(model.objects.filter(**this).exists() for model in (ModelCall, ToolCall, Question))
    return Begun.INSIDE if begun else Begun.NOTHING


def _node(row: Subgoal, picture: Picture) -> tree.Node:
    question = picture.questions.get(row.pk) if row.asked else None
    return tree.Node(
        id=row.id,
        predicate=Predicate(row.predicate),
        status=SubgoalStatus(row.status),
        parent=row.parent_id,
        plan=row.plan,
        replans=row.replans,
        position=row.position,
        depth=row.depth,
        decomposition=Decomposition(row.decomposition),
        depends_on=picture.depends_on.get(row.pk, frozenset()),
        done_when=tuple(_condition(c) for c in row.done_when),
        attempts=row.attempts,
        wake_at=row.wake_at,
        asked=row.asked,
        reminded=question is not None and question.reminded_at is not None,
        must_answer=question.prompt[:500] if question is not None and question.must_be_answered else "",
        atomized=row.atomized,
        worked=row.worked,
        checked=row.checked,
        failure=Failure.from_json(row.failure),
    )


def _condition(data: dict[str, Any]) -> tree.Condition:
    at = data.get("at")
    return tree.Condition(data["kind"], data.get("key", ""), datetime.fromisoformat(at) if at else None)
