"""A goal with a long history, written as rows: for what must not grow slow, and for what must be seen drawn."""

import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

from django.db import transaction
from django.db.models import OuterRef, Subquery
from django.utils import timezone

from goals import services
from goals.chain import canonical, link
from goals.models import Checkpoint, Event, Goal, ModelCall, Question, Subgoal, ToolCall, Verification
from goals.states import CheckpointStatus, GoalStatus, SubgoalStatus

VERBS = ["Collect", "Compare", "Read", "Summarise", "Check", "Count", "Describe", "Translate", "Sort", "Price"]
THINGS = [
    "the invoices of March",
    "every supplier's terms",
    "the letters from Lyon",
    "what the sensors told",
    "the log",
]
WORKS = [("execute", "think", ""), ("execute", "search", ""), ("execute", "write", ""), ("use_tool", "", "read_file")]
MINUTE = timedelta(minutes=1)


@transaction.atomic
def big_goal(owner: Any, *, checkpoints: int = 12, subgoals: int = 500, events: int = 10_000, seed: int = 1) -> Goal:
    """Return a goal that was paused at its last but two checkpoint; `subgoals` counts the roots, too."""
    chance = random.Random(seed)
    goal = services.submit(owner=owner, objective=f"Put {subgoals} parts of the archive in order")
    began = timezone.now() - timedelta(hours=6)
    steps = [_checkpoint(goal, number, checkpoints, began) for number in range(checkpoints)]
    for step in steps:
        step.save(force_insert=True)
    nodes = list(_subgoals(goal, steps, subgoals, chance))
    Subgoal.objects.bulk_create(nodes)
    _needs(nodes)
    proofs = [_proof(goal, step) for step in steps if step.status == CheckpointStatus.ACTIVE or step.finished_at]
    Verification.objects.bulk_create(proofs)
    for proof in proofs:
        if proof.met:
            Checkpoint.objects.filter(pk=proof.checkpoint_id).update(status="completed", proof=proof)
    calls = _calls(goal, [node for node in nodes if node.started_at], chance)
    _ask(goal, nodes)
    _events(goal, calls, nodes, events)
    Goal.objects.filter(pk=goal.pk).update(
        status=GoalStatus.PAUSED, paused_for="user", plan_due=False, created_at=began, started_at=began
    )
    return Goal.objects.get(pk=goal.pk)


def _checkpoint(goal: Goal, number: int, count: int, began: datetime) -> Checkpoint:
    at = began + number * 20 * MINUTE
    ended, active = number < count - 3, number == count - 3
    return Checkpoint(
        goal=goal,
        position=number,
        title=f"{VERBS[number % 10]} {THINGS[number % 5]}",
        description="Everything of it, and nothing else.",
        success_criteria="Each part is there, and says where it comes from.",
        predicate="composite",
        status=CheckpointStatus.ACTIVE if active else CheckpointStatus.FAILED if ended else CheckpointStatus.PENDING,
        attempts=(2 if number == 1 else 1) if ended or active else 0,
        failure="",
        provenance={"source": "sop", "sop": "archive", "version": 2, "step": number},
        started_at=at if ended or active else None,
        finished_at=at + 18 * MINUTE if ended else None,
    )


def _subgoals(goal: Goal, steps: list[Checkpoint], count: int, chance: random.Random) -> Iterator[Subgoal]:
    """Yield the tree of each checkpoint that has begun: a root, parts, and parts of parts."""
    begun = [step for step in steps if step.started_at]
    each, rest = divmod(count, len(begun))
    for step in begun:
        root = _subgoal(goal, step, None, 0, _state(step, chance, 0), chance)
        yield root
        left = each + (rest if step is begun[-1] else 0) - 1
        position = 0
        while left > 0:
            inner = min(left - 1, chance.choice([0, 0, 3, 4, 6]))
            part = _subgoal(goal, step, root, position, _state(step, chance, 1), chance)
            part.decomposition = "OR" if inner == 3 else "AND"
            yield part
            for place in range(inner):
                status = part.status if part.status == "achieved" else _state(step, chance, 2)
                yield _subgoal(goal, step, part, place, status, chance)
            left, position = left - 1 - inner, position + 1


def _state(step: Checkpoint, chance: random.Random, depth: int) -> str:
    if step.finished_at:
        return "achieved" if depth == 0 else chance.choice(["achieved"] * 12 + ["abandoned", "skipped"])
    if depth == 0:
        return "active"
    return chance.choice(["achieved"] * 6 + ["active", "waiting", "pending", "pending", "blocked"])


