"""From settled rows to spans, in the words of the GenAI semantic conventions and, for what they lack, our own.

What people and models said (objectives, titles, reasons) is drawn only when its capture was asked for.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from goals.llm.client import address
from goals.models import Checkpoint, Event, Goal, ModelCall, Subgoal, ToolCall, Verification
from goals.states import EffectStatus
from goalsite.traces.drawn import Drawn, Moment, Value, error_type

AGENT = "goalsite"
PROVIDER = "openai"  # the flavour of the endpoint's protocol
PORTS = {"http": 80, "https": 443}
ENDS = {"goal.completed": "completed", "goal.failed": "failed", "goal.cancelled": "cancelled"}
EVALUATION = "gen_ai.evaluation.result"


class Draughtsman:
    """Draws the rows of one goal; `texts`: also what was said."""

    def __init__(self, goal: Goal, *, texts: bool) -> None:
        self.goal, self.texts = goal, texts

    def goal_ended(self, end: Event, history: Iterable[Event]) -> Drawn:
        """The goal itself: from its making to this end, with what happened to it on the way."""
        goal, status = self.goal, ENDS[end.kind]
        failed = status == "failed"
        outcome = str(end.payload.get("outcome") or goal.outcome or status)
        attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.provider.name": PROVIDER,
            "gen_ai.agent.name": AGENT,
            "gen_ai.conversation.id": str(goal.conversation_id) if goal.conversation_id else None,
            "goalsite.goal.id": str(goal.pk),
            "goalsite.goal.mode": goal.mode,
            "goalsite.goal.status": status,
            "goalsite.goal.outcome": outcome,
            "goalsite.procedure": goal.sop_slug,
            "error.type": outcome if failed else None,
            **self._said(objective=goal.objective),
        }
        return Drawn(
            goal.pk, goal.pk, None, f"invoke_agent {AGENT}", goal.created_at, end.at, attributes,
            error=self._why(str(end.payload.get("reason", ""))) if failed else None,
            moments=tuple(self._moment(one) for one in history), linked=goal.parent_id,
        )  # fmt: skip

    def checkpoint(self, row: Checkpoint) -> Drawn:
        attributes = {
            **_node("checkpoint", row),
            "goalsite.checkpoint.position": row.position + 1,
            **self._said(title=row.title),
        }
        failed = row.status == "failed"
        return self._drawn(row, self.goal.pk, f"checkpoint {row.position + 1}", attributes, failed, row.failure)

    def subgoal(self, row: Subgoal) -> Drawn:
        attributes = {
            **_node("subgoal", row),
            "goalsite.subgoal.operation": row.operation,
            "goalsite.subgoal.depth": row.depth,
            **self._said(gloss=row.gloss),
        }
        failed = row.status == "abandoned"
        parent = row.parent_id or row.checkpoint_id
        failure = row.failure or {}
        told, kind = str(failure.get("message", "")), str(failure.get("kind", ""))
        return self._drawn(row, parent, f"subgoal {row.predicate}", attributes, failed, told, kind=kind)

    def model_call(self, row: ModelCall) -> Drawn:
        place = urlsplit(address()[0])
        response = row.response if isinstance(row.response, dict) else {}
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": PROVIDER,
            "gen_ai.request.model": row.model,
            "gen_ai.response.model": response.get("model"),
            "gen_ai.response.finish_reasons": (response["finish_reason"],) if response.get("finish_reason") else (),
            "gen_ai.usage.input_tokens": row.input_tokens,
            "gen_ai.usage.output_tokens": row.output_tokens,
            "gen_ai.prompt.name": row.purpose,
            "server.address": place.hostname,
            "server.port": place.port or PORTS.get(place.scheme),
            "goalsite.model.role": row.role,
            "goalsite.cost_usd": float(row.cost_usd),
            **_effect(row),
        }
        failed = row.status == EffectStatus.FAILED
        return self._drawn(row, _parent(row), f"chat {row.model}", attributes, failed, row.error, out=True)

    def tool_call(self, row: ToolCall) -> Drawn:
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": row.tool,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": row.call_id,
            "goalsite.tool.untrusted": row.untrusted,
            **_effect(row),
        }
        failed = row.status == EffectStatus.FAILED
        return self._drawn(row, _parent(row), f"execute_tool {row.tool}", attributes, failed, row.error)

    def verification(self, row: Verification) -> Drawn:
        kind = str((row.verifier or {}).get("type", "")) or "verifier"
        label = "met" if row.met else "broken" if row.error else "unmet"
        result: dict[str, Value] = {"gen_ai.evaluation.name": kind, "gen_ai.evaluation.score.label": label}
        if row.score is not None:
            result["gen_ai.evaluation.score.value"] = row.score
        if self.texts and row.reason:
            result["gen_ai.evaluation.explanation"] = row.reason[:500]
        attributes = {
            "goalsite.verification.id": str(row.pk),
            "goalsite.verification.verdict": label,
            "goalsite.verification.digest": row.digest,
            "error.type": error_type(row.error) if row.error else None,
        }
        ended = row.created_at
        began, parent = ended - timedelta(seconds=max(0.0, row.seconds)), row.checkpoint_id or self.goal.pk
        return Drawn(
            self.goal.pk, row.pk, parent, f"verify {kind}", began, ended, attributes,
            error=self._why(row.error) if row.error else None, moments=(Moment(EVALUATION, ended, result),),
        )  # fmt: skip

    def _drawn(
        self,
        row: Any,
        parent: Any,
        name: str,
        attributes: dict[str, Any],
        failed: bool,
        why: str,
        *,
        out: bool = False,
        kind: str = "",
    ) -> Drawn:
        start = getattr(row, "started_at", None) or row.created_at
        told = {**attributes, "error.type": kind or error_type(why)} if failed else attributes
        error = self._why(why) if failed else None
        return Drawn(self.goal.pk, row.pk, parent, name, start, max(start, row.finished_at), told, out, error)

    def _said(self, **texts: str) -> dict[str, str]:
        return {f"goalsite.{name}": text for name, text in texts.items()} if self.texts else {}

    def _why(self, text: str) -> str:
        return text[:500] if self.texts else ""

    def _moment(self, event: Event) -> Moment:
        reason = str(event.payload.get("reason") or "")
        said = {"goalsite.reason": reason[:500]} if self.texts and reason else {}
        about = {name: str(event.payload[name]) for name in ("paused_for", "outcome") if event.payload.get(name)}
        return Moment(event.kind, event.at, {"goalsite.seq": event.seq, **_ours(about), **said})


def _node(kind: str, row: Any) -> dict[str, Any]:
    about = {"id": str(row.pk), "status": row.status, "predicate": row.predicate, "attempts": row.attempts}
    return {f"goalsite.{kind}.{name}": value for name, value in about.items()}


def _effect(row: Any) -> dict[str, Any]:
    about = {"call.id": str(row.pk), "effect_class": row.effect_class, "attempt": row.attempt, "late": row.late}
    return _ours(about)


def _ours(about: dict[str, Any]) -> dict[str, Any]:
    return {f"goalsite.{name}": value for name, value in about.items()}


def _parent(row: Any) -> Any:
    return row.subgoal_id or row.checkpoint_id or row.goal_id
