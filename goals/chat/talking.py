"""A reply in the chat: text as it is written, and in between the goal tools that the model asks for.

The tools act for the conversation's owner and for nobody else. Each use is written down before, and its outcome in
the transaction that carries it out; so a message that is read again repeats nothing.
"""

import json
from collections.abc import Callable
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from artifacts.clean import clean, clean_text
from goals import policy
from goals.chat import claims, model_calls
from goals.chat.claims import Claim
from goals.chat.model_calls import ChatCall
from goals.chat.setting import Setting
from goals.connections import pooled
from goals.delegation import Asker
from goals.digests import digest
from goals.llm import prompts
from goals.llm.exchange import ToolCallRequest, assistant_message, tool_message
from goals.models import Message, Taken, ToolCall
from goals.states import EffectClass, EffectStatus, Permission
from goals.tools import registry
from goals.tools.base import Reach
from goals.tools.errors import ToolError
from goals.tools.goal_tools import GoalCreate, GoalManage, GoalStatus, GoalTool

OFFERED = (GoalCreate.name, GoalStatus.name, GoalManage.name)
MAX_TURNS = 6
LONGEST_RESULT = 12_000


def reply(setting: Setting, claim: Claim, hear: Callable[[str], None]) -> tuple[ChatCall, str, list[ToolCall]]:
    """Return the last call, not yet recorded, with all that was said, and the uses of tools that changed something."""
    names = offered_for(setting.message)
    tools = [registry.schema(registry.get(name)) for name in names]
    asked: list[Any] = list(prompts.render("chat_reply", **setting.for_reply()))
    said: list[str] = []
    changes: list[ToolCall] = []
    for turn in range(MAX_TURNS):
        offered = tools if turn < MAX_TURNS - 1 else []
        call = model_calls.tell(setting.message, claim, "chat_reply", hear, asked, turn=turn, tools=offered)
        completion = call.completion
        said.append(completion.text.strip())
        if not completion.tool_calls or not offered:
            break
        with pooled():
            call.record()
        asked.append(assistant_message(completion))
        for index, request in enumerate(completion.tool_calls):
            told, change = _use(setting, claim, call, request, [turn, index])
            asked.append(tool_message(request, told))
            changes += [change] if change else []
        if said[-1]:
            hear("\n\n")
    return call, "\n\n".join(part for part in said if part), changes


def offered_for(message: Message) -> tuple[str, ...]:
    """Return the tools for a reply: to what its author calls mere talk, none that changes anything.

    A reply cannot ask for an approval: what the tool policy does not simply allow is not offered.
    """
    names = (GoalStatus.name,) if message.taken_as == Taken.TALK else OFFERED
    return tuple(name for name in names if policy.ruling(registry.get(name)).permission is Permission.AUTO)


def _use(
    setting: Setting, claim: Claim, call: ChatCall, request: ToolCallRequest, mark: Any
) -> tuple[str, ToolCall | None]:
    """Use one tool; returns what the model is told, and the use if it changed anything. A mistake is told as well."""
    try:
        tool, arguments = _understood(request, offered_for(setting.message))
    except ToolError as error:
        return f"error: {error}", None
    with pooled():
        row = _intend(setting, claim, call, tool, arguments, mark)
        if not row.is_settled:
            _carry_out(setting, claim, tool, row)
    if row.status == EffectStatus.FAILED:
        return f"error: {row.error}", None
    told = json.dumps(row.response["value"], ensure_ascii=False)[:LONGEST_RESULT]
    return f"{row.summary}\n{told}", row if tool.reach == Reach.WRITE else None


def _understood(request: ToolCallRequest, names: tuple[str, ...] = OFFERED) -> tuple[GoalTool, dict[str, Any]]:
    if request.name not in names:
        raise ToolError(f"there is no tool {request.name[:80]!r}; there are {', '.join(names) or 'none'}")
    tool = registry.get(request.name)
    try:
        arguments = clean(json.loads(request.arguments or "{}"))
    except ValueError as error:
        raise ToolError(f"the arguments are not JSON: {error}") from error
    tool.parse(arguments)
    return tool, arguments


def _intend(setting: Setting, claim: Claim, call: ChatCall, tool: GoalTool, arguments: Any, mark: Any) -> ToolCall:
    """Return the row of this use: a new one, or the one that an earlier reading of the message has left."""
    scope = digest("chat tool", setting.message.pk, mark, tool.name, arguments)
    row = ToolCall(
        conversation=setting.conversation,
        tool=tool.name,
        effect_class=EffectClass.TRANSACTIONAL,
        scope=scope,
        key=f"{scope}:1",
        epoch=claim.number,
        request={"input": arguments},
        model_call=call.row,
        call_id=str(mark[-1]),
    )
    try:
        with transaction.atomic():
            row.save(force_insert=True)
        return row
    except IntegrityError:
        return ToolCall.objects.get(key=row.key)


def _carry_out(setting: Setting, claim: Claim, tool: GoalTool, row: ToolCall) -> None:
    """Act and write the outcome, in one transaction; a reader whose claim is gone does neither."""
    asker = Asker(setting.conversation.owner, setting.conversation)
    with transaction.atomic():
        claims.hold(claim)
        try:
            with transaction.atomic():
                result = tool.act(tool.parse(row.request["input"]), asker)
            row.status, row.response = EffectStatus.SUCCEEDED, clean({"value": result.value})
            row.summary = clean_text(result.summary)[:5000]
        except ToolError as error:
            row.status, row.error = EffectStatus.FAILED, clean_text(str(error))[:20_000]
        row.finished_at = timezone.now()
        row.save(update_fields=["status", "response", "summary", "error", "finished_at"])
