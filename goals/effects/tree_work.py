"""Work on the tree itself: execute or plan, children, aggregation, judged conditions."""

from typing import Any

from artifacts.kinds import Trust
from artifacts.services import latest
from goals import plans
from goals.connections import pooled
from goals.decisions import Failure, FailureKind
from goals.driver import Drive
from goals.effects import briefing, earlier, family, offspring, subprocedure
from goals.effects.calls import Call, ask, recording
from goals.effects.drafting import PLAN_TRIES
from goals.effects.making import is_untrusted
from goals.effects.outputs import write_outputs
from goals.effects.verify import run_verifier, write_verification
from goals.models import Subgoal
from goals.results import LONGEST, text_of, whole
from goals.states import Decomposition, Predicate, SubgoalStatus
from goals.transitions import Writer

LONGEST_TOGETHER = 40_000  # characters of the texts that become one


def atomize(drive: Drive, subgoal_id: Any) -> None:
    """Decide whether a composite subgoal is executed as one piece or planned further."""
    subgoal = drive.subgoal(subgoal_id)
    with pooled():
        artifacts = briefing.artifacts_of(drive.goal)
    call = ask(
        drive,
        "atomize",
        subgoal,
        objective=drive.goal.objective,
        task=subgoal.gloss,
        depth=subgoal.depth,
        max_depth=drive.limits.max_depth,
        artifacts=artifacts,
    )
    with recording(drive, call) as writer:
        operation = call.value.operation or subgoal.operation
        writer.facts(subgoal, atomized=call.value.decision, operation=operation)


def decompose(drive: Drive, subgoal_id: Any) -> None:
    """Give a composite subgoal its children: by a procedure where one applies, else by the model.

    An invalid plan is asked for again with its errors, at most twice. Planned anew, it is the model's, and may have no
    children: then there is no other way, and the subgoal's parent is asked for one.
    """
    subgoal = drive.subgoal(subgoal_id)
    if not subgoal.replans and subprocedure.follow(drive, subgoal):
        return
    errors: list[str] = []
    for number in range(PLAN_TRIES):
        with pooled():
            untrusted = briefing.carries_outside(drive.goal)
        call = _ask_children(drive, subgoal, errors, number)
        if subgoal.replans and not call.value.subgoals:
            _find_no_way(drive, subgoal, call)
            return
        with pooled():
            errors = plans.subgoal_errors(call.value, drive.goal, subgoal)
        if not errors:
            _write_children(drive, subgoal, call, {"source": "model", **({"untrusted": True} if untrusted else {})})
            return
        with recording(drive, call):
            pass
    drive.fail(subgoal_id, Failure(FailureKind.NOT_DONE, "no valid plan: " + "; ".join(errors), retryable=False))


def _ask_children(drive: Drive, subgoal: Subgoal, errors: list[str], number: int) -> Call:
    with pooled():
        artifacts = briefing.artifacts_of(drive.goal)
        done = earlier.work_of(drive.picture.active, subgoal)
    return ask(
        drive,
        "plan_subgoals",
        subgoal,
        number=subgoal.replans * PLAN_TRIES + number,
        objective=drive.goal.objective,
        task=subgoal.gloss,
        done_when=subgoal.done_when,
        results=family.needed_by(drive.picture, subgoal),
        tried=family.tried(drive.picture, subgoal),
        tools=briefing.tools_for_plan(drive.goal),
        artifacts=artifacts,
        errors=errors,
        failure=subgoal.previous_failure,
        earlier=done,
        depth=subgoal.depth,
    )


def _write_children(drive: Drive, subgoal: Subgoal, call: Call, provenance: dict[str, Any]) -> None:
    plan = call.value
    with recording(drive, call) as writer:
        drafts = enumerate(plan.subgoals, offspring.first_position(drive, subgoal))
        children = [plans.child_of(subgoal, draft, position, provenance) for position, draft in drafts]
        edges = [(child, children[d]) for child, d in plans.edges(children, plan.subgoals)]
        offspring.write(drive, writer, subgoal, children, edges, Decomposition(plan.decomposition), source="model")


