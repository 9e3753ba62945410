"""Goals whose plan waits for their owner, as a planner would have left them; no model is asked."""

from typing import Any

from django.db import transaction

from goals import services
from goals.decisions import Move
from goals.effects.making import ask_person
from goals.models import Goal, Question
from goals.states import GoalStatus, Kind, QuestionKind, WaitsFor
from goals.transitions import writing


def step(title: str, **fields: Any) -> dict[str, Any]:
    text = f"{title}, one after the other."
    told = {
        "title": title,
        "description": text,
        "success_criteria": f"The notes name three things about: {title}.",
        "predicate": "execute",
        "args": {"instructions": text},
        "operation": "search",
    }
    return {**told, **fields}


READ = step(
    "Read the old report",
    predicate="use_tool",
    args={"tool": "read_file", "input": {"path": "report.md"}},
    evidence_key="old_report",
    operation=None,
)


def proposal(*steps: dict[str, Any], notes: str = "Facts first, then words.") -> dict[str, Any]:
    return {"checkpoints": list(steps), "notes": notes, "source": {"source": "model"}}


def waiting(person: Any, *proposals: dict[str, Any], **about: Any) -> Question:
    """Return the question of a goal that waits for an answer about these plans, in a conversation of its own.

    It is written in one transaction: to a worker the goal has always waited.
    """
    details = {"plans": list(proposals), "revision": False, "reason": "", "words": 0, "note": "", **about}
    titles = "\n".join(f"{number}. {one['title']}" for number, one in enumerate(proposals[0]["checkpoints"], 1))
    with transaction.atomic():
        goal = services.submit(
            owner=person, objective="Write up this year's harvest", conversation_title="Harvest", plan_approval=True
        )
        with writing(goal.pk) as writer:
            _to(writer, goal, GoalStatus.PLANNING, GoalStatus.ACTIVE, "goal.started", plan_asked=True)
            prompt = f"May I carry out this plan?\n\n{titles}"
            question = ask_person(writer, QuestionKind.APPROVAL, prompt, key="plan", details=details)
            _to(writer, goal, GoalStatus.ACTIVE, GoalStatus.WAITING, "goal.waiting", waits_for=WaitsFor.QUESTION)
    return question


def _to(writer: Any, goal: Goal, before: str, to: str, event: str, **facts: Any) -> None:
    writer.move(Move(Kind.GOAL, goal.pk, before, to, facts, event))
