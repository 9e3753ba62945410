"""What a goal, a checkpoint and a subgoal can be, and the one table of moves between those states.

The README's diagram is made from `MOVES`; `transitions.py` refuses whatever is not in it. A malformed table
fails at import. Source: DESIGN section 4.
"""

from collections.abc import Mapping

from django.db.models import TextChoices


class GoalStatus(TextChoices):
    PLANNING = "planning"
    ACTIVE = "active"
    WAITING = "waiting"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class CheckpointStatus(TextChoices):
    PENDING = "pending"
    ACTIVE = "active"
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"


class SubgoalStatus(TextChoices):
    PENDING = "pending"
    ACTIVE = "active"
    WAITING = "waiting"
    BLOCKED = "blocked"
    ACHIEVED = "achieved"
    ABANDONED = "abandoned"
    SKIPPED = "skipped"


class Kind(TextChoices):
    """The three nouns that have a status which only `transitions.py` sets."""

    GOAL = "goal"
    CHECKPOINT = "checkpoint"
    SUBGOAL = "subgoal"


class Mode(TextChoices):
    DRIVE = "drive"
    MONITOR = "monitor"


class Trigger(TextChoices):
    """When a watch fires: once its verifier is met that was not, or whenever what it sees has changed."""

    MET = "met"
    CHANGE = "change"


class Outcome(TextChoices):
    ACHIEVED = "achieved"
    EXHAUSTED = "exhausted"
    UNACHIEVABLE = "unachievable"
    ERROR = "error"


class PauseReason(TextChoices):
    USER = "user"
    BUDGET = "budget"
    NO_PROGRESS = "no_progress"
    APPROVAL = "approval"
    ERROR = "error"


class WaitsFor(TextChoices):
    """Every wait has an owner (DESIGN rule 10)."""

    QUESTION = "question"
    TIMER = "timer"
    WATCH = "watch"


class Predicate(TextChoices):
    COMPOSITE = "composite"
    USE_TOOL = "use_tool"
    GATHER_INFO = "gather_info"
    CONFIRM = "confirm"
    PRESENT_INFO = "present_info"
    EXECUTE = "execute"


class Operation(TextChoices):
    THINK = "think"
    WRITE = "write"
    SEARCH = "search"


class Decomposition(TextChoices):
    AND = "AND"
    OR = "OR"


class Verdict(TextChoices):
    """What the latest verification of the attempt in hand said; blank: none has run."""

    MET = "met"
    UNMET = "unmet"
    BROKEN = "broken"


class Begun(TextChoices):
    """How far the attempt in hand has reached; what has reached outside cannot be taken out of hand any more."""

    NOTHING = "nothing"
    INSIDE = "inside"
    OUTSIDE = "outside"


class EffectClass(TextChoices):
    """What may be done with an effect whose outcome was lost (DESIGN section 6)."""

    PURE = "pure"
    IDEMPOTENT = "idempotent"
    TRANSACTIONAL = "transactional"
    EXTERNAL = "external"


class EffectStatus(TextChoices):
    INTENDED = "intended"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    UNKNOWN = "unknown"


class Risk(TextChoices):
    SAFE = "safe"
    MODERATE = "moderate"
    DANGEROUS = "dangerous"


class Permission(TextChoices):
    """What the tool policy says of using a tool."""

    AUTO = "auto"
    ASK = "ask"
    DENY = "deny"


class ModelRole(TextChoices):
    """What a model is asked as: each prompt says its role (DESIGN section 7)."""

    PLANNER = "planner"
    WORKER = "worker"
    JUDGE = "judge"
    SUMMARISER = "summariser"


class QuestionKind(TextChoices):
    INFORMATION = "information"
    CONFIRMATION = "confirmation"
    APPROVAL = "approval"
    RECOVERY = "recovery"


class QuestionStatus(TextChoices):
    OPEN = "open"
    ANSWERED = "answered"
    WITHDRAWN = "withdrawn"


class McpTransport(TextChoices):
    """How an MCP server is reached: over streamable HTTP, or on the pipes of a command that a call starts."""

    HTTP = "http"
    STDIO = "stdio"