def _find_no_way(drive: Drive, subgoal: Subgoal, call: Call) -> None:
    message = f"{subgoal.previous_failure.rstrip('.')}; no other way was found: {call.value.reasoning}"
    with recording(drive, call) as writer:
        writer.facts(subgoal, failure=Failure(FailureKind.CHILD, message[:20_000], retryable=False))


def aggregate(drive: Drive, subgoal_id: Any) -> None:
    """Join the children's results; the model is asked only where texts must become one."""
    subgoal = drive.subgoal(subgoal_id)
    children = family.contributors(drive.picture, subgoal)
    texts = [child for child in children if child.status == SubgoalStatus.ACHIEVED and _is_text(child)]
    if subgoal.decomposition == Decomposition.OR or len(texts) <= 1:
        joined = "\n\n".join(whole(child) for child in children if child.result is not None)
        with drive.writing() as writer:
            _write_joined(drive, writer, subgoal, children, joined)
        return
    most = max(LONGEST, LONGEST_TOGETHER // len(texts))
    results = [
        {
            "gloss": child.gloss,
            "status": child.status,
            "result": text_of(child, most),
            "failure": (child.failure or {}).get("message"),
        }
        for child in children
    ]
    call = ask(drive, "aggregate", subgoal, task=subgoal.gloss, results=results)
    with recording(drive, call) as writer:
        _write_joined(drive, writer, subgoal, children, call.value.result, call.value.outputs)


def _write_joined(
    drive: Drive, writer: Writer, subgoal: Subgoal, children: list[Subgoal], result: str, outputs: Any = ()
) -> None:
    """Keep what the children's results became. It is made of theirs, so it is trusted no more than they are.

    A child that left the evidence of the task has given more than its words.
    """
    untrusted = any(is_untrusted(child.result) for child in children)
    names = {name for child in children for name in (child.evidence_key, *(o["name"] for o in child.outputs)) if name}
    sources = tuple(latest(drive.goal.artifact_context_id, names).values()) if names else ()
    untrusted = untrusted or any(source.trust == Trust.UNTRUSTED for source in sources)
    with_key = subgoal.evidence_key not in drive.picture.evidence
    made = {"untrusted": untrusted, "sources": sources, "as_evidence": with_key}
    writer.facts(subgoal, worked=True, result=write_outputs(drive, writer, subgoal, outputs, result, **made))


def _is_text(child: Subgoal) -> bool:
    return child.predicate in {Predicate.EXECUTE, Predicate.COMPOSITE} and bool(text_of(child))


def check(drive: Drive, subgoal_id: Any) -> None:
    """Judge the conditions of a subgoal that no machine can check; each must hold."""
    subgoal = drive.subgoal(subgoal_id)
    calls: list[Call] = []
    unmet = ""
    for condition in subgoal.done_when:
        if condition["kind"] == "predicate_true":
            unmet = _check_statement(drive, subgoal, condition["predicate"], calls)
        elif condition["kind"] == "verifier":
            run = run_verifier(drive, condition["verifier"], checkpoint=drive.picture.active)
            calls += run.calls
            with drive.writing() as writer:
                write_verification(writer, run, checkpoint=None, proves=False)
            unmet = "" if run.verdict.met else run.verdict.reason or run.verdict.error
        if unmet:
            break
        with recording(drive, *calls):
            pass
    with recording(drive, *calls) as writer:
        if unmet:
            writer.facts(subgoal, failure=Failure(FailureKind.CONDITION, unmet))
        else:
            writer.facts(subgoal, checked=True)


def _check_statement(drive: Drive, subgoal: Subgoal, statement: str, calls: list[Call]) -> str:
    with pooled():
        artifacts = briefing.artifacts_of(drive.goal)
    call = ask(
        drive,
        "check_condition",
        subgoal,
        condition=statement,
        task=subgoal.gloss,
        result=text_of(subgoal),
        artifacts=artifacts,
    )
    calls.append(call)
    return "" if call.value.satisfied else call.value.reasoning or f"it does not hold that {statement}"
