"""Rows into snapshots, decisions into rows. Only this module turns rows into what the engine looks at.

A `Picture` is a snapshot with the rows behind it. It stays valid as long as the goal's `seq` does, since every change
by somebody else writes an event; so a driver reads the rows again only when somebody else has written.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings

from artifacts.kinds import Trust
from artifacts.models import Artifact
from artifacts.services import evidence_keys, latest
from goals import engine, rows, tree
from goals.decisions import Action, Decision, Failure, Perform, Spawn
from goals.models import Checkpoint, Goal, ModelCall, Question, Subgoal, ToolCall
from goals.proof import prove_by_conditions, speaks_for_itself
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
from goals.transitions import Writer

AHEAD = 10  # pending checkpoints that are read at once
WINDOW = [CheckpointStatus.PENDING, CheckpointStatus.ACTIVE]


@dataclass
class Picture:
    """The window on one goal: its rows by id, and the goal's `seq` at which they were read."""

    goal: Goal
    seq: int = -1
    checkpoints: dict[UUID, Checkpoint] = field(default_factory=dict)
    subgoals: dict[UUID, Subgoal] = field(default_factory=dict)
    depends_on: dict[UUID, frozenset[UUID]] = field(default_factory=dict)
    evidence: frozenset[str] = frozenset()
    questions: dict[UUID, Question] = field(default_factory=dict)
    plan_question: Question | None = None
    limits: tree.Limits = field(init=False)

    def __post_init__(self) -> None:
        self.limits = limits_of(self.goal)

    @property
    def active(self) -> Checkpoint | None:
        return next((c for c in self.checkpoints.values() if c.status == CheckpointStatus.ACTIVE), None)


def load(goal: Goal) -> Picture:
    """Read the window: the active checkpoint, the next pending ones, the tree of the attempt in hand, its evidence."""
    picture = Picture(goal, goal.seq)
    if goal.plan_asked:
        picture.plan_question = Question.objects.open().about_plans_of(goal).first()
    window = Checkpoint.objects.filter(goal=goal, status__in=WINDOW).order_by("position")[: AHEAD + 1]
    picture.checkpoints = {checkpoint.pk: checkpoint for checkpoint in window}
    active = picture.active
    if active is not None:
        rows = Subgoal.objects.filter(checkpoint=active, round=active.round)
        picture.subgoals = {subgoal.pk: subgoal for subgoal in rows}
        if len(picture.subgoals) > 1:
            picture.depends_on = _dependencies(picture)
        picture.evidence = _evidence(goal, active, picture.subgoals.values())
        asked = [subgoal for subgoal in picture.subgoals.values() if subgoal.asked]
        if asked:
            open_ones = Question.objects.open().filter(subgoal__in=asked)
            picture.questions = {question.subgoal_id: question for question in open_ones}
    return picture


def _dependencies(picture: Picture) -> dict[UUID, frozenset[UUID]]:
    found: dict[UUID, set[UUID]] = {}
    through = Subgoal.depends_on.through.objects.filter(from_subgoal_id__in=list(picture.subgoals))
    for row in through.values_list("from_subgoal_id", "to_subgoal_id"):
        found.setdefault(row[0], set()).add(row[1])
    return {node: frozenset(others) for node, others in found.items()}


def _evidence(goal: Goal, checkpoint: Checkpoint, subgoals: Any) -> frozenset[str]:
    """Return which of the wanted keys are known: what people said, and what was made since the attempt began to count.

    What is older counts once more for the first attempt at a step of a revised plan, where it belongs to something
    completed: that is real. Evidence of an attempt that failed its verification, or of an earlier iteration, does not
    count as done. Only a person's word confirms, and only what was asked in this iteration.
    """
    keys = {c["key"] for s in subgoals for c in s.done_when if c["kind"] == "has_evidence"}
    keys |= {s.evidence_key for s in subgoals if s.evidence_key}
    if not keys:
        return frozenset()
    confirmed = {s.evidence_key for s in subgoals if s.predicate == Predicate.CONFIRM and s.evidence_key}
    since = checkpoint.evidence_since
    if since is None and not confirmed:
        return evidence_keys(goal.artifact_context_id, keys)
    known = latest(goal.artifact_context_id, keys)
    floor = goal.iteration_started_at
    person = {name: artifact for name, artifact in known.items() if artifact.trust == Trust.PERSON}
    said = {n for n, a in person.items() if n not in confirmed or floor is None or a.created_at >= floor}
    made = {name: artifact for name, artifact in known.items() if name not in person.keys() | confirmed}
    fresh = {name for name, artifact in made.items() if since is None or artifact.created_at >= since}
    older = {name: artifact for name, artifact in made.items() if name not in fresh}
    return frozenset(said | fresh | (_of_completed(goal, older) if older and checkpoint.attempts <= 1 else set()))


def _of_completed(goal: Goal, artifacts: dict[str, Artifact]) -> set[str]:
    """Return the names of those that completed checkpoints of this iteration left, or that no work of a step made."""
    floor = goal.iteration_started_at
    makers = {n: a.metadata.get("subgoal") for n, a in artifacts.items() if floor is None or a.created_at >= floor}
    rows = Subgoal.objects.filter(pk__in=[maker for maker in makers.values() if maker])
    completed = rows.filter(goal=goal, checkpoint__status=CheckpointStatus.COMPLETED).values_list("pk", flat=True)
    real = {str(pk) for pk in completed}
    return {name for name, maker in makers.items() if maker is None or maker in real}


