"""A goal's history in words for a person at a terminal: short lines, in the order in which things happened."""

import re
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any
from unicodedata import category

from goals.answers import ONLY_CHOICE
from goals.budget import figure
from goals.effects.ledger import lines_of
from goals.models import Event, Goal
from goals.states import Resource

FIRST_SENTENCE = re.compile(r".+?[.!?](?=\s|$)", re.DOTALL)
SHORT, LONG = 120, 300
TURNS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"
UNITS = {"model_calls": "model calls", "tokens": "tokens", "cost_usd": "USD", "seconds": "s"}


def one_line(text: Any, most: int = LONG) -> str:
    """Return the text on one line; of a long one its beginning and its end, which say most."""
    line = " ".join(printable(str(text)).split())
    if len(line) <= most:
        return line
    half = (most - 3) // 2
    return f"{line[:half].rstrip()} … {line[-half:].lstrip()}"


def printable(text: str) -> str:
    """Return the text without what would steer the terminal: escapes, other controls, marks that turn its direction."""
    return "".join("\ufffd" if _steers(letter) else letter for letter in text)


def _steers(letter: str) -> bool:
    return (category(letter) == "Cc" and letter not in "\n\t\r") or letter in TURNS


def verdict(text: str) -> str:
    """Return the first sentence of a verifier's reason: what it says, without the whole expression."""
    line = " ".join(text.split())
    found = FIRST_SENTENCE.match(line)
    return one_line(found.group() if found else line, SHORT)


def words(event: Event) -> Iterator[str]:
    """Yield an event's lines; none for what a person at a terminal need not see."""
    said = event.payload
    match event.kind:
        case "goal.planned":
            by = "edited" if said.get("source") == "person" else "by the model"
            where = f"procedure {said['sop']}" if said.get("sop") else by
            yield from _plan(f"plan ({where})", said["checkpoints"])
        case "goal.revised":
            yield from _plan(f"new plan ({one_line(said['reason'], SHORT)})", said["checkpoints"])
        case "goal.iteration":
            yield f"iteration {said['iteration']}: {one_line(said['reason'])}"
        case "goal.resumed":
            yield "resumed"
        case "goal.waiting" | "subgoal.waiting":
            yield from _waiting(said)
        case "checkpoint.started":
            again = f" (attempt {said['attempt']}: {one_line(said['reason'], SHORT)})" if said["attempt"] > 1 else ""
            yield f"{_numbered(said)}{again}"
        case "checkpoint.completed":
            yield _numbered(said)
        case "checkpoint.yielded":
            yield f"{_numbered(said)}: put back, {one_line(said['reason'])}"
        case "checkpoint.failed":
            yield f"{_numbered(said)}: {one_line(said.get('reason') or 'failed')}"
        case "subgoal.expanded":
            yield f"{said['decomposition']} of: " + "; ".join(one_line(row["gloss"], 60) for row in said["children"])
        case "subgoal.abandoned":
            yield f"given up: {one_line(said['failure']['message'])}"
        case "subgoal.blocked":
            yield f"blocked: {one_line(said['reason'])}"
        case "tool.called" if said["tool"] != "verifier":  # what a verifier found is told by `verifier.ran`
            yield f"{said['tool']}: {one_line(said['summary'] or said['error'] or said['status'])}"
        case "tool.unknown":
            yield f"{said['tool']}: it is not known whether this call happened"
        case "artifact.created":
            yield f"@{said['name']} ({said['type']})"
        case "verifier.ran":
            yield f"verified: {verdict(said['reason'])}" if said["met"] else f"not met: {one_line(said['reason'])}"
        case "watch.fired":
            yield f"it fired: {one_line(said['reason'])}" + (
                f"; goal {said['follow_up']}" if said.get("follow_up") else ""
            )
        case "watch.stalled":
            yield f"nothing has changed since {said['since'][:16].replace('T', ' ')} UTC: {one_line(said['reason'])}"
        case "question.asked":
            yield from said["prompt"].splitlines() or [""]
        case "question.answered" if said["channel"] == ONLY_CHOICE:
            yield f"{one_line(said['answer'])}, the only choice"
        case "question.reminded":
            yield one_line(said.get("reason") or "still unanswered")
        case "message.created" if not said.get("question"):  # a question is shown as one already
            yield from said["content"].splitlines()
        case "budget.warning":
            yield f"{said['resource']}: {_plain(said['used'])} of {_plain(said['limit'])} are used"
        case "budget.exceeded":
            yield one_line(said.get("reason") or _overrun(said))


def _overrun(said: dict[str, Any]) -> str:
    return f"{said['resource']}: {_plain(said['overrun'])} more than {_plain(said['limit'])}"


def _plain(amount: Any) -> str:
    return figure(Decimal(amount))


def _plan(title: str, rows: list[dict[str, Any]]) -> Iterator[str]:
    count = len(rows)
    yield f"{title}: {count} {'checkpoint' if count == 1 else 'checkpoints'}"
    yield from (f"{row['position'] + 1}. {row['title']}" for row in rows)


def _numbered(said: dict[str, Any]) -> str:
    return f"{said['position'] + 1}. {said['title']}"


def _waiting(said: dict[str, Any]) -> Iterator[str]:
    if said.get("failure"):
        yield f"failed, to be tried again: {one_line(said['failure']['message'])}"
    elif said.get("wake_at") and said.get("for") != "question":
        why = f": {one_line(said['reason'])}" if said.get("reason") else ""
        yield f"waiting until {datetime.fromisoformat(said['wake_at']):%H:%M:%S} UTC{why}"


def spent(goal: Goal) -> str:
    """Return the budget in a line: what is used, and of what."""
    return "budget: " + ", ".join(_line(line.resource, line.used, line.limit) for line in lines_of(goal))


def _line(resource: Resource, used: Decimal, limit: Decimal | None) -> str:
    of = "" if limit is None else f" of {_figure(resource, limit)}"
    return f"{_figure(resource, used)}{of} {UNITS[resource.value]}"


def _figure(resource: Resource, number: Decimal) -> str:
    return figure(round(number, 1) or number if resource == Resource.SECONDS else number)


def ending(goal: Goal) -> str:
    """Return how a goal stands when it is no longer followed, in a line."""
    said = f" ({goal.outcome})" if goal.outcome else f" ({goal.paused_for})" if goal.paused_for else ""
    reason = goal.reason or goal.verdict_reason
    short = verdict(reason) if goal.outcome == "achieved" else one_line(reason.splitlines()[0] if reason else "")
    return f"{goal.status}{said}" + (f": {short}" if short else "")
