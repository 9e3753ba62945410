"""The one writer of goal, checkpoint and subgoal status; it writes the event in the same transaction.

`writing()` locks the goal's row, checks the lease epoch (a driver) and lets its block collect moves, facts, new rows
and events; they are written together at the end: one UPDATE a row, one INSERT for all events, one announcement.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db import models, transaction
from uuid_utils.compat import uuid7

from artifacts.models import ClockTime
from goals import announce, history, rows, spending, tally, together, track_record
from goals.chain import canonical, insertion, link
from goals.decisions import Failure, Move
from goals.exceptions import IllegalMove, LeaseLost, NotFound, StaleGoal
from goals.models import Checkpoint, Goal, Question, Subgoal, Verification
from goals.models.event import KINDS
from goals.states import (
    REARM,
    CheckpointStatus,
    GoalStatus,
    Kind,
    Mode,
    QuestionStatus,
    SubgoalStatus,
    is_legal,
    is_terminal,
)
from goals.together import Change

MODELS: Mapping[Kind, type[models.Model]] = {
    Kind.GOAL: Goal,
    Kind.CHECKPOINT: Checkpoint,
    Kind.SUBGOAL: Subgoal,
}
KINDS_OF_ROWS: Mapping[type[models.Model], Kind] = {model: kind for kind, model in MODELS.items()}
Row = Goal | Checkpoint | Subgoal
# The time is the database's, as it is for leases, artifacts and the search for what is due: hosts' clocks differ.
LOCK = "SELECT seq, lease_epoch, clock_timestamp() FROM goals_goal WHERE id = %s FOR NO KEY UPDATE"


@contextmanager
def writing(
    goal_id: Any, *, epoch: int | None = None, actor: Any = None, known: Goal | None = None
) -> Iterator["Writer"]:
    """Lock a goal and collect what is to be written about it; raises NotFound, LeaseLost or StaleGoal.

    `epoch` is given by a driver and must be the goal's; `actor` is the person who acts, None for the site itself.
    `known` is the goal as its driver last read it: it is still right as long as its `seq` is.
    """
    with transaction.atomic():
        goal, now = _lock(goal_id, known)
        if epoch is not None and goal.lease_epoch != epoch:
            tally.count("leases_lost")
            raise LeaseLost(f"goal {goal_id} is driven under epoch {goal.lease_epoch}, not {epoch}")
        writer = Writer(goal, now, actor)
        yield writer
        writer.flush()
        transaction.on_commit(lambda: _tell(writer))


def _tell(writer: "Writer") -> None:
    """Count and log what was written; what an enclosing transaction takes back did not happen."""
    tally.count_events(writer.told)
    spending.count_events(writer.goal, writer.told, writer.now)
    history.log(writer.goal, writer.told)


def _lock(goal_id: Any, known: Goal | None) -> tuple[Goal, datetime]:
    """Return the locked goal and the time."""
    if known is not None:
        found = rows.execute(LOCK, [goal_id]).fetchone()
        if found is not None and found[0] == known.seq:
            known.lease_epoch = found[1]
            return known, found[2]
    goal = Goal.objects.select_for_update(no_key=True).annotate(now=ClockTime()).filter(pk=goal_id).first()
    if goal is None:
        raise NotFound(f"there is no goal {goal_id}")
    return goal, goal.now


class Writer:
    """Collects changes to one locked goal. Rows given to `know` are kept up to date in memory as well."""

    def __init__(self, goal: Goal, now: datetime, actor: Any = None) -> None:
        self.goal = goal
        self.actor = actor
        self.now = now
        self.proof: Verification | None = None
        self._rows: dict[tuple[Kind, Any], Row] = {(Kind.GOAL, goal.pk): goal}
        self._first: dict[tuple[Kind, Any], str] = {}
        self._dirty: dict[tuple[Kind, Any], set[str]] = {}
        self._new: list[models.Model] = []
        self._events: list[list[Any]] = []
        self.told: list[tuple[str, Mapping[str, Any]]] = []  # kind and payload of each event
        self.wakes_workers = False

    # -- what the block calls ------------------------------------------------------------------------------

    def know(self, *rows: Row) -> None:
        """Register rows that moves of this block will name by id."""
        for row in rows:
            self._rows.setdefault((_kind(row), row.id), row)

    def move(self, move: Move) -> None:
        """Make one move of the table; raises StaleGoal when the row is elsewhere, IllegalMove when it may not."""
        row = self._row(move.kind, move.id)
        if row.status != move.before:
            raise StaleGoal(f"{move.kind} {move.id} is {row.status}, not {move.before}")
        if move.to is not None:
            if not is_legal(move.kind, move.before, move.to):
                raise IllegalMove(f"a {move.kind} cannot go from {move.before} to {move.to}")
            self._enter(move.kind, row, str(move.to))
        self.facts(row, **move.facts)
        if move.event:
            self.event(move.event, {**_about(row), **move.payload})

    def facts(self, row: Row, **columns: Any) -> None:
        """Set columns that are no status; facts of a row that has ended already are dropped.

        `row` may have been read before somebody else wrote: what is changed is the row as this block knows it.
        """
        kind = _kind(row)
        key = (kind, row.pk)
        known = self._rows.setdefault(key, row)
        if key not in self._first and is_terminal(kind, known.status):
            return
        self._first.setdefault(key, known.status)
        dirty = self._dirty.setdefault(key, set())
        for name, value in columns.items():
            if name == "failure" and isinstance(known, Subgoal) and known.failure and value is None:
                known.previous_failure = known.failure["message"][:4000]
                dirty.add("previous_failure")
            setattr(known, name, _column(known, name, value))
            dirty.add(name)

    def insert(self, row: models.Model) -> None:
        """Write a new row at the end of the block; later moves of the block may still change it."""
        self._new.append(row)
        if isinstance(row, Checkpoint | Subgoal):
            self.know(row)

    def event(self, kind: str, payload: Mapping[str, Any]) -> None:
        """Append one event with the next number."""
        if kind not in KINDS:
            raise ValueError(f"unknown event kind {kind}")
        goal = self.goal
        goal.seq += 1
        actor = getattr(self.actor, "pk", None)
        text = canonical(payload)
        goal.chain = link(goal.chain, goal.pk, goal.seq, kind, text, actor, self.now)
        self.told.append((kind, payload))
        self._events.append([uuid7(), goal.pk, goal.seq, kind, text, actor, self.now, goal.chain])

    def rearm(self) -> None:
        """Bring an ended goal back to work: the only door out of a terminal status, an operator's act."""
        goal = self.goal
        if goal.status not in REARM:
            raise IllegalMove(f"only an ended goal can be rearmed; this one is {goal.status}")
        before = goal.status
        self._first[(Kind.GOAL, goal.pk)] = before
        goal.status, goal.finished_at = GoalStatus.ACTIVE, None
        self._dirty.setdefault((Kind.GOAL, goal.pk), set()).update({"status", "finished_at"})
        self.event("goal.rearmed", {"before": before})

    # -- how it is written ---------------------------------------------------------------------------------

    def _row(self, kind: Kind, row_id: Any) -> Row:
        key = (kind, row_id)
        if key not in self._rows:
            found = MODELS[kind].objects.filter(pk=row_id).first()  # type: ignore[attr-defined]
            if found is None:
                raise NotFound(f"there is no {kind} {row_id}")
            self._rows[key] = found
        return self._rows[key]

    def _enter(self, kind: Kind, row: Row, status: str) -> None:
        key = (kind, row.pk)
        self._first.setdefault(key, row.status)
        dirty = self._dirty.setdefault(key, set())
        if isinstance(row, Goal) and row.status == GoalStatus.PAUSED:
            row.paused_for = ""
            dirty.add("paused_for")
        if isinstance(row, Goal) and row.status == GoalStatus.WAITING:
            row.waits_for = ""
            dirty.add("waits_for")
        row.status = status
        dirty.add("status")
        if status == "active" and row.started_at is None:
            row.started_at = self.now
            dirty.add("started_at")
        if is_terminal(kind, status):
            row.finished_at = self.now
            dirty.add("finished_at")
            self._on_end(row)

    def _on_end(self, row: Row) -> None:
        if isinstance(row, Goal):
            if row.status == GoalStatus.COMPLETED:
                self._prove(row, _proofs_of(row))
            self._close(row)
        elif isinstance(row, Checkpoint) and row.status == CheckpointStatus.COMPLETED:
            self._prove(row, {"checkpoint": row, "attempt": row.attempts})
        elif isinstance(row, Subgoal) and row.asked:
            self._withdraw(Question.objects.filter(subgoal=row))
            self.facts(row, asked=False)

    def _prove(self, row: Goal | Checkpoint, of: dict[str, Any]) -> None:
        """Rule 6: only a passing verification of the sealed verifier completes anything; Postgres holds it as well."""
        proof, about = self.proof, (row.pk, None) if isinstance(row, Goal) else (row.goal_id, row.pk)
        if proof is None or (proof.goal_id, proof.checkpoint_id) != about:
            proof = Verification.objects.filter(**of).order_by("-created_at").first()
        if proof is None or not proof.met or (isinstance(row, Goal) and proof.digest != row.verifier_digest):
            raise IllegalMove(f"{_kind(row)} {row.pk} has no passing verification of its sealed verifier")
        row.proof = proof
        self._dirty[(_kind(row), row.pk)].add("proof")

    def _close(self, goal: Goal) -> None:
        """An ended goal leaves nothing open: its checkpoints, subgoals and questions end with it."""
        for subgoal in Subgoal.objects.filter(goal=goal, finished_at=None):
            self.know(subgoal)
            self._skip(self._rows[(Kind.SUBGOAL, subgoal.pk)], SubgoalStatus.SKIPPED, "subgoal.skipped")
        for checkpoint in Checkpoint.objects.filter(goal=goal, finished_at=None):
            self.know(checkpoint)
            self._skip(self._rows[(Kind.CHECKPOINT, checkpoint.pk)], CheckpointStatus.SKIPPED, "")
        self._withdraw(Question.objects.filter(goal=goal))
        track_record.finish(goal)

    def _skip(self, row: Row, status: str, event: str) -> None:
        if not is_terminal(_kind(row), row.status):
            self.move(Move(_kind(row), row.pk, row.status, status, {}, event, {"reason": "the goal ended"}))

    def _withdraw(self, questions: models.QuerySet) -> None:
        for question in questions.filter(status=QuestionStatus.OPEN):
            question.status, question.closed_at = QuestionStatus.WITHDRAWN, self.now
            question.save(update_fields=["status", "closed_at"])
            self.event("question.withdrawn", {"question": str(question.pk)})

    def flush(self) -> None:
        """Write everything that was collected."""
        changes = [Change(row._meta.db_table, *rows.insertion(row)) for row in self._new]
        fresh = {row.pk for row in self._new}
        for (kind, row_id), names in self._dirty.items():
            if names and kind is not Kind.GOAL and row_id not in fresh:
                changes.append(self._change(kind, row_id, names))
        asks = any(kind.startswith("question.") for kind, _ in self.told)
        told = announce.notifications(announce.of_goal(self.goal, asks=asks) if self._events else ())
        if self.wakes_workers:
            told.append((announce.WAKE_CHANNEL, ""))
        if self._events or told or self._dirty.get((Kind.GOAL, self.goal.pk)):
            changes += self._of_goal()
        together.write(changes, told)

    def _change(self, kind: Kind, row_id: Any, names: set[str]) -> Change:
        row = self._rows[(kind, row_id)]
        first = self._first[(kind, row_id)]
        table, (sets, values) = row._meta.db_table, rows.assignments(row, names)
        statement = f"UPDATE {table} SET {sets} WHERE id = %s AND status = %s"  # noqa: S608
        return Change(table, statement, [*values, row_id, str(first)], f"{kind} {row_id} is not {first} any more")

    def _of_goal(self) -> list[Change]:
        """Return the changes of the goal's row and its events."""
        names = self._dirty.get((Kind.GOAL, self.goal.pk), set()) | {"seq", "chain"}
        sets, values = rows.assignments(self.goal, names)
        statement = f"UPDATE goals_goal SET {sets} WHERE id = %s"  # noqa: S608 - names of our own columns
        changes = [Change("goals_goal", statement, [*values, self.goal.pk])]
        if self._events:
            changes.append(Change("goals_event", *insertion(self._events)))
        return changes


def _kind(row: Row) -> Kind:
    return KINDS_OF_ROWS[type(row)]


def _proofs_of(goal: Goal) -> dict[str, Any]:
    """Say where a goal's proof is found: the latest verdict of its sealed verifier, of a watch the latest firing."""
    met = {"met": True} if goal.mode == Mode.MONITOR else {}
    return {"goal": goal, "checkpoint": None, "digest": goal.verifier_digest, **met}


def _about(row: Row) -> dict[str, Any]:
    if isinstance(row, Checkpoint):
        return {"checkpoint": str(row.pk), "title": row.title, "position": row.position, "attempt": row.attempts}
    if isinstance(row, Subgoal):
        return {"subgoal": str(row.pk), "checkpoint": str(row.checkpoint_id), "gloss": row.gloss[:300]}
    return {}


def _column(row: Row, name: str, value: Any) -> Any:
    """Translate an engine's fact into its column."""
    if name == "failure" and isinstance(row, Checkpoint):
        return str(value or "")[:20_000]
    if isinstance(value, Failure):
        return value.as_json()
    return value
