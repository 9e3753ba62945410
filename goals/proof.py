"""The proof of a checkpoint whose conditions a machine can check: no model call for a question that was answered."""

from goals import rows
from goals.digests import digest
from goals.models import Checkpoint, Subgoal, Verification
from goals.results import text_of
from goals.states import Predicate, SubgoalStatus, Verdict
from goals.transitions import Writer

OBJECTIVE = {Predicate.USE_TOOL, Predicate.GATHER_INFO, Predicate.CONFIRM, Predicate.PRESENT_INFO}


def speaks_for_itself(checkpoint: Checkpoint) -> bool:
    """Whether the root's own conditions prove the checkpoint; a model's work needs a judge or a verifier."""
    return checkpoint.verifier is None and checkpoint.predicate in OBJECTIVE


def prove_by_conditions(writer: Writer, checkpoint: Checkpoint, root: Subgoal) -> None:
    """Write the verification of an achieved root, whose conditions the engine has just found to hold."""
    if root.status != SubgoalStatus.ACHIEVED:
        raise ValueError(f"subgoal {root.pk} is {root.status}, not achieved")
    spec = {"type": "conditions", "done_when": checkpoint.done_when}
    result = root.result or {}
    verification = Verification(
        goal=writer.goal,
        checkpoint=checkpoint,
        verifier=spec,
        digest=digest("conditions", spec),
        iteration=writer.goal.iteration,
        attempt=checkpoint.attempts,
        met=True,
        reason=checkpoint.success_criteria[:2000] or "its conditions hold",
        evidence=str(result.get("text", ""))[-2000:],
    )
    rows.insert(verification)  # before what it proves: a trigger looks for it
    writer.proof = verification
    about = {"verification": str(verification.pk), "checkpoint": str(checkpoint.pk)}
    writer.event("verifier.ran", {**about, "met": True, "reason": verification.reason})
    writer.facts(checkpoint, verdict=Verdict.MET, result_summary=text_of(root))
