"""The pure core: `decide(snapshot, now)` says what to do next. No I/O, no rows, no clock (DESIGN section 5).

`settle` applies the moves that need nothing from outside until only effects, a new attempt, or nothing is left.
What is decided about a checkpoint and about its tree of subgoals stands in `checkpoint` and `stack`.
"""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from goals import progress
from goals.decisions import Action, Decision, Failure, FailureKind, Move, Perform
from goals.engine.checkpoint import decide_checkpoint, decide_yield
from goals.engine.moves import fail, move_goal, pause, wait_goal
from goals.engine.parents import Decisions
from goals.retry import decide_retry
from goals.states import CheckpointStatus, GoalStatus, Kind, Mode, Outcome, PauseReason, Verdict, WaitsFor
from goals.tree import GoalView, Snapshot, apply


def decide(snapshot: Snapshot, now: datetime) -> Decisions:
    """Return what is to be done now: moves, or a spawn, or up to `parallel` effects; empty when nothing can run.

    Moves come alone: whoever carries them out decides again on the result (see `settle`).
    """
    goal = snapshot.goal
    if goal.is_terminal:
        return ()
    if goal.status == GoalStatus.PAUSED:
        return decide_yield(snapshot)
    if goal.status == GoalStatus.WAITING:
        return _wake_goal(snapshot, now)
    if goal.failure is not None:
        return (_after_goal_failure(snapshot, goal.failure, now),)
    if goal.wake_at is not None and goal.wake_at > now:
        return () if goal.status == GoalStatus.PLANNING else (wait_goal(goal, goal.wake_at, WaitsFor.TIMER),)
    if goal.status == GoalStatus.PLANNING:
        return (_decide_planning(goal),)
    if goal.mode == Mode.MONITOR:
        return (_decide_monitor(goal, now),)
    return _decide_active(snapshot, now)


def begin(performs: Iterable[Perform], flying: Collection[Perform], held: Collection[Perform]) -> list[Perform]:
    """Return which effects to begin beside those in flight; `held` wait for what those have reserved of the budget.

    With nothing in flight nobody gives anything back: one of the held is tried alone; refused, it pauses the goal.
    """
    waiting = [perform for perform in performs if perform not in flying]
    ready = [perform for perform in waiting if perform not in held]
    return ready if ready or flying else waiting[:1]


def settle(snapshot: Snapshot, now: datetime, *, limit: int = 10_000) -> tuple[Snapshot, list[Move], Decisions]:
    """Apply moves until none is left; return the settled snapshot, the moves made, and the decisions that remain."""
    made: list[Move] = []
    while True:
        decisions = decide(snapshot, now)
        moves = [decision for decision in decisions if isinstance(decision, Move)]
        if not moves:
            return snapshot, made, decisions
        for move in moves:
            snapshot = apply(snapshot, move)
        made += moves
        if len(made) > limit:
            raise RuntimeError(f"the engine does not settle: goal {snapshot.goal.id}")


def _wake_goal(snapshot: Snapshot, now: datetime) -> Decisions:
    goal = snapshot.goal
    awake = move_goal(goal, GoalStatus.ACTIVE, "", {}, wake_at=None, waits_for="", reason="")
    if (goal.wake_at is not None and goal.wake_at <= now) or decide_yield(snapshot):
        return (awake,)
    if goal.waits_for != WaitsFor.QUESTION or _would_wait(apply(snapshot, awake), now):
        return ()
    return (awake,)


def _would_wait(snapshot: Snapshot, now: datetime) -> bool:
    """Whether an active goal would only go back to waiting: no answer, evidence or time has come."""
    match decide(snapshot, now):
        case (Move(kind=Kind.GOAL, to=GoalStatus.WAITING),):
            return True
    return False


def _after_goal_failure(snapshot: Snapshot, failure: Failure, now: datetime) -> Move:
    goal = snapshot.goal
    if failure.kind == FailureKind.PLAN:
        return fail(goal, Outcome.ERROR, failure.message, failure=None)
    again = decide_retry(
        failure=failure, attempt=goal.attempt, retries=snapshot.limits.retries, key=str(goal.id), now=now
    )
    if again is None:
        return pause(goal, PauseReason.ERROR, failure.message, failure=None, attempt=1)
    return move_goal(goal, None, "", {}, failure=None, attempt=goal.attempt + 1, wake_at=again.wake_at)


def _decide_planning(goal: GoalView) -> Decision:
    if goal.preflight_due:
        return Perform(Action.PREFLIGHT, goal.id)
    if goal.verdict == Verdict.MET or goal.plan_asked or not goal.plan_due or goal.mode == Mode.MONITOR:
        return move_goal(goal, GoalStatus.ACTIVE, "goal.started", {}, wake_at=None, reason="")
    return Perform(Action.PLAN, goal.id)


