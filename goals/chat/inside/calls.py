"""A call to the model or to a tool: what was asked, what came back, what it took."""

import json
from typing import Any

from artifacts.models import Artifact
from goals.chat.amounts import duration
from goals.chat.inside.values import Shown, plain, reread, row_of, shown
from goals.chat.inside.work import MARKS, cost, effect_tone, purpose, tool_deed
from goals.chat.pieces import Piece, piece
from goals.models import Goal, ModelCall, ToolCall

MOST_MESSAGES = 60
LONGEST_MESSAGE = 2_500


def model_call(goal: Goal, row_id: Any) -> tuple[str, list[Piece]]:
    """Return the title and the pieces of one call to the model."""
    row = row_of(goal, ModelCall.objects.select_related("subgoal", "checkpoint"), row_id)
    messages = messages_of(row)
    context = {
        "messages": [
            {"role": one["role"], "text": shown(one["text"], f"message-{number}", most=LONGEST_MESSAGE)}
            for number, one in enumerate(messages[:MOST_MESSAGES], start=1)
        ],
        "more": max(0, len(messages) - MOST_MESSAGES),
        "offered": row.request.get("tools") or [],
        "reply": shown(reply_of(row), "reply"),
        "uses": [tool_deed(use) for use in row.tool_calls.defer("request", "response").order_by("created_at")],
        **_shared(goal, row, "model-calls"),
    }
    title = purpose(row.purpose)
    return title, [piece("i-call", "inside/model_call.html", {**context, "title": title})]


def tool_call(goal: Goal, row_id: Any) -> tuple[str, list[Piece]]:
    """Return the title and the pieces of one use of a tool."""
    row = row_of(goal, ToolCall.objects.select_related("subgoal", "checkpoint", "model_call"), row_id)
    made = Artifact.objects.filter(context_id=goal.artifact_context_id, metadata__call=str(row.pk)).defer("value")
    context = {
        "arguments": shown(arguments_of(row), "arguments"),
        "result": shown(result_of(row), "result"),
        "made": list(made.order_by("created_at")[:100]),
        "questions": list(row.questions.order_by("created_at")[:20]),
        **_shared(goal, row, "tool-calls"),
    }
    return row.tool, [piece("i-call", "inside/tool_call.html", {**context, "title": row.tool})]


def model_part(goal: Goal, row_id: Any, name: str) -> Any:
    """Return the whole of what the page cuts: `reply`, `error` or `message-NUMBER`."""
    row = row_of(goal, ModelCall.objects, row_id)
    if name.startswith("message-") and name[8:].isdigit():
        return dict(enumerate((one["text"] for one in messages_of(row)), start=1)).get(int(name[8:]))
    return {"reply": reply_of(row), "error": row.error}.get(name)


def tool_part(goal: Goal, row_id: Any, name: str) -> Any:
    """Return the whole of what the page cuts: `arguments`, `result` or `error`."""
    row = row_of(goal, ToolCall.objects, row_id)
    return {"arguments": arguments_of(row), "result": result_of(row), "error": row.error}.get(name)


def messages_of(row: ModelCall) -> list[dict[str, str]]:
    """Return what was said to the model, each as role and text."""
    found = row.request.get("messages")
    said = found if isinstance(found, list) else []
    return [{"role": str(one.get("role", "")), "text": _said(one)} for one in said if isinstance(one, dict)]


def reply_of(row: ModelCall) -> str:
    """Return the reply's text, and the tools that it asked for."""
    response = row.response if isinstance(row.response, dict) else {}
    parts = [reread(str(response.get("text") or ""))]
    if response.get("tool_calls"):
        parts.append(plain(response["tool_calls"]))
    return "\n\n".join(part for part in parts if part)


def arguments_of(row: ToolCall) -> Any:
    return row.request.get("input", row.request) if isinstance(row.request, dict) else row.request


def result_of(row: ToolCall) -> Any:
    response = row.response
    return response["value"] if isinstance(response, dict) and "value" in response else response


def _said(message: dict[str, Any]) -> str:
    content = message.get("content")
    text = content if isinstance(content, str) else "" if content is None else json.dumps(content, ensure_ascii=False)
    calls = message.get("tool_calls")
    return "\n".join(filter(None, [reread(text), plain(calls) if calls else ""]))


def _shared(goal: Goal, row: ModelCall | ToolCall, kind: str) -> dict[str, Any]:
    return {
        "goal": goal,
        "row": row,
        "base": f"{kind}/{row.pk}",
        "mark": MARKS[row.status],
        "tone": effect_tone(row.status),
        "took": duration(max(0.1, row.seconds)) if row.is_settled else "",
        "cost": cost(row.cost_usd),
        "error": Shown(row.error[:4000], len(row.error), "error"),
    }