def _subgoal(goal: Goal, step: Checkpoint, parent: Subgoal | None, place: int, status: str, chance: Any) -> Subgoal:
    predicate, operation, tool = ("composite", "", "") if parent is None else chance.choice(WORKS)
    at = step.started_at + chance.random() * 10 * MINUTE
    return Subgoal(
        goal=goal,
        checkpoint=step,
        parent=parent,
        round=step.attempts,
        position=place,
        depth=0 if parent is None else parent.depth + 1,
        gloss=step.title if parent is None else f"{chance.choice(VERBS)} {chance.choice(THINGS)}, part {place + 1}",
        predicate=predicate,
        operation=operation,
        args={"tool": tool, "input": {"path": f"part-{place}.txt"}} if tool else {},
        provenance={"source": "model"},
        status=status,
        asked=status == "waiting",
        attempts=chance.choice([1, 1, 1, 1, 2, 3]),
        result={"text": "It was found as expected."} if status == "achieved" else None,
        started_at=None if status in {"pending", "blocked", "skipped"} else at,
        finished_at=at + chance.random() * 5 * MINUTE if status in {"achieved", "abandoned", "skipped"} else None,
    )


def _needs(nodes: list[Subgoal]) -> None:
    """Every third part waits for the one before it."""
    through = Subgoal.depends_on.through
    links = [
        through(from_subgoal_id=after.pk, to_subgoal_id=before.pk)
        for number, (before, after) in enumerate(pairwise(nodes))
        if number % 3 == 0 and after.parent_id == before.parent_id and after.parent_id is not None
    ]
    through.objects.bulk_create(links)


def _proof(goal: Goal, step: Checkpoint) -> Verification:
    met = step.finished_at is not None
    return Verification(
        goal=goal,
        checkpoint=step,
        verifier={"type": "llm", "condition": step.success_criteria},
        digest="0" * 64,
        met=met,
        reason="Each part is there." if met else "Two parts are missing.",
        evidence="part 1: seen\npart 2: seen",
        score=1.0 if met else 0.6,
        seconds=1.5,
    )


def _calls(goal: Goal, nodes: list[Subgoal], chance: random.Random) -> list[ModelCall | ToolCall]:
    """Write a call to the model for each node, and a use of a tool beside every other one."""
    models, tools = [], []
    for number, node in enumerate(nodes):
        took = 1 + 8 * chance.random()
        shared = {
            "goal": goal,
            "checkpoint_id": node.checkpoint_id,
            "subgoal": node,
            "effect_class": "pure",
            "scope": f"{number:064d}",
            "status": "succeeded",
            "seconds": took,
            "finished_at": node.started_at + timedelta(seconds=took),
        }
        call = ModelCall(
            **shared, key=f"big:{goal.pk.hex[-12:]}:{number}", purpose="act", role="worker", model="a-model",
            request={"messages": [{"role": "user", "content": "Do it."}]}, response={"text": "Done."},
            input_tokens=900, output_tokens=80, cost_usd=Decimal("0.0012"),
        )  # fmt: skip
        models.append(call)
        if number % 2:
            use = ToolCall(
                **shared, key=f"big-tool:{goal.pk.hex[-12:]}:{number}", tool="read_file", model_call=call,
                request={"input": {"path": "a.txt"}}, response={"value": "text", "summary": "read 1 file"},
            )  # fmt: skip
            tools.append(use)
    ModelCall.objects.bulk_create(models)
    ToolCall.objects.bulk_create(tools)
    began = Subquery(Subgoal.objects.filter(pk=OuterRef("subgoal_id")).values("started_at"))
    for model in (ModelCall, ToolCall):
        model.objects.filter(goal=goal).update(created_at=began)
    return [*models, *tools]


def _ask(goal: Goal, nodes: list[Subgoal]) -> None:
    for node in nodes:
        if node.status == SubgoalStatus.WAITING:
            Question.objects.create(goal=goal, subgoal=node, kind="information", prompt="Which of the two archives?")


def _events(goal: Goal, calls: list[Any], nodes: list[Subgoal], count: int) -> None:
    """Append events until there are `count`, numbered and chained as `transitions` does."""
    rows, seq, chain, at = [], goal.seq, goal.chain, timezone.now() - timedelta(hours=5)
    while seq < count:
        seq, at = seq + 1, at + timedelta(seconds=1)
        call, node = calls[seq % len(calls)], nodes[seq % len(nodes)]
        about = {"call": str(call.pk), "subgoal": str(call.subgoal_id), "status": "succeeded", "seconds": 2.0}
        if seq % 3 == 0:
            kind, payload = "subgoal.started", {"subgoal": str(node.pk), "gloss": node.gloss}
        elif isinstance(call, ModelCall):
            kind, payload = (
                "model.called",
                {**about, "purpose": call.purpose, "model": call.model, "cost_usd": "0.0012"},
            )
        else:
            kind, payload = "tool.called", {**about, "tool": call.tool, "summary": call.summary}
        chain = link(chain, goal.pk, seq, kind, canonical(payload), None, at)
        rows.append(Event(goal=goal, seq=seq, kind=kind, payload=payload, at=at, digest=chain))
    Event.objects.bulk_create(rows, batch_size=1000)
    Goal.objects.filter(pk=goal.pk).update(seq=seq, chain=chain)
