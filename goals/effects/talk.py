"""What an acting loop and its model say to each other: stored a turn at a time, sent within the model's window.

Each turn stores what it adds, and in its notes what the loop must know of it, so that a rebuilt loop says the same.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from artifacts.services import lookup
from goals import model_settings, policy
from goals.connections import pooled
from goals.driver import Drive
from goals.effects.calls import Call, call_model, known_request
from goals.effects.making import make_artifact
from goals.llm import port
from goals.llm.bounds import message_bound
from goals.llm.windows import context_tokens
from goals.models import Subgoal, ToolCall
from goals.window import Message, Said, fit

ROLE, PURPOSE = "worker", "act"


@dataclass(frozen=True)
class Kept:
    """Where all of a tool's result is kept. With `call` it is not kept yet: only when its text is dropped."""

    reference: str
    call: str = ""
    untrusted: bool = False
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class Told:
    """What the model is told in one turn, and what is known after it.

    `kept` goes with the messages; `untrusted` says that content from outside has been told by now; `mistakes` counts
    in how many turns in a row the same mistake was made.
    """

    messages: list[Message]
    kept: list[Kept | None]
    untrusted: bool = False
    mistakes: Mapping[str, int] = field(default_factory=dict)

    @property
    def notes(self) -> dict[str, Any]:
        kept = [asdict(one) if one else None for one in self.kept]
        return {"kept": kept, "untrusted": self.untrusted, "mistakes": dict(self.mistakes)}

    @classmethod
    def from_request(cls, request: Mapping[str, Any]) -> "Told":
        """Read what was stored; where nothing is noted, anything may have come from outside."""
        notes, messages = request.get("notes", {}), request["messages"]
        noted = notes.get("kept") or [None] * len(messages)
        kept = [Kept(**{**one, "sources": tuple(one["sources"])}) if one else None for one in noted]
        return cls(messages, kept, notes.get("untrusted", True), notes.get("mistakes", {}))


class Talk:
    """One acting loop's exchange with its model."""

    def __init__(self, drive: Drive, subgoal: Subgoal, tools: list[dict[str, Any]]) -> None:
        self._drive, self._subgoal, self._tools = drive, subgoal, tools
        self._said: list[Said] = []
        self._kept: list[Kept | None] = []
        self._made: set[str] = set()
        empty = port.Request(ROLE, [], reply=PURPOSE, tools=tools)
        window = context_tokens(model_settings.model_of(ROLE))
        self.room = window - sum(port.bound_of(empty))

    def tell(self, turn: int, told: Told) -> Call:
        """Tell the model what this turn adds, after as much of what was said before as the window takes."""
        before = len(self._said)
        new = [Said(m, kept.reference if kept else "") for m, kept in zip(told.messages, told.kept, strict=True)]
        self._said += new
        self._kept += told.kept
        fitted = fit(self._said, self.room, message_bound)
        for place in fitted.dropped:
            self._make(self._kept[place])
        call = call_model(
            self._drive,
            PURPOSE,
            self._subgoal,
            told.messages,
            variant=policy.operation_of(self._subgoal),
            mark=turn,
            tools=self._tools,
            history=fitted.messages[:before],
            scope_by_content=False,
            notes=told.notes,
        )
        stored = call.row.request["messages"]  # what was said first is what was said
        self._said[before:] = [Said(m, one.kept) for m, one in zip(stored, new, strict=True)]
        return call

    def told_before(self, turn: int) -> Told | None:
        """Return what was told in a turn, when the journal knows it: it is told again, and nothing done for it anew."""
        request = known_request(self._drive, PURPOSE, self._subgoal, turn)
        return Told.from_request(request) if request is not None else None

    def hear(self, message: Message) -> None:
        """Add what the model said."""
        self._said.append(Said(message))
        self._kept.append(None)

    def _make(self, kept: Kept | None) -> None:
        """Make the artifact of a result whose text is dropped, unless there is one."""
        if kept is None or not kept.call or kept.reference in self._made:
            return
        self._made.add(kept.reference)
        name = kept.reference.removeprefix("@")
        with pooled():
            if lookup(self._drive.goal.artifact_context_id, name) is not None:
                return
            row = ToolCall.objects.get(pk=kept.call)
        with self._drive.writing() as writer:
            make_artifact(
                writer,
                name,
                type="data",
                value=row.response["value"],
                description=row.summary or f"What {row.tool} gave",
                purpose="Kept when its text was dropped from a prompt",
                metadata={"tool": row.tool, "success": True, "subgoal": str(row.subgoal_id), "call": str(row.pk)},
                trust="untrusted" if kept.untrusted else "trusted",
                derived_from=kept.sources,
            )
