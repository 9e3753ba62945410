"""Verification: the only thing that completes a checkpoint or a goal (DESIGN sections 5 and 9)."""

import time
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any

from django.conf import settings

from artifacts.resolving import value_of
from artifacts.services import lookup
from goals import progress, rows
from goals.connections import held, pooled, released
from goals.decisions import Failure, FailureKind
from goals.digests import digest as digest_of
from goals.driver import Drive
from goals.effects import briefing, journal
from goals.effects.calls import Call, ask, recording, target_facts
from goals.effects.journal import Outcome
from goals.models import Checkpoint, ToolCall, Verification
from goals.results import text_of
from goals.states import EffectClass, EffectStatus, Resource
from goals.states import Verdict as VerdictWord
from goals.tools.workspace import Workspace
from goals.transitions import Writer
from goals.verifiers.run import Verdict, VerifierContext, run
from goals.verifiers.spec import digest, parse, required_permission

VERIFIER_SECONDS = 120


@dataclass
class Run:
    """One run of a verifier, with the effects that it needed."""

    spec: dict[str, Any]
    verdict: Verdict
    calls: list[Call] = field(default_factory=list)


def preflight(drive: Drive, _goal_id: Any) -> None:
    """Run the goal's verifier once before any money is spent: already met, or broken, is told at once."""
    run_ = run_verifier(drive, drive.goal.verifier, checkpoint=None)
    with recording(drive, *run_.calls) as writer:
        verification = write_verification(writer, run_, checkpoint=None)
        if is_unsealed(verification):
            return
        facts: dict[str, Any] = {"preflight_due": bool(verification.error)}  # a broken one runs again once resumed
        if verification.met:
            facts |= {"verdict": VerdictWord.MET, "verdict_reason": f"it was met already: {verification.reason}"}
        elif verification.error:
            reason = f"the verifier is broken: {verification.error}"
            facts["failure"] = Failure(FailureKind.VERIFIER, reason, retryable=False)
        writer.facts(writer.goal, **facts)


def verify_checkpoint(drive: Drive, checkpoint_id: Any) -> None:
    """Verify the attempt in hand by the checkpoint's own verifier, else by a judge that sees what tools really did."""
    checkpoint = drive.picture.checkpoints[checkpoint_id]
    root = next((s for s in drive.picture.subgoals.values() if s.parent_id is None), None)
    spec = checkpoint.verifier or {"type": "llm"}
    run_ = run_verifier(drive, spec, checkpoint=checkpoint)
    with recording(drive, *run_.calls) as writer:
        verification = write_verification(writer, run_, checkpoint=checkpoint)
        word = word_of(verification.met, verification.error)
        facts: dict[str, Any] = {"verdict": word, "result_summary": text_of(root)}
        if word != VerdictWord.MET:
            facts["failure"] = verification.error or verification.reason
        writer.facts(checkpoint, **facts)


def verify_goal(drive: Drive, _goal_id: Any) -> None:
    """Let the sealed verifier decide about the goal."""
    goal = drive.goal
    run_ = run_verifier(drive, goal.verifier or {"type": "llm"}, checkpoint=None)
    with recording(drive, *run_.calls) as writer:
        verification = write_verification(writer, run_, checkpoint=None)
        goal = writer.goal
        if is_unsealed(verification):
            return
        repeats = goal.repeats
        if not verification.met and not verification.error:
            repeats = progress.next_repeat(goal.fingerprint, verification.fingerprint, goal.repeats)
        reason = verification.error or verification.reason
        writer.facts(
            goal,
            verdict=word_of(verification.met, verification.error),
            verdict_reason=reason,
            fingerprint=verification.fingerprint,
            repeats=repeats,
            attempt=1,
        )


def is_unsealed(verification: Verification) -> bool:
    """Whether the verifier was changed while it ran: then its verdict is history, and the new one decides."""
    seal = verification.goal.verifier_digest
    return bool(seal) and verification.digest != seal


def word_of(met: bool, error: str) -> VerdictWord:
    if met:
        return VerdictWord.MET
    return VerdictWord.BROKEN if error else VerdictWord.UNMET


