"""Composite goals in a few words: drafts of subgoals, plans of them, and an endpoint that answers by the task."""

from typing import Any

from goals.llm.rehearsal import asked
from tests.endpoint import Endpoint
from tests.goals.test_model_goals import DONE
from tests.scenarios.script import SUBGOAL

PLAN = {"reply": {"decision": "plan", "operation": None, "reasoning": "it has parts"}}
STUCK = {"reply": {"status": "stuck", "result": "no way in", "outputs": []}}
NOBODY_CAN = {"reply": {"status": "unachievable", "result": "nobody can", "outputs": []}}


def child(gloss: str, **fields: Any) -> dict[str, Any]:
    return {**SUBGOAL, "gloss": gloss, **fields}


def children(decomposition: str, *drafts: dict[str, Any], reasoning: str = "so") -> dict[str, Any]:
    return {"reply": {"decomposition": decomposition, "subgoals": list(drafts), "reasoning": reasoning}}


def result(text: str, **action: Any) -> dict[str, Any]:
    return {"reply": {"status": "done", "result": text, "outputs": []}, **action}


def task_of(request: dict[str, Any]) -> str:
    """Return the gloss of the task that a request is about."""
    question = asked.read(request["body"])
    told = question.data("task", {})
    return str(told.get("gloss", "")) if told else question.text("task")


def told(request: dict[str, Any]) -> asked.Asked:
    """Return what a request was told, by section."""
    return asked.read(request["body"])


def about(endpoint: Endpoint, name: str, task: str) -> list[dict[str, Any]]:
    """Return the requests for a prompt that are about a task."""
    return [request for request in endpoint.named(name) if task_of(request) == task]


def by_task(endpoint: Endpoint, name: str, answers: dict[str, Any]) -> None:
    """Let the answers to a prompt depend on the task: one action, or a list of which the last stays."""
    original, counts = endpoint._next, dict.fromkeys(answers, 0)

    def following(asked_for: str, text: str = "") -> dict[str, Any]:
        task = task_of(endpoint.requests[-1]) if asked_for == name else None
        if task not in answers:
            return original(asked_for, text)
        found = answers[task]
        if isinstance(found, list):
            found = found[min(counts[task], len(found) - 1)]
        counts[task] += 1
        return found

    endpoint._next = following
    if name == "act":
        endpoint.script.setdefault("act", DONE)
