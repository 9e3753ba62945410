"""Driving one goal: load, decide, perform, apply (DESIGN section 5), under a lease.

A `Drive` belongs to one thread, which decides; effects that may run side by side get threads of their own. The
picture of the goal is shared by them under `_lock`, and every transaction ends with `loop.settle`.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.utils import timezone
from structlog.contextvars import bound_contextvars

from goals import engine, loop, tree
from goals import lease as leases
from goals.connections import give_back, held, pooled
from goals.decisions import Decision, Failure, FailureKind, Move, Perform
from goals.exceptions import (
    Asleep,
    BudgetExceeded,
    BudgetHeld,
    Interrupted,
    LeaseLost,
    NeedsAnswer,
    StaleGoal,
)
from goals.failures import failure_of
from goals.flights import Flights
from goals.lease import Lease
from goals.models import Goal, Subgoal
from goals.outages import is_outage
from goals.sleeping import sleep
from goals.states import GoalStatus, Kind, PauseReason, SubgoalStatus
from goals.transitions import Writer, writing

logger = logging.getLogger(__name__)
ASKED_SECONDS = 1.0  # how soon an answer is seen by a driver that is busy elsewhere in the tree
Handler = Callable[["Drive", Any], None]
MOST_OUTAGES = 10  # in one drive; whatever fails more often than that is no outage


class Drive:
    """One goal in one worker's hands. `wants_stop` says that no new effect may be begun."""

    def __init__(self, lease: Lease, wants_stop: Callable[[], bool] = lambda: False) -> None:
        self.goal_id = lease.goal_id
        self.epoch = lease.epoch
        self.wants_stop = wants_stop
        self._picture: loop.Picture | None = None
        self._decisions: tuple[Decision, ...] = ()
        self._outages = 0
        self._alone: Perform | None = None
        self._held_back: set[Perform] = set()
        self._lock = threading.RLock()

    # -- what effects use ----------------------------------------------------------------------------------

    @property
    def goal(self) -> Goal:
        """The goal's row as last read; its workspace, objective and the like do not change under a driver."""
        return self.picture.goal

    @property
    def picture(self) -> loop.Picture:
        with self._locked():
            if self._picture is None:
                with pooled():
                    self._picture = loop.load(Goal.objects.get(pk=self.goal_id))
            return self._picture

    def subgoal(self, subgoal_id: Any) -> Subgoal:
        """Return a subgoal of the attempt in hand; raises StaleGoal when it has left the window or has ended."""
        found = self.picture.subgoals.get(subgoal_id)
        if found is None:
            raise StaleGoal(f"subgoal {subgoal_id} is not being worked on any more")
        if found.finished_at is not None:
            raise Interrupted(f"subgoal {subgoal_id} is {found.status}")
        return found

    @property
    def limits(self) -> tree.Limits:
        return loop.limits_of(self.goal)

    def add_children(self, children: list[Subgoal], edges: list[tuple[Subgoal, Subgoal]]) -> None:
        """Show children that this transaction has inserted, with their dependencies."""
        picture = self.picture
        picture.subgoals.update({child.pk: child for child in children})
        for child, other in edges:
            known = picture.depends_on.get(child.pk, frozenset())
            picture.depends_on[child.pk] = known | {other.pk}
        keys = picture.evidence
        picture.evidence = keys | loop.evidence_for(picture, children)

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """One transaction on the goal, ended by making every move that needs nothing from outside.

        Raises LeaseLost also when the goal has ended: what is in flight then moves nothing.
        """
        with self._locked(), pooled():
            try:
                with writing(self.goal_id, epoch=self.epoch, known=self._known()) as writer:
                    if writer.goal.is_ended:
                        raise LeaseLost(f"goal {self.goal_id} is {writer.goal.status}: there is nothing to drive")
                    self._look(writer)
                    yield writer
                    self._decisions = loop.settle(writer, self._picture) if self._picture else ()
            except BaseException:
                self._picture = None
                raise

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Take the drive's lock; a thread that must wait for it keeps no connection from those that work."""
        if not self._lock.acquire(blocking=False):
            give_back()
            self._lock.acquire()
        try:
            yield
        finally:
            self._lock.release()

    def _known(self) -> Goal | None:
        return self._picture.goal if self._picture is not None else None

    def look_again(self) -> None:
        """Forget the picture: rows were written that it does not show."""
        with self._lock:
            self._picture = None

    def _look(self, writer: Writer) -> None:
        picture = self._picture
        if picture is None or picture.seq != writer.goal.seq:
            self._picture = loop.load(writer.goal)
        else:
            picture.goal = writer.goal
        writer.know(*self._picture.checkpoints.values(), *self._picture.subgoals.values())  # type: ignore[union-attr]

    # -- the loop ------------------------------------------------------------------------------------------

    def run(self, handlers: dict[str, Handler]) -> None:
        """Drive until nothing can run, the lease is gone, or a stop is wanted."""
        self._handlers = handlers
        try:
            with held():
                self._decide()
                self._run()
        except LeaseLost:
            logger.info("goal %s: the lease is gone", self.goal_id)

    def _decide(self) -> None:
        with self.writing():
            pass

    def _run(self) -> None:
        with Flights(self._perform_aside) as flights:
            while True:
                ready = self._ready(flights)
                if not ready and not flights:
                    return
                if ready:
                    self._begin(ready, flights)
                look_in = self._seconds_to_look()
                if len(ready) == 1 and not flights and look_in is None:
                    self._perform(ready[0])
                    continue
                for perform in ready:
                    flights.start(perform)
                landed = flights.land(look_in)
                if not landed:
                    self._look_around()
                elif not self._held_back.issuperset(landed):
                    self._held_back.clear()  # what they had reserved is given back

    def _ready(self, flights: Flights) -> list[Perform]:
        """Return what can be begun now; what comes earlier in the tree takes no place of what is in flight."""
        performs = self._performs()
        if self.wants_stop():
            return []
        ready = engine.begin(performs, flights, self._held_back)
        return ready[: max(0, self.limits.parallel - len(flights))]

    def _begin(self, ready: list[Perform], flights: Flights) -> None:
        """Note whether what is begun is alone: then nobody is there whose settlement it could wait for."""
        self._alone = ready[0] if len(ready) == 1 and not flights else None
        self._held_back -= set(ready)

    def _seconds_to_look(self) -> float | None:
        """Return when a subgoal that waits may be able to go on beside what is in flight; None when none waits."""
        with self._locked():
            subgoals = self._picture.subgoals.values() if self._picture is not None else ()
            waiting = [subgoal for subgoal in subgoals if subgoal.status == SubgoalStatus.WAITING]
        now = timezone.now()
        times = [(s.wake_at - now).total_seconds() for s in waiting if s.wake_at is not None]
        times += [ASKED_SECONDS for s in waiting if s.asked]
        return max(0.1, min(times)) if times else None

    def _look_around(self) -> None:
        """Decide again while effects are in flight: a time has come, or somebody else has written."""
        with self._locked():
            known = self._picture.seq if self._picture is not None else None
            wakes = [s.wake_at for s in self._picture.subgoals.values() if s.wake_at] if self._picture else []
        with pooled():
            seq = Goal.objects.values_list("seq", flat=True).get(pk=self.goal_id)
        if seq != known or any(wake_at <= timezone.now() for wake_at in wakes):
            self._decide()

    def _perform_aside(self, perform: Perform) -> None:
        with held(), bound_contextvars(goal=str(self.goal_id), epoch=self.epoch, target=str(perform.target)):
            self._perform(perform)

    def _performs(self) -> list[Perform]:
        with self._lock:
            if self._picture is None:
                self._decide()
            return [decision for decision in self._decisions if isinstance(decision, Perform)]

    def _perform(self, perform: Perform) -> None:
        """Perform one action; whatever goes wrong becomes a fact with a name."""
        try:
            self._handlers[perform.action](self, perform.target)
        except LeaseLost:
            raise
        except (StaleGoal, NeedsAnswer):
            self.look_again()
        except BudgetExceeded as error:
            if isinstance(error, BudgetHeld) and perform != self._alone:
                self._held_back.add(perform)
            else:
                self._pause(error)
        except Asleep as error:
            self._sleep(perform.target, error)
        except Exception as error:
            if is_outage(error) and self._outages < MOST_OUTAGES:
                return self._begin_again()
            opened = getattr(error, "opened", None)
            if isinstance(opened, Asleep):
                self._sleep(perform.target, opened)
                return None
            failure = failure_of(error)
            if failure.kind is FailureKind.ERROR:
                logger.exception("goal %s: %s failed", self.goal_id, perform.action)
            self.fail(perform.target, failure)

    def _begin_again(self) -> None:
        """The database hung up: go on from what the journal knows; what it does not know is settled by its class."""
        self._outages += 1
        give_back()
        self.look_again()

    def fail(self, target: Any, failure: Failure) -> None:
        """Write a failure where the engine will look for it: on the subgoal, else on the goal."""
        try:
            with self.writing() as writer:
                row: Any = self._picture.subgoals.get(target) if self._picture else None
                if row is None and target != self.goal_id and target not in self.picture.checkpoints:
                    return  # the work was dropped meanwhile: its failure is nobody's
                writer.facts(row if row is not None else writer.goal, failure=failure)
        except LeaseLost:
            raise
        except StaleGoal:
            self.look_again()

    def _sleep(self, target: Any, error: Asleep) -> None:
        """Let the work sleep until it is worth trying again; it loses no attempt."""
        try:
            with self.writing() as writer:
                sleep(writer, self._picture.subgoals.get(target) if self._picture else None, error)
        except LeaseLost:
            raise
        except StaleGoal:
            self.look_again()

    def _pause(self, error: BudgetExceeded) -> None:
        with self.writing() as writer:
            goal = writer.goal
            if goal.status not in {GoalStatus.PLANNING, GoalStatus.ACTIVE}:
                return
            writer.event("budget.exceeded", {"resource": error.resource, "reason": str(error)})
            facts = {"paused_for": PauseReason.BUDGET, "reason": str(error)}
            payload = {"for": PauseReason.BUDGET.value, "reason": str(error)}
            writer.move(Move(Kind.GOAL, goal.pk, goal.status, GoalStatus.PAUSED, facts, "goal.paused", payload))


def drive(lease: Lease, handlers: dict[str, Handler], wants_stop: Callable[[], bool] = lambda: False) -> None:
    """Drive one goal under its lease and give the lease back."""
    try:
        Drive(lease, wants_stop).run(handlers)
    finally:
        with pooled():
            leases.release(lease)