def run_verifier(drive: Drive, spec: dict[str, Any], *, checkpoint: Checkpoint | None) -> Run:
    """Run a verifier; what it calls outside is journaled. Its own verdict is not written yet."""
    parsed = parse(spec)
    calls: list[Call] = []
    goal = drive.goal

    def artifact(name: str) -> tuple[bool, Any, str]:
        with pooled():
            found = lookup(goal.artifact_context_id, name)
            return (False, None, "") if found is None else (True, value_of(found), str(found.type))

    def judge(condition: str) -> tuple[bool, float, str, str]:
        for earlier in calls:
            with recording(drive, earlier):
                pass
        with held():
            call = _judge(drive, condition, checkpoint)
        calls.append(call)
        return call.value.met, call.value.score, call.value.reason, call.value.evidence

    context = VerifierContext(
        workspace=Workspace(goal.workspace, read_roots=tuple(settings.GOALSITE_READ_ROOTS)),
        artifact=artifact,
        judge=judge,
        timeout=VERIFIER_SECONDS,
    )
    if required_permission(spec) is None:
        with released():
            return Run(spec, run(parsed, context), calls)
    return _run_on_host(drive, spec, parsed, context, checkpoint, calls)


def _run_on_host(
    drive: Drive, spec: dict[str, Any], parsed: Any, context: VerifierContext, checkpoint: Any, calls: list[Call]
) -> Run:
    """Run a verifier that starts a program: an effect of its own, which may safely run again after a crash.

    It passes no breaker: a program on this machine that fails says something of its goal, and of no far side that
    other goals share.
    """
    goal = drive.goal
    facts, scope = target_facts(drive, checkpoint)
    row = ToolCall(
        goal=goal,
        **facts,
        tool="verifier",
        effect_class=EffectClass.IDEMPOTENT,
        scope=digest_of("verifier", goal.pk, scope, spec, goal.seq),
        request={"input": spec},
    )
    with pooled():
        intent = journal.intend(goal, drive.epoch, row, {Resource.SECONDS: Decimal(VERIFIER_SECONDS)})
    if intent.is_answered:  # by a worker that came too late to write its verification
        return Run(spec, Verdict(**intent.row.response), calls)
    started = time.monotonic()
    try:
        with released():
            verdict = run(parsed, context)
    except Exception as error:
        failed = Outcome(EffectStatus.FAILED, error=str(error), used=_seconds_since(started))
        with recording(drive, Call(intent.row, failed)):
            pass
        raise
    outcome = Outcome(
        EffectStatus.SUCCEEDED,
        asdict(verdict),
        used=_seconds_since(started),
        seconds=time.monotonic() - started,
        columns={"summary": verdict.reason[:5000]},
    )
    return Run(spec, verdict, [*calls, Call(intent.row, outcome)])


def _seconds_since(started: float) -> dict[Resource, Decimal]:
    return {Resource.SECONDS: Decimal(str(round(time.monotonic() - started, 6)))}


def _judge(drive: Drive, condition: str, checkpoint: Checkpoint | None) -> Call:
    goal = drive.goal
    with pooled():
        artifacts = briefing.artifacts_of(goal)
        calls = briefing.tool_calls_of(checkpoint) if checkpoint else briefing.recent_tool_calls(goal)
    root = next((s for s in drive.picture.subgoals.values() if s.parent_id is None), None)
    criteria = condition or (checkpoint.success_criteria or checkpoint.title if checkpoint else goal.objective)
    return ask(
        drive,
        "judge_outcome",
        checkpoint,
        objective=goal.objective,
        checkpoint=briefing.checkpoint_of(checkpoint) if checkpoint else None,
        criteria=criteria,
        result=text_of(root) if checkpoint else goal.summary,
        tool_calls=calls,
        artifacts=artifacts,
    )


def write_verification(
    writer: Writer, run_: Run, *, checkpoint: Checkpoint | None, proves: bool = True
) -> Verification:
    """Write one verdict with its event; it may be the proof of what completes in this transaction."""
    verdict = run_.verdict
    verification = Verification(
        goal=writer.goal,
        checkpoint=checkpoint,
        verifier=run_.spec,
        digest=digest(run_.spec),
        iteration=writer.goal.iteration,
        attempt=checkpoint.attempts if checkpoint else writer.goal.attempt,
        met=verdict.met and not verdict.error,
        error=verdict.error or "",
        reason=verdict.reason[:20_000],
        evidence=verdict.evidence[-2000:],
        fingerprint=verdict.fingerprint,
        score=verdict.score,
        seconds=verdict.seconds,
        cost_usd=sum((call.row.cost_usd for call in run_.calls), Decimal(0)),
        details=verdict.details or {},
    )
    rows.insert(verification)  # before what it proves: a trigger looks for it
    if proves and verification.met:
        writer.proof = verification
    about = {"verification": str(verification.pk), "checkpoint": str(checkpoint.pk) if checkpoint else None}
    writer.event("verifier.ran", {**about, "met": verification.met, "reason": verification.reason[:2000]})
    return verification
