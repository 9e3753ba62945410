"""A look of a watch: its verifier runs, and where it fires a follow-up goal may begin (DESIGN section 5).

No model is asked and no money spent. A look that sees nothing new leaves no line of history behind, so that a watch may
look for years; what it saw last stands on its row.
"""

from dataclasses import asdict
from typing import Any

from goals import looks, services
from goals.digests import digest
from goals.driver import Drive
from goals.effects.calls import recording
from goals.effects.making import make_artifact
from goals.effects.verify import Run, is_unsealed, run_verifier, word_of, write_verification
from goals.exceptions import GoalError
from goals.looks import Look
from goals.models import Goal, Verification, Watch
from goals.states import Trigger, Verdict
from goals.transitions import Writer


def look(drive: Drive, _goal_id: Any) -> None:
    """Look once, and write down what it comes to; a watch that does not repeat is completed by its firing."""
    run_ = run_verifier(drive, drive.goal.verifier, checkpoint=None)
    with recording(drive, *run_.calls) as writer:
        watch = Watch.objects.select_for_update().get(goal=writer.goal)
        drive.picture.watch = watch
        said, before = run_.verdict, (watch.verdict, watch.reason)
        word = word_of(said.met, said.error)
        mark = digest("look", said.met, said.fingerprint)
        found = looks.look(Trigger(watch.trigger), watch.patience, watch.seen, word, mark, writer.now)
        _note(watch, found, word, said.error or said.reason, writer)
        watch.quiet = not (found.changed or found.stalls or (watch.verdict, watch.reason) != before)
        reason = watch.reason
        if not watch.quiet:
            verification = write_verification(writer, _as_decided(run_, watch, found), checkpoint=None)
            if is_unsealed(verification):
                return  # another verifier was sealed meanwhile: this look is history
            _tell(writer, watch, found, verification)
            reason = verification.reason
        watch.save()
        met = found.fires and not watch.repeat
        writer.facts(writer.goal, verdict=Verdict.MET if met else _still(word), verdict_reason=reason, attempt=1)


def _note(watch: Watch, found: Look, word: Verdict, reason: str, writer: Writer) -> None:
    watch.looks, watch.looked_at = watch.looks + 1, writer.now
    watch.verdict, watch.reason = word, reason[:2000]
    watch.seen = found.seen
    if found.fires:
        watch.fired, watch.fired_at = watch.fired + 1, writer.now


def _still(word: Verdict) -> Verdict:
    """The goal is not done, however its verifier found things."""
    return Verdict.BROKEN if word == Verdict.BROKEN else Verdict.UNMET


def _as_decided(run_: Run, watch: Watch, found: Look) -> Run:
    """Return the run with the verdict on the watch: one that waits for a change is met by a change."""
    if watch.trigger == Trigger.MET:
        return run_
    said = asdict(run_.verdict)
    details = {**said["details"], "trigger": watch.trigger, "verifier_met": said["met"]}
    reason = f"What is watched has changed: {said['reason']}" if found.fires else said["reason"]
    verdict = type(run_.verdict)(**{**said, "met": found.fires, "reason": reason, "details": details})
    return Run(run_.spec, verdict, run_.calls)


def _tell(writer: Writer, watch: Watch, found: Look, verification: Verification) -> None:
    if found.stalls and watch.seen_since:
        writer.event("watch.stalled", {"since": watch.seen_since.isoformat(), "reason": watch.reason})
    if not found.fires:
        return
    seen = {"number": watch.fired, "reason": verification.reason[:2000], "at": writer.now.isoformat()}
    make_artifact(writer, "watch_fired", type="data", value=seen, description="What the watch saw", trust="untrusted")
    about = {"trigger": watch.trigger, "verification": str(verification.pk), **seen}
    writer.event("watch.fired", about | _follow_up(writer.goal, watch))


def _follow_up(goal: Goal, watch: Watch) -> dict[str, Any]:
    """Start the goal that a firing starts, within its transaction; it draws on the watch's budget."""
    if not watch.follow_up:
        return {}
    try:
        made = services.submit(owner=goal.owner, conversation=goal.conversation, parent=goal, **watch.follow_up)
    except GoalError as error:  # what was right when it was set, such as a procedure, may be gone
        return {"follow_up": None, "refused": str(error)[:2000]}
    return {"follow_up": str(made.pk)}