def evidence_for(picture: Picture, subgoals: Any) -> frozenset[str]:
    """Return which keys of these subgoals are known."""
    return _evidence(picture.goal, picture.active, subgoals) if picture.active else frozenset()


# -- rows to the pure picture -----------------------------------------------------------------------------------


def snapshot(picture: Picture) -> tree.Snapshot:
    """Return what the engine looks at."""
    return tree.Snapshot(
        goal=_goal_view(picture),
        checkpoints=tuple(_checkpoint_view(c, picture) for c in picture.checkpoints.values()),
        nodes=tuple(_node(s, picture) for s in picture.subgoals.values()),
        evidence=picture.evidence,
        limits=picture.limits,
    )


def limits_of(goal: Goal) -> tree.Limits:
    """Return the goal's limits: the site's defaults, or what was chosen for this goal."""
    defaults = tree.Limits(
        parallel=settings.GOALSITE_MAX_PARALLEL,
        max_depth=settings.GOALSITE_MAX_DEPTH,
        retries=settings.GOALSITE_MAX_RETRIES,
        replans=settings.GOALSITE_MAX_REPLANS,
        checkpoint_attempts=settings.GOALSITE_MAX_CHECKPOINT_ATTEMPTS,
        iterations=settings.GOALSITE_MAX_ITERATIONS,
        revisions=settings.GOALSITE_MAX_REVISIONS,
        no_progress=settings.GOALSITE_MAX_NO_PROGRESS,
        evaluate_every=settings.GOALSITE_EVALUATE_EVERY,
        checkpoint_seconds=settings.GOALSITE_MAX_CHECKPOINT_SECONDS,
    )
    chosen = {name: value for name, value in goal.options.items() if name in tree.Limits.__dataclass_fields__}
    return replace(defaults, **chosen) if chosen else defaults


def _goal_view(picture: Picture) -> tree.GoalView:
    goal, question = picture.goal, picture.plan_question
    deadline = goal.options.get("deadline")
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
        watch_seconds=float(goal.options.get("interval", 60.0)),
        deadline=datetime.fromisoformat(deadline) if deadline else None,
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


# -- decisions to rows ------------------------------------------------------------------------------------------


def settle(writer: Writer, picture: Picture) -> tuple[Decision, ...]:
    """Make all moves that need nothing from outside, within the writer's transaction; return what is left to perform.

    The picture's rows change along with the table's.
    """
    writer.know(*picture.checkpoints.values(), *picture.subgoals.values())
    while True:
        _, moves, decisions = engine.settle(snapshot(picture), writer.now)
        for move in moves:
            writer.move(move)
        here = [decision for decision in decisions if _do_here(writer, picture, decision)]
        if not here:
            picture.seq = writer.goal.seq
            return decisions


def _do_here(writer: Writer, picture: Picture, decision: Decision) -> bool:
    """Carry out a decision that reaches nothing outside; False when it does."""
    if isinstance(decision, Spawn):
        _spawn(writer, picture, decision)
        return True
    if isinstance(decision, Perform) and decision.action is Action.VERIFY_CHECKPOINT:
        checkpoint = picture.checkpoints[decision.target]
        if speaks_for_itself(checkpoint):
            root = next(s for s in picture.subgoals.values() if s.parent_id is None)
            prove_by_conditions(writer, checkpoint, root)
            return True
    return False


def _spawn(writer: Writer, picture: Picture, spawn: Spawn) -> None:
    """Begin an attempt: a fresh root subgoal made of the checkpoint's plan."""
    checkpoint = picture.checkpoints[spawn.checkpoint]
    facts: dict[str, Any] = {"attempts": spawn.attempt, "verdict": "", "seconds": 0.0, "failure": spawn.reason}
    if spawn.attempt > 1:
        # The clock, not the transaction's time: what this transaction has kept of the last attempt counts no more.
        facts["evidence_since"] = rows.execute("SELECT clock_timestamp()", []).fetchone()[0]
    writer.facts(checkpoint, **facts)
    root = Subgoal(
        goal=writer.goal,
        checkpoint=checkpoint,
        round=checkpoint.round,
        gloss=checkpoint.description or checkpoint.title,
        predicate=checkpoint.predicate,
        args=checkpoint.args,
        operation=checkpoint.operation,
        done_when=checkpoint.done_when,
        tools=checkpoint.tools,
        evidence_key=checkpoint.evidence_key,
        provenance=checkpoint.provenance,
        previous_failure=spawn.reason,
    )
    writer.insert(root)
    following = [c for c in picture.checkpoints.values() if c.position > checkpoint.position]
    if not following:
        pending = Checkpoint.objects.filter(goal=writer.goal, status=CheckpointStatus.PENDING)
        following = list(pending.filter(position__gt=checkpoint.position).order_by("position")[:AHEAD])
        writer.know(*following)
    picture.checkpoints = {row.pk: row for row in [checkpoint, *following]}
    picture.subgoals = {root.pk: root}
    picture.depends_on = {}
    picture.evidence = _evidence(writer.goal, checkpoint, [root])
    payload = {"checkpoint": str(checkpoint.pk), "title": checkpoint.title, "position": checkpoint.position}
    writer.event("checkpoint.started", {**payload, "attempt": spawn.attempt, "reason": spawn.reason})
