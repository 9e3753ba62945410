"""A goal's history as a person reads it: each event a sentence, filtered, a page at a time."""

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast
from django.http import QueryDict

from goals.chat.inside.values import Shown, shown
from goals.chat.inside.work import purpose
from goals.exceptions import InvalidInput
from goals.models import Event, Goal
from goals.models.event import NOUNS

PAGE = 100
LONGEST_SEARCH = 200
SITE = "site"
# What an event is about: the payload's key, and the kind inside the goal that it names. The first that fits is linked.
ABOUT = (
    ("call", ""),
    ("question", "questions"),
    ("verification", "verifications"),
    ("artifact", "artifacts"),
    ("subgoal", "subgoals"),
    ("checkpoint", "checkpoints"),
)
TONES = {
    "completed": ("check", "achieved"),
    "achieved": ("check", "achieved"),
    "answered": ("check", "achieved"),
    "failed": ("cross", "failed"),
    "abandoned": ("cross", "failed"),
    "cancelled": ("cross", "failed"),
    "blocked": ("cross", "failed"),
    "exceeded": ("cross", "failed"),
    "warning": ("ask", "waiting"),
    "waiting": ("ask", "waiting"),
    "asked": ("ask", "waiting"),
    "unknown": ("ask", "waiting"),
    "paused": ("pause", "waiting"),
    "started": ("dot", "active"),
    "resumed": ("play", "active"),
    "skipped": ("skip", "skipped"),
    "withdrawn": ("skip", "skipped"),
}
SAYS = ("title", "gloss", "objective", "prompt", "answer", "text", "content", "reason", "summary", "name", "error")


@dataclass(frozen=True)
class Filters:
    """What of the history is wanted; empty means all. `noun` is the first word of a kind, or a whole kind."""

    noun: str = ""
    actor: str = ""
    q: str = ""

    @classmethod
    def read(cls, asked: QueryDict) -> "Filters":
        """Read them from an address; raises InvalidInput that names what is not understood."""
        noun, actor, q = asked.get("kind", ""), asked.get("actor", ""), asked.get("q", "").strip()
        first, _, verb = noun.partition(".")
        if noun and (first not in NOUNS or (verb and verb not in NOUNS[first].split())):
            raise InvalidInput({"kind": f"must be one of {', '.join(NOUNS)}, or such as goal.created"})
        if actor and actor != SITE and not (actor.isascii() and actor.isdigit() and len(actor) < 10):
            raise InvalidInput({"actor": "must be `site` or the number of a person"})
        if "\0" in q or len(q) > LONGEST_SEARCH:
            raise InvalidInput({"q": f"must be a text of at most {LONGEST_SEARCH} characters"})
        return cls(noun, actor, q)

    def of(self, goal: Goal) -> QuerySet[Event]:
        """Return the goal's events that fit."""
        rows = Event.objects.filter(goal=goal)
        if self.noun:
            exact = "." in self.noun
            rows = rows.filter(kind=self.noun) if exact else rows.filter(kind__startswith=f"{self.noun}.")
        if self.actor:
            rows = rows.filter(actor=None) if self.actor == SITE else rows.filter(actor_id=int(self.actor))
        if self.q:
            rows = rows.annotate(text=Cast("payload", TextField())).filter(text__icontains=self.q)
        return rows


@dataclass(frozen=True)
class Line:
    """One event as it is shown."""

    row: Event
    title: str
    said: str
    see: str
    mark: str
    tone: str
    payload: Shown


def page(goal: Goal, filters: Filters, *, before: int | None = None) -> tuple[list[Line], int | None]:
    """Return a page of lines, newest first, and the seq before which the next page begins; None after the last."""
    rows = filters.of(goal).select_related("actor").order_by("-seq")
    if before is not None:
        rows = rows.filter(seq__lt=before)
    found = list(rows[: PAGE + 1])
    return [line(row) for row in found[:PAGE]], found[PAGE - 1].seq if len(found) > PAGE else None


def line(row: Event) -> Line:
    """Return an event in words."""
    noun, _, verb = row.kind.partition(".")
    mark, tone = _outcome(row) or TONES.get(verb, ("ring", ""))
    title = f"{noun.capitalize()} {verb.replace('_', ' ')}"
    return Line(row, title, _said(row), _see(row), mark, tone, shown(row.payload))


def actors(goal: Goal) -> list[tuple[int, str]]:
    """Return who has done something, each with a name."""
    found = Event.objects.filter(goal=goal, actor__isnull=False).order_by("actor__username")
    return list(found.values_list("actor_id", "actor__username").distinct())


def _outcome(row: Event) -> tuple[str, str] | None:
    payload = row.payload
    if row.kind == "verifier.ran":
        return ("check", "achieved") if payload.get("met") else ("cross", "failed")
    if row.kind in {"model.called", "tool.called"}:
        return ("cross", "failed") if payload.get("status") == "failed" else ("check", "achieved")
    return None


def _said(row: Event) -> str:
    payload = row.payload
    if row.kind == "model.called":
        tokens = payload.get("input_tokens", 0) + payload.get("output_tokens", 0)
        return f"{purpose(str(payload.get('purpose', '')))}, {payload.get('seconds', 0)} s, {tokens:,} tokens"
    if row.kind == "tool.called":
        return ": ".join(filter(None, [str(payload.get("tool", "")), _first(payload, ("summary", "error"))]))
    if row.kind.startswith("budget."):
        return f"{payload.get('resource', '')} {payload.get('used', '')} of {payload.get('limit', '')}".strip()
    return _first(payload, SAYS)


def _first(payload: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((str(payload[name])[:300] for name in names if payload.get(name) not in (None, "")), "")


def _see(row: Event) -> str:
    for key, kind in ABOUT:
        if payload_id := row.payload.get(key):
            calls = "model-calls" if row.kind == "model.called" else "tool-calls"
            return f"{kind or calls}/{payload_id}"
    return ""
