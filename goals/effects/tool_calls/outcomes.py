"""What a tool call came to, as the journal has it."""

from decimal import Decimal
from typing import Any

from goals.driver import Drive
from goals.effects.calls import Call, recording
from goals.effects.journal import Outcome
from goals.models import ToolCall
from goals.states import EffectStatus, Resource
from goals.tools.base import ToolResult
from goals.tools.errors import ToolError


def response_of(result: ToolResult) -> dict[str, Any]:
    return {
        "value": result.value,
        "summary": result.summary,
        "untrusted": result.untrusted,
        "files": list(result.files),
    }


def result_of(said: dict[str, Any]) -> ToolResult:
    """Return a result as the journal has it: what was cleaned is what goes on."""
    return ToolResult(
        said.get("value"), said.get("summary", ""), said.get("untrusted", False), tuple(said.get("files", ()))
    )


def outcome_of(response: dict[str, Any], seconds: float) -> Outcome:
    columns: dict[str, Any] = {"summary": response["summary"][:5000]}
    if response["untrusted"]:  # else the row keeps the label of its arguments
        columns["untrusted"] = True
    return Outcome(EffectStatus.SUCCEEDED, response, used=_seconds(seconds), seconds=seconds, columns=columns)


def record_failure(drive: Drive, row: ToolCall, status: EffectStatus, error: str, seconds: float) -> None:
    used = {} if status == EffectStatus.UNKNOWN else _seconds(seconds)
    outcome = Outcome(status, error=error, used=used, seconds=seconds)
    with recording(drive, Call(row, outcome)):
        pass


def said(error: Exception) -> str:
    return str(error) if isinstance(error, ToolError) else f"{type(error).__name__}: {error}"


def _seconds(seconds: float) -> dict[Resource, Decimal]:
    return {Resource.SECONDS: Decimal(str(round(seconds, 6)))}
