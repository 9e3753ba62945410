"""Model calls and tool calls as effects: intended, done without a connection, and recorded with what they change."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

from django.conf import settings

from artifacts.clean import clean
from goals import model_settings
from goals.connections import pooled, released
from goals.digests import digest
from goals.driver import Drive
from goals.effects import breakers, journal
from goals.effects.breakers import Pass, permitted
from goals.effects.journal import Intent, Outcome
from goals.effects.keeping import keep_alone, keep_late
from goals.exceptions import LeaseLost, StaleGoal
from goals.llm import client, port, prices, prompts
from goals.llm.errors import ModelError, ModelRefused, ModelUnavailable
from goals.models import Budget, Checkpoint, ModelCall, Subgoal, ToolCall
from goals.states import BreakerKind, EffectClass, EffectStatus, Resource
from goals.transitions import Writer

ONE = Decimal(1)
Target = Subgoal | Checkpoint | None


@dataclass
class Call:
    """One effect with its outcome, not yet recorded unless it was answered from the journal."""

    row: ModelCall | ToolCall
    outcome: Outcome | None
    value: Any = None
    completion: port.Completion | None = None

    @property
    def unrecorded(self) -> bool:
        return self.outcome is not None

    def record(self, writer: Writer) -> None:
        if self.outcome is not None:
            journal.record(writer, self.row, self.outcome)
            self.outcome = None


@contextmanager
def recording(drive: Drive, *calls: Call) -> Iterator[Writer]:
    """Record outcomes with what the block changes, in one transaction; a late worker's go on their rows alone.

    Where the block cannot be carried out, its changes are undone, but what the effects came to is kept, also when the
    database hangs up here and comes back soon.
    """
    outcomes = [(call.row, call.outcome) for call in calls if call.unrecorded]
    try:
        with drive.writing() as writer:
            for call in calls:
                _count_time(drive, writer, call)
                call.record(writer)
            yield writer
    except LeaseLost:
        keep_late(outcomes)
        raise
    except Exception:
        keep_alone(drive, outcomes)
        raise


def _count_time(drive: Drive, writer: Writer, call: Call) -> None:
    """Count what a call took on the attempt that it belongs to; whole seconds are written, what is less is kept."""
    row, active = call.row, drive.picture.active
    if call.outcome is None or active is None or row.checkpoint_id != active.pk:
        return
    if row.subgoal_id is not None and row.subgoal_id not in drive.picture.subgoals:
        return
    seconds = active.seconds + call.outcome.seconds
    if int(seconds) > int(active.seconds):
        writer.facts(active, seconds=seconds)
    else:
        active.seconds = seconds


def target_facts(drive: Drive, target: Target) -> tuple[dict[str, Any], list[Any]]:
    """Return the columns that say what an effect is for, and the parts of its scope."""
    goal = drive.goal
    if isinstance(target, Subgoal):
        drive.subgoal(target.pk)
        facts = {"subgoal": target, "checkpoint_id": target.checkpoint_id, "attempt": target.attempts}
        return facts, ["subgoal", target.pk, target.attempts]
    if isinstance(target, Checkpoint):
        facts = {"checkpoint": target, "attempt": target.attempts}
        return facts, ["checkpoint", target.pk, target.round, goal.attempt, goal.resumes]
    scope = ["goal", goal.iteration, goal.revision, goal.attempt, goal.resumes, goal.since_evaluation]
    return {"attempt": goal.attempt}, scope


def ask(
    drive: Drive,
    purpose: str,
    target: Target = None,
    *,
    number: int = 0,
    **variables: Any,
) -> Call:
    """Ask the model for the typed reply of a prompt; a reply that does not parse is asked for again, twice.

    `number` tells askings apart that say the same (a plan asked for again with the same errors). Returns a `Call`
    with `value`; its outcome is still to be recorded. Raises ModelError after the last try.
    """
    asked = prompts.render(purpose, **variables)
    for repairs in range(port.MAX_REPAIRS + 1):
        if repairs and drive.wants_stop():
            raise StaleGoal("the worker is to stop: whoever drives the goal next asks again")
        call = call_model(drive, purpose, target, asked, mark=[number, repairs])
        completion = call.completion
        if completion.value is not None:
            call.value = completion.value
            return call
        with recording(drive, call):
            pass
        asked = port.repair(asked, completion)
    raise ModelError(
        f"{purpose}: the reply could not be read after {port.MAX_REPAIRS + 1} tries: {completion.problem}",
        retryable=False,  # it was tried again already, and paid for each time
    )


def call_model(
    drive: Drive,
    purpose: str,
    target: Target,
    messages: Sequence[Mapping[str, Any]],
    *,
    variant: str = "",
    mark: Any = 0,
    tools: Sequence[Mapping[str, Any]] = (),
    history: Sequence[Mapping[str, Any]] = (),
    reply: str | None = None,
    scope_by_content: bool = True,
    notes: Mapping[str, Any] | None = None,
) -> Call:
    """Make one model call, or take its reply from the journal.

    `messages` are stored with the call; `history` is what earlier calls stored (a turn stores only what it adds).
    With `scope_by_content` off, `mark` alone says which call this is, and what was stored first is sent again.
    `notes` are stored with the messages and sent to nobody.
    """
    goal, prompt = drive.goal, prompts.load(purpose, variant)
    role, model = prompt.role, model_settings.model_of(prompt.role)
    price = model_settings.price_of(model)
    facts, _ = target_facts(drive, target)
    stored = clean({"messages": list(messages), "tools": [tool["function"]["name"] for tool in tools]})
    content = stored["messages"] if scope_by_content else None
    if notes is not None:
        stored["notes"] = clean(dict(notes))
    row = ModelCall(
        goal=goal,
        **facts,
        purpose=purpose,
        role=role,
        model=model,
        price=price.record if price else None,
        prompt_hash=prompt.hash,
        effect_class=EffectClass.PURE,
        scope=_scope(drive, purpose, target, mark, content),
        request=stored,
    )
    request = port.Request(role, [*history, *stored["messages"]], reply=reply or purpose, tools=tools)
    with pooled(), _permitted(row) as given:
        intent = journal.intend(goal, drive.epoch, row, _model_amounts(drive, row, request))
    row = intent.row
    if row.price is None and price:
        row.price = price.record  # begun by a version that kept none
    if intent.is_answered:
        completion = port.Completion.from_record(row.response, reply or purpose)
        return Call(row, None, completion=completion)
    request = port.Request(
        role,
        [*history, *row.request["messages"]],
        reply=reply or purpose,
        tools=tools,
        timeout=min(settings.GOALSITE_MODEL_TIMEOUT, intent.seconds),
        model=row.model,
        key=row.key,
    )
    return _complete(drive, intent, request, given)


def _permitted(row: ModelCall) -> AbstractContextManager[Pass]:
    """Ask the endpoint's breaker, unless the journal has the reply."""
    patience = float(settings.GOALSITE_MODEL_TIMEOUT)
    known = partial(journal.is_answered, ModelCall, row.scope)
    return permitted(BreakerKind.ENDPOINT, client.place(), key=row.scope, seconds=patience, known=known)


