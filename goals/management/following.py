"""Following one goal from a terminal: what is shown, what is asked, and how it ends."""

import json
from collections.abc import Iterator
from typing import Any, TextIO

from rich.console import Console

from goals.effects.ledger import lines_of
from goals.events import frame
from goals.management.base import DONE, FAILED, WAITING
from goals.models import Event, Goal, Question
from goals.services import budget_of
from goals.states import GoalStatus


def exit_code(goal: Goal) -> int:
    """0 done, 1 failed, 2 waiting or paused."""
    if goal.status == GoalStatus.COMPLETED:
        return DONE
    return FAILED if goal.is_ended else WAITING


def result_of(goal: Goal) -> dict[str, Any]:
    """Return the last line of `goal --json`."""
    from artifacts.services import latest

    artifacts = latest(goal.artifact_context_id)
    return {
        "type": "result",
        "goal": str(goal.pk),
        "status": goal.status,
        "outcome": goal.outcome,
        "reason": goal.reason or goal.verdict_reason,
        "budget": budget_of(goal),
        "checkpoints": [{"title": row.title, "status": row.status} for row in goal.checkpoints.order_by("position")],
        "artifacts": [{"name": a.name, "version": a.version, "type": a.type} for a in artifacts.values()],
        "questions": [told(question) for question in goal.questions.open()],
    }


def told(question: Question) -> dict[str, Any]:
    return {
        "id": str(question.pk),
        "kind": question.kind,
        "key": question.key,
        "prompt": question.prompt,
        "suggestions": question.suggestions,
    }


class JsonFollower:
    """One JSON object a line, and nothing else, on standard output."""

    def __init__(self, out: TextIO) -> None:
        self.out = out

    def event(self, event: Event, goal: Goal) -> None:
        self._write(frame(event))

    def message(self, text: str) -> None:
        """Nothing else goes to standard output."""

    def end(self, goal: Goal) -> None:
        self._write(result_of(goal))

    def _write(self, data: dict[str, Any]) -> None:
        self.out.write(json.dumps(data, ensure_ascii=False, default=str) + "\n")
        self.out.flush()


MARKS = {
    "goal.completed": "[green]✔[/]",
    "goal.failed": "[red]✘[/]",
    "goal.cancelled": "[red]✘[/]",
    "goal.paused": "[yellow]‖[/]",
    "checkpoint.completed": "[green]✔[/]",
    "checkpoint.failed": "[red]✘[/]",
    "checkpoint.started": "[cyan]▶[/]",
    "question.asked": "[yellow]?[/]",
    "budget.warning": "[yellow]![/]",
    "budget.exceeded": "[red]![/]",
}
SHOWN = {
    *MARKS,
    "message.created",
    "goal.planned",
    "goal.revised",
    "goal.iteration",
    "goal.resumed",
    "subgoal.abandoned",
    "subgoal.blocked",
    "subgoal.expanded",
    "tool.called",
    "tool.unknown",
    "artifact.created",
    "verifier.ran",
}


class TextFollower:
    """Lines for a person; colour and marks on a terminal."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def event(self, event: Event, goal: Goal) -> None:
        if event.kind not in SHOWN or (event.payload.get("question") and event.kind == "message.created"):
            return  # a question is shown as one already
        mark = MARKS.get(event.kind, " ")
        indent = "" if event.kind.startswith(("goal.", "checkpoint.", "question.", "budget.")) else "    "
        for number, line in enumerate(words(event)):
            lead = f"{mark} {indent}" if number == 0 else f"  {indent}  "
            self.console.print(f"{lead}", end="")
            self.console.print(line, markup=False, highlight=False)
        if event.kind == "checkpoint.completed":
            self.console.print(f"      [dim]{spent(goal)}[/]", highlight=False)

    def message(self, text: str) -> None:
        self.console.print(text, markup=False, highlight=False)

    def end(self, goal: Goal) -> None:
        outcome = f"({goal.outcome})" if goal.outcome else ""
        self.console.print()
        self.console.print(f"{goal.status}{outcome} {goal.reason or goal.verdict_reason}".strip(), markup=False)
        self.console.print(spent(goal), markup=False, highlight=False)
        for question in goal.questions.open():
            self.console.print(f"open question {question.key}: {question.prompt}", markup=False, highlight=False)


def words(event: Event) -> Iterator[str]:
    """Yield an event in words: a line, or a few."""
    said = event.payload
    match event.kind:
        case "goal.planned":
            where = f"procedure {said['sop']}" if said.get("sop") else "a plan by the model"
            yield f"Plan ({where}): {len(said['checkpoints'])} checkpoints"
            yield from (f"{row['position'] + 1}. {row['title']}" for row in said["checkpoints"])
        case "goal.revised":
            yield f"New plan: {said['reason']}"
            yield from (f"{row['position'] + 1}. {row['title']}" for row in said["checkpoints"])
        case "goal.iteration":
            yield f"Iteration {said['iteration']}: {said['reason']}"
        case "checkpoint.started":
            again = f" (attempt {said['attempt']}: {said['reason']})" if said["attempt"] > 1 else ""
            yield f"{said['position'] + 1}. {said['title']}{again}"
        case "checkpoint.completed" | "checkpoint.failed":
            yield f"{said['position'] + 1}. {said['title']} {event.kind.split('.')[1]} {said.get('reason', '')}".strip()
        case "tool.called":
            yield f"{said['tool']}: {said['summary'] or said['error'] or said['status']}"
        case "artifact.created":
            yield f"@{said['name']} ({said['type']})"
        case "verifier.ran":
            yield f"{'verified' if said['met'] else 'not met'}: {said['reason'][:300]}"
        case "question.asked":
            yield from (said["prompt"].splitlines() or [""])
        case "message.created":
            yield from said["content"].splitlines()
        case _:
            yield f"{event.kind}: {said.get('reason') or said.get('gloss') or ''}"


def spent(goal: Goal) -> str:
    """Return the budget in a line: what is used of what."""
    parts = []
    for line in lines_of(goal):
        limit = "no limit" if line.limit is None else f"{line.limit.normalize():f}"
        parts.append(f"{line.resource.value} {line.used.normalize():f}/{limit}")
    return "budget: " + ", ".join(parts)
