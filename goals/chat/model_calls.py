"""Model calls of a conversation, journaled: written down before, and after. A recorded reply is never paid for again.

They belong to no goal, so no budget is drawn on; what they cost stands on their rows.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from artifacts.clean import clean, clean_text
from goals import model_settings, spending
from goals.chat.claims import Claim
from goals.connections import pooled
from goals.digests import digest
from goals.effects import breakers, journal
from goals.effects.journal import OPEN
from goals.exceptions import BreakerOpen, StaleGoal
from goals.llm import client, port, prices, prompts
from goals.llm.errors import ModelError, ModelRefused, ModelUnavailable
from goals.models import Message, ModelCall
from goals.states import BreakerKind, EffectClass, EffectStatus

Messages = Sequence[Mapping[str, Any]]
Tools = Sequence[Mapping[str, Any]]
Hear = Callable[[str], None]


@dataclass
class ChatCall:
    """One call with its reply; `record` belongs into the transaction that applies it."""

    row: ModelCall
    completion: port.Completion
    recorded: bool

    def record(self) -> None:
        """Write the outcome, once."""
        if self.recorded:
            return
        done = self.completion
        _write(
            self.row,
            status=EffectStatus.SUCCEEDED,
            response=clean(done.as_record()),
            cost_usd=_cost(self.row, done),
            seconds=done.seconds,
            input_tokens=done.input_tokens,
            output_tokens=done.output_tokens,
        )
        self.recorded = True


def ask(message: Message, claim: Claim, purpose: str, /, **variables: Any) -> ChatCall:
    """Return the call whose completion has the typed reply of a prompt; a bad reply is asked for again, twice."""
    asked: Messages = prompts.render(purpose, **variables)
    unreadable: list[ChatCall] = []
    for repairs in range(port.MAX_REPAIRS + 1):
        call = _call(message, claim, purpose, asked, mark=repairs)
        if call.completion.value is not None:
            return call
        with pooled():
            call.record()
        unreadable.append(call)
        asked = port.repair(asked, call.completion)
    with pooled():
        _set_aside(unreadable)
    raise ModelError(f"its reply could not be used after {len(unreadable)} tries: {call.completion.problem}")


def _set_aside(unreadable: list[ChatCall]) -> None:
    """Let a later try of the same message ask anew: these replies answer nothing."""
    rows = ModelCall.objects.filter(pk__in=[call.row.pk for call in unreadable])
    rows.update(status=EffectStatus.FAILED, error="the reply could not be read")


def has_replied(message: Message) -> bool:
    """Whether somebody was answered by a streamed reply to this message."""
    replies = ModelCall.objects.filter(scope=digest("chat", message.pk, "chat_reply", "stream"))
    return replies.filter(status=EffectStatus.SUCCEEDED).exists()


def tell(
    message: Message, claim: Claim, purpose: str, hear: Hear, asked: Messages, *, turn: int, tools: Tools = ()
) -> ChatCall:
    """Return the call whose completion has free text or asks for tools; `hear` gets the text as it is written."""
    mark = ["stream", turn] if turn else "stream"
    return _call(message, claim, purpose, asked, mark=mark, hear=hear, tools=tools)


def _call(
    message: Message,
    claim: Claim,
    purpose: str,
    asked: Messages,
    *,
    mark: Any,
    hear: Hear | None = None,
    tools: Tools = (),
) -> ChatCall:
    reply = None if hear else purpose
    scope = digest("chat", message.pk, purpose, mark)
    with pooled(), _permitted(scope) as given:
        row, answered = _intend(message, claim, purpose, clean(list(asked)), scope)
    if answered:
        return ChatCall(row, port.Completion.from_record(row.response, reply), recorded=True)
    request = port.Request(
        row.role,
        row.request["messages"],
        reply=reply,
        tools=tools,
        timeout=settings.GOALSITE_MODEL_TIMEOUT,
        model=row.model,
        key=row.key,
    )
    started = time.monotonic()
    try:
        with breakers.told(given):
            return ChatCall(row, _heard(request, hear) if hear else port.complete(request), recorded=False)
    except ModelError as error:
        with pooled():
            _fail(row, error, time.monotonic() - started)
        raise


@contextmanager
def _permitted(scope: str) -> Iterator[breakers.Pass]:
    """Ask the endpoint's breaker; somebody waits for this reply, so one that is open is told at once."""
    known, patience = partial(journal.is_answered, ModelCall, scope), float(settings.GOALSITE_MODEL_TIMEOUT)
    try:
        with breakers.permitted(
            BreakerKind.ENDPOINT, client.place(), key=scope, seconds=patience, known=known
        ) as given:
            yield given
    except BreakerOpen as error:
        raise ModelUnavailable(str(error)) from error


def _heard(request: port.Request, hear: Hear) -> port.Completion:
    for piece in port.stream(request):
        if isinstance(piece, port.Completion):
            return piece
        hear(piece)
    raise AssertionError("a stream ends with its completion")


def _intend(message: Message, claim: Claim, purpose: str, asked: list, scope: str) -> tuple[ModelCall, bool]:
    """Return the row to work on, and whether the journal has its answer already."""
    prompt, number = prompts.load(purpose), 1
    model = model_settings.model_of(prompt.role)
    price = model_settings.price_of(model)
    while True:
        row = ModelCall(
            conversation_id=message.conversation_id,
            purpose=purpose,
            role=prompt.role,
            model=model,
            price=price.record if price else None,
            prompt_hash=prompt.hash,
            effect_class=EffectClass.PURE,
            attempt=number,
            scope=scope,
            key=f"{scope}:{number}",
            epoch=claim.number,
            request={"messages": asked},
        )
        try:
            with transaction.atomic():
                row.save(force_insert=True)
            return row, False
        except IntegrityError:
            known = ModelCall.objects.get(key=row.key)
        if known.status == EffectStatus.SUCCEEDED:
            return known, True
        if known.status in OPEN:
            return _adopt(known, claim), False
        number += 1


def _adopt(known: ModelCall, claim: Claim) -> ModelCall:
    """Take over a call whose worker is gone; reading a message changes nothing outside, so it is asked again."""
    rows = ModelCall.objects.filter(pk=known.pk, status__in=OPEN, epoch__lte=claim.number)
    if not rows.update(epoch=claim.number, status=EffectStatus.INTENDED):
        raise StaleGoal("the call is in other hands")
    known.epoch = claim.number
    return known


def _fail(row: ModelCall, error: ModelError, seconds: float) -> None:
    spent = error.completion if isinstance(error, ModelRefused) else None
    cost = _cost(row, spent) if isinstance(spent, port.Completion) else Decimal(0)
    _write(row, status=EffectStatus.FAILED, error=clean_text(str(error))[:20_000], cost_usd=cost, seconds=seconds)


def _write(row: ModelCall, **columns: Any) -> None:
    rows = ModelCall.objects.filter(pk=row.pk, status__in=OPEN, epoch=row.epoch)
    now = timezone.now()
    if not rows.update(finished_at=now, **columns):
        raise StaleGoal("the call was settled by somebody else meanwhile")
    tokens = columns.get("input_tokens", 0) + columns.get("output_tokens", 0)
    spending.count(row.conversation.owner_id, row.model, usd=columns["cost_usd"], tokens=tokens, at=now)


def _cost(row: ModelCall, done: port.Completion) -> Decimal:
    return prices.cost_of(row.price, done.input_tokens, done.output_tokens, done.cached_tokens)