def _scope(drive: Drive, purpose: str, target: Target, mark: Any, content: Any = None) -> str:
    _, scope = target_facts(drive, target)
    return digest("model", drive.goal.pk, scope, purpose, mark, content)


def known_request(drive: Drive, purpose: str, target: Target, mark: Any) -> dict[str, Any] | None:
    """Return what was stored of a call that is known by its mark alone; None when it was never begun."""
    with pooled():
        return journal.request_of(ModelCall, _scope(drive, purpose, target, mark))


def _model_amounts(drive: Drive, row: ModelCall, request: port.Request) -> dict[Resource, Decimal]:
    """Return the upper bound of what a call can take."""
    bound_in, bound_out = port.bound_of(request)
    if row.price is None and _limits_cost(drive):
        prices.require(None, row.model)
    return {
        Resource.MODEL_CALLS: ONE,
        Resource.TOKENS: Decimal(bound_in + bound_out),
        Resource.COST_USD: prices.cost_of(row.price, bound_in, bound_out),
        Resource.SECONDS: Decimal(settings.GOALSITE_MODEL_TIMEOUT),
    }


def _limits_cost(drive: Drive) -> bool:
    goal = drive.goal
    return Budget.objects.filter(goal_id=goal.budget_goal_id, resource=Resource.COST_USD, limit__isnull=False).exists()


def _complete(drive: Drive, intent: Intent, request: port.Request, given: Pass) -> Call:
    row, started = intent.row, time.monotonic()
    try:
        with released(), breakers.told(given, patient=intent.seconds >= settings.GOALSITE_MODEL_TIMEOUT):
            completion = port.complete(request)
    except ModelError as error:
        seconds = time.monotonic() - started
        free = bool(given.mark) and isinstance(error, ModelUnavailable)
        used = _seconds(seconds) if free else _spent_by_error(row, error, seconds)
        response = {"probe": True} if free else None
        outcome = Outcome(EffectStatus.FAILED, response, error=str(error), used=used, seconds=seconds)
        with recording(drive, Call(row, outcome)):
            pass
        raise
    return Call(row, _model_outcome(row, completion), completion=completion)


def _model_outcome(row: ModelCall, completion: port.Completion) -> Outcome:
    tokens = {"input_tokens": completion.input_tokens, "output_tokens": completion.output_tokens}
    return Outcome(
        EffectStatus.SUCCEEDED,
        response=completion.as_record(),
        used=_used(row, completion, completion.seconds),
        seconds=completion.seconds,
        columns=tokens,
    )


def _used(row: ModelCall, completion: port.Completion | None, seconds: float) -> dict[Resource, Decimal]:
    done = completion
    tokens = done.input_tokens + done.output_tokens if done else 0
    cost = prices.cost_of(row.price, done.input_tokens, done.output_tokens, done.cached_tokens) if done else Decimal(0)
    return {
        Resource.MODEL_CALLS: ONE,
        Resource.TOKENS: Decimal(tokens),
        Resource.COST_USD: cost,
        **_seconds(seconds),
    }


def _seconds(seconds: float) -> dict[Resource, Decimal]:
    """What a breaker's probe took that found the endpoint still down: it asked for all goals, so no call is counted."""
    return {Resource.SECONDS: Decimal(str(round(seconds, 6)))}


def _spent_by_error(row: ModelCall, error: ModelError, seconds: float) -> dict[Resource, Decimal]:
    """A refusal was paid for; a call that failed otherwise counts as a call with its time."""
    completion = error.completion if isinstance(error, ModelRefused) else None
    return _used(row, completion if isinstance(completion, port.Completion) else None, seconds)