class BreakerKind(TextChoices):
    """What a circuit breaker stands before."""

    ENDPOINT = "endpoint"
    TOOL = "tool"


class BreakerState(TextChoices):
    """`open`: nobody calls; `half_open`: one caller tries whether it works again."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class Resource(TextChoices):
    MODEL_CALLS = "model_calls"
    TOKENS = "tokens"
    COST_USD = "cost_usd"
    SECONDS = "seconds"


Status = GoalStatus | CheckpointStatus | SubgoalStatus

_G, _C, _S = GoalStatus, CheckpointStatus, SubgoalStatus

MOVES: Mapping[Kind, Mapping[str, frozenset[str]]] = {
    Kind.GOAL: {
        _G.PLANNING: frozenset({_G.ACTIVE, _G.PAUSED, _G.FAILED, _G.CANCELLED}),
        _G.ACTIVE: frozenset({_G.WAITING, _G.PAUSED, _G.COMPLETED, _G.FAILED, _G.CANCELLED}),
        _G.WAITING: frozenset({_G.ACTIVE, _G.PAUSED, _G.CANCELLED}),
        _G.PAUSED: frozenset({_G.PLANNING, _G.ACTIVE, _G.WAITING, _G.CANCELLED}),
        _G.COMPLETED: frozenset(),
        _G.FAILED: frozenset(),
        _G.CANCELLED: frozenset(),
    },
    Kind.CHECKPOINT: {
        _C.PENDING: frozenset({_C.ACTIVE, _C.SKIPPED}),
        _C.ACTIVE: frozenset({_C.COMPLETED, _C.FAILED, _C.SKIPPED, _C.PENDING}),
        _C.COMPLETED: frozenset(),
        _C.FAILED: frozenset(),
        _C.SKIPPED: frozenset(),
    },
    Kind.SUBGOAL: {
        _S.PENDING: frozenset({_S.ACTIVE, _S.BLOCKED, _S.SKIPPED}),
        _S.ACTIVE: frozenset({_S.ACHIEVED, _S.ABANDONED, _S.WAITING, _S.BLOCKED, _S.SKIPPED}),
        _S.WAITING: frozenset({_S.ACTIVE, _S.SKIPPED}),
        _S.BLOCKED: frozenset({_S.PENDING, _S.SKIPPED}),
        _S.ACHIEVED: frozenset(),
        _S.ABANDONED: frozenset(),
        _S.SKIPPED: frozenset(),
    },
}

# An operator's act with its own event; no driver and no other service may make this move.
REARM: frozenset[str] = frozenset({_G.COMPLETED, _G.FAILED, _G.CANCELLED})

TERMINAL: Mapping[Kind, frozenset[str]] = {
    kind: frozenset(status for status, after in table.items() if not after) for kind, table in MOVES.items()
}


def is_legal(kind: Kind, before: str, after: str) -> bool:
    """Whether the table lets a `kind` go from `before` to `after`."""
    return after in MOVES[kind].get(before, frozenset())


def is_terminal(kind: Kind, status: str) -> bool:
    return status in TERMINAL[kind]


def mermaid(kind: Kind) -> str:
    """Return the state diagram of one kind as Mermaid text, made from the table (README)."""
    table = MOVES[kind]
    lines = ["stateDiagram-v2", f"    [*] --> {next(iter(table)).value}"]  # type: ignore[attr-defined]
    for before, afters in table.items():
        lines += [f"    {before!s} --> {after!s}" for after in sorted(afters)]
        if not afters:
            lines.append(f"    {before!s} --> [*]")
    if kind is Kind.GOAL:
        lines += [f"    {before!s} --> active: rearm" for before in sorted(REARM)]
    return "\n".join(lines)


def _check() -> None:
    for kind, enum in ((Kind.GOAL, GoalStatus), (Kind.CHECKPOINT, CheckpointStatus), (Kind.SUBGOAL, SubgoalStatus)):
        table = MOVES[kind]
        known = {member.value for member in enum}
        if set(table) != known:
            raise ValueError(f"the table of moves of {kind} must name every status exactly once")
        for before, afters in table.items():
            if not afters <= known or before in afters:
                raise ValueError(f"the table of moves of {kind} has a bad row: {before}")


_check()