def _decide_monitor(goal: GoalView, now: datetime) -> Decision:
    watch = goal.watch
    if goal.verdict == Verdict.MET:
        return _complete(goal)
    if watch.deadline is not None and watch.deadline <= now:
        if watch.fired:
            return _complete(goal, f"it fired {watch.fired} times until its deadline")
        return fail(goal, Outcome.EXHAUSTED, "the deadline passed before it fired")
    if goal.verdict == "":
        return Perform(Action.LOOK, goal.id)
    wake_at = now + timedelta(seconds=watch.interval)
    if watch.deadline is not None:
        wake_at = min(wake_at, watch.deadline)
    payload = {"for": WaitsFor.WATCH.value, "wake_at": wake_at.isoformat()}
    facts = {"wake_at": wake_at, "waits_for": WaitsFor.WATCH, "verdict": ""}
    return move_goal(goal, GoalStatus.WAITING, "" if watch.quiet else "goal.waiting", payload, **facts)


def _complete(goal: GoalView, reason: str = "") -> Move:
    reason = reason or goal.verdict_reason
    payload = {"outcome": Outcome.ACHIEVED.value, "reason": reason}
    facts = {"outcome": Outcome.ACHIEVED, "reason": reason}
    return move_goal(goal, GoalStatus.COMPLETED, "goal.completed", payload, **facts)


def _decide_active(snapshot: Snapshot, now: datetime) -> Decisions:
    goal, checkpoint = snapshot.goal, snapshot.active
    if goal.reason and not any(node.is_asleep for node in snapshot.nodes):
        return (move_goal(goal, None, "", {}, reason=""),)  # it told of a sleep that is over
    if checkpoint is not None:
        return decide_checkpoint(snapshot, checkpoint, now)
    if goal.plan_asked:
        return _await_plan(goal, now)
    if goal.plan_due:
        # An iteration's new plan, unless the verifier was met before any money was spent.
        return (_complete(goal),) if goal.verdict == Verdict.MET else (Perform(Action.PLAN, goal.id),)
    upcoming = snapshot.upcoming
    if goal.unachievable and not goal.has_unheard_words:
        return _decide_end(snapshot, now)
    if progress.is_stuck(goal.revise_streak):
        reason = f"{goal.revise_streak} evaluations in a row asked for another plan"
        return (pause(goal, PauseReason.NO_PROGRESS, reason, revise_streak=0),)
    if progress.is_too_dear(goal.dear_streak):
        reason = f"{goal.dear_streak} evaluations in a row found too little progress for the money that was spent"
        return (pause(goal, PauseReason.NO_PROGRESS, reason, dear_streak=0),)
    if goal.revise_reason:
        return (_decide_revision(snapshot),)
    if upcoming is None and not goal.has_unheard_words:
        return _decide_end(snapshot, now)
    if goal.summary_due:
        return (Perform(Action.SUMMARISE, goal.id),)
    if upcoming is None or goal.has_unheard_words or goal.since_evaluation >= snapshot.limits.evaluate_every:
        return (Perform(Action.EVALUATE, goal.id),)
    start = Move(Kind.CHECKPOINT, upcoming.id, upcoming.status, CheckpointStatus.ACTIVE)
    # What the verifier said before this work proves nothing about it.
    return (start, move_goal(goal, None, "", {}, verdict="")) if goal.verdict else (start,)


def _await_plan(goal: GoalView, now: datetime) -> Decisions:
    """A plan waits for its owner: it is brought to mind once, then nothing but an answer will do."""
    if goal.plan_wake_at is None or goal.plan_wake_at > now:
        return (wait_goal(goal, goal.plan_wake_at, WaitsFor.QUESTION),)
    if not goal.plan_reminded:
        return (Perform(Action.REMIND_OF_PLAN, goal.id),)
    return (pause(goal, PauseReason.APPROVAL, "nobody answered: may the plan be carried out?", plan_wake_at=None),)


def _decide_revision(snapshot: Snapshot) -> Decision:
    goal = snapshot.goal
    if goal.own_revisions >= snapshot.limits.revisions:
        return fail(goal, Outcome.EXHAUSTED, f"no revision of the plan is left: {goal.revise_reason}")
    return Perform(Action.REVISE, goal.id)


def _decide_end(snapshot: Snapshot, now: datetime) -> Decisions:
    """Decide about a goal with nothing left to work on: its verifier has the last word."""
    goal, limits = snapshot.goal, snapshot.limits
    if goal.verdict == "":
        return (Perform(Action.VERIFY_GOAL, goal.id),)
    if goal.verdict == Verdict.MET:
        return (_complete(goal),)
    if goal.verdict == Verdict.BROKEN:
        return (pause(goal, PauseReason.ERROR, f"the verifier is broken: {goal.verdict_reason}", verdict=""),)
    if goal.unachievable:
        return (fail(goal, Outcome.UNACHIEVABLE, goal.unachievable),)
    if goal.repeats >= limits.no_progress:
        reason = f"the verifier failed {goal.repeats} times in a row in the same way: {goal.verdict_reason}"
        return (fail(goal, Outcome.UNACHIEVABLE, reason),)
    if goal.iteration >= limits.iterations:
        reason = f"not met after {goal.iteration} iterations: {goal.verdict_reason}"
        return (fail(goal, Outcome.EXHAUSTED, reason),)
    payload = {"iteration": goal.iteration + 1, "reason": goal.verdict_reason}
    facts = {
        "iteration": goal.iteration + 1,
        "iteration_started_at": now,  # what was made before counts as done no more
        "plan_due": True,
        "verdict": "",
        "since_evaluation": 0,
        "attempt": 1,
    }
    return (move_goal(goal, None, "goal.iteration", payload, **facts),)
