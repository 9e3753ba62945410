"""What a message means: read by the model, once, and then done by the services (DESIGN section 5, "People").

`interpret_waiting` is the entry for workers. No connection is held across a model call; what a message leads to is
written in the one transaction that says that it is interpreted.
"""

import logging
from collections.abc import Callable
from typing import Any

from django.db import transaction

from goals.chat import claims, commands, meaning, model_calls, taken, talking
from goals.chat.claims import Claim
from goals.chat.setting import Setting, look
from goals.chat.tokens import TokenStream
from goals.connections import pooled
from goals.effects.making import add_message
from goals.exceptions import StaleGoal
from goals.llm.errors import ModelError
from goals.llm.replies import InterpretMessage
from goals.models import Role, Taken, ToolCall

logger = logging.getLogger(__name__)
MOST_CLAIMS = 5
Stop = Callable[[], bool]


def interpret_waiting(limit: int = 10, wants_stop: Stop = lambda: False) -> int:
    """Interpret up to `limit` waiting messages, one after the other; returns how many were taken."""
    taken = 0
    while taken < limit and not wants_stop():
        with pooled():
            found = claims.take(1)
        if not found:
            break
        interpret(found[0], wants_stop)
        taken += 1
    return taken


def interpret(claim: Claim, wants_stop: Stop = lambda: False) -> None:
    """Interpret one claimed message; whatever goes wrong is said in the conversation, and can be retried."""
    try:
        with claims.kept(claim):
            _interpret(claim, wants_stop)
    except ModelError as error:
        _give_up(claim, f"the model could not be asked ({error})")
    except StaleGoal as error:
        logger.info("message %s: %s", claim.message_id, error)
    except Exception:
        logger.exception("message %s: its interpretation failed", claim.message_id)
        if claim.number >= MOST_CLAIMS:
            _give_up(claim, "the site failed while reading it")


def _interpret(claim: Claim, wants_stop: Stop) -> None:
    with pooled():
        setting = look(claim.message_id)
        if commands.is_command(setting.message.content):
            _obey(claim, setting)
            return
    if setting.message.taken_as == Taken.TALK:
        _answer_talk(claim, setting)
        return
    call = model_calls.ask(setting.message, claim, "interpret_message", **setting.for_interpretation())
    meant = call.completion.value
    if meant.action == "continue" and not meant.reply:
        with pooled():
            call.record()
        if wants_stop():
            with pooled():
                claims.give_back(claim)
            return
        _reply(claim, setting, meant)
        return
    with pooled(), transaction.atomic():
        claims.finish(claim)
        call.record()
        meaning.apply(setting, meant)


def _obey(claim: Claim, setting: Setting) -> None:
    with transaction.atomic():
        claims.finish(claim)
        taken.take(setting.message, Taken.COMMAND)
        commands.run(setting.conversation.owner, setting.conversation, setting.message.content)


def _reply(claim: Claim, setting: Setting, meant: InterpretMessage) -> None:
    """Stream a reply, with the tools it asks for in between, and store it as one message."""
    call, text, changes = _streamed(claim, setting)
    with pooled(), transaction.atomic():
        claims.finish(claim)
        call.record()
        meaning.apply(setting, meant.model_copy(update={"reply": text}), changes=changes)


def _answer_talk(claim: Claim, setting: Setting) -> None:
    """Answer what its author calls mere talk: what it means need not be asked."""
    call, text, _ = _streamed(claim, setting)
    with pooled(), transaction.atomic():
        claims.finish(claim)
        call.record()
        add_message(setting.conversation.pk, role=Role.ASSISTANT, content=text)


def _streamed(claim: Claim, setting: Setting) -> tuple[model_calls.ChatCall, str, list[ToolCall]]:
    with TokenStream(setting.conversation.pk, setting.message.number) as tokens:
        call, text, changes = talking.reply(setting, claim, tokens.hear)
    return call, text[:20_000] or "(The model had nothing to say.)", changes


def _give_up(claim: Claim, problem: str) -> None:
    """Say in the conversation why a message could not be read; a late worker says nothing."""
    try:
        with pooled(), transaction.atomic():
            claims.finish(claim, failure=problem)
            meaning.say_failure(claim.message_id, problem)
    except StaleGoal as error:
        logger.info("message %s: %s", claim.message_id, error)


def claim_some(limit: int) -> list[Any]:
    """Claim up to `limit` messages for threads of the caller, who gives each to `interpret`."""
    with pooled():
        return claims.take(limit)
