"""Plans before they become rows: what is wrong with one, all of it, and the rows of one that is right."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from django.conf import settings

from artifacts.references import find
from artifacts.services import evidence_keys
from goals.models import Checkpoint, Goal, Subgoal
from goals.states import Predicate
from goals.tools import registry
from goals.verifiers.errors import InvalidVerifier
from goals.verifiers.spec import parse, required_permission

MAX_CHILDREN = 50


def most_checkpoints(goal: Goal) -> int:
    return int(goal.options.get("max_checkpoints", settings.GOALSITE_MAX_CHECKPOINTS))


# -- what is wrong ----------------------------------------------------------------------------------------------


def checkpoint_errors(drafts: Sequence[Any], goal: Goal, tools: Collection[str]) -> list[str]:
    """Return every error of a plan of checkpoints, in the order of its steps; empty when it can be followed."""
    most = most_checkpoints(goal)
    if not drafts:
        return ["checkpoints: at least one is needed"]
    errors = [f"checkpoints: {len(drafts)} are too many; at most {most}"] if len(drafts) > most else []
    titles = Counter(draft.title.strip().lower() for draft in drafts)
    errors += [f"checkpoints: the title {title!r} stands {n} times" for title, n in titles.items() if n > 1]
    known = set(evidence_keys(goal.artifact_context_id))
    for number, draft in enumerate(drafts, 1):
        errors += [f"checkpoint {number}: {error}" for error in _step_errors(draft, known, tools)]
        if draft.verifier is not None:
            errors += [f"checkpoint {number}: {error}" for error in verifier_errors(draft.verifier)]
        known |= _produced(draft, number)
    return errors


def subgoal_errors(plan: Any, goal: Goal, parent: Subgoal, tools: Collection[str]) -> list[str]:
    """Return every error of a plan of children: also dependencies that do not exist or run in a circle."""
    drafts = plan.subgoals
    if not 1 <= len(drafts) <= MAX_CHILDREN:
        return [f"subgoals: {len(drafts)} given; between 1 and {MAX_CHILDREN} are allowed"]
    errors = []
    known = set(evidence_keys(goal.artifact_context_id))
    for number, draft in enumerate(drafts):
        produced = set().union(*(_produced(drafts[d], d) for d in _ancestors(drafts, number)), set())
        errors += [f"subgoal {number}: {error}" for error in _step_errors(draft, known | produced, tools)]
        unknown = [d for d in draft.depends_on if d >= len(drafts) or d == number]
        errors += [f"subgoal {number}: depends_on {d} is no other subgoal" for d in unknown]
    if not errors and _is_cyclic(drafts):
        errors.append("subgoals: depends_on runs in a circle")
    return errors


def verifier_errors(spec: Any) -> list[str]:
    """Return why a verifier that a model proposes cannot be used; it may not run anything on the host."""
    try:
        parse(spec)
    except InvalidVerifier as error:
        return [f"verifier: {error}"]
    needs = required_permission(spec)
    return [f"verifier: this type needs the permission {needs}, which a plan does not have"] if needs else []


def _step_errors(draft: Any, known: set[str], tools: Collection[str]) -> list[str]:
    errors = [f"tools: there is no tool {name!r}" for name in draft.tools if name not in tools]
    errors += [f"@{r.name} is not known and no earlier step makes it" for r in _refs(draft.args) if r.name not in known]
    if draft.predicate == Predicate.USE_TOOL:
        errors += _tool_errors(draft, tools)
    if draft.predicate == Predicate.GATHER_INFO and not (draft.args.get("key") or draft.evidence_key):
        errors.append("args.key: gather_info needs the key of its answer")
    for number, condition in enumerate(draft.done_when):
        if condition.kind == "verifier":
            errors += [f"done_when.{number}.{error}" for error in verifier_errors(condition.verifier)]
    return errors


def _refs(args: Any) -> Iterable[Any]:
    return find(args)


def _tool_errors(draft: Any, tools: Collection[str]) -> list[str]:
    name, given = draft.args.get("tool"), draft.args.get("input", {})
    if name not in tools:
        return [f"args.tool: there is no tool {name!r}"]
    if not isinstance(given, dict):
        return ["args.input: must be an object"]
    fields = registry.get(name).fields()
    return [f"args.input.{field}: {name} takes {', '.join(fields)}" for field in given if field not in fields]


def _produced(draft: Any, number: int) -> set[str]:
    key = key_of(draft, number)
    return {key} if key else set()


def _ancestors(drafts: Sequence[Any], number: int) -> set[int]:
    """Return what a child waits for, directly or not."""
    seen: set[int] = set()
    todo = [d for d in drafts[number].depends_on if d < len(drafts)]
    while todo:
        other = todo.pop()
        if other not in seen:
            seen.add(other)
            todo += [d for d in drafts[other].depends_on if d < len(drafts)]
    return seen


def _is_cyclic(drafts: Sequence[Any]) -> bool:
    return any(number in _ancestors(drafts, number) for number in range(len(drafts)))


# -- rows -------------------------------------------------------------------------------------------------------


def key_of(draft: Any, number: int) -> str:
    """Return the evidence key of a step: the declared one, else one that its predicate implies."""
    if draft.evidence_key:
        return draft.evidence_key
    if draft.predicate in {Predicate.GATHER_INFO, Predicate.CONFIRM} and draft.args.get("key"):
        return str(draft.args["key"])
    if draft.predicate == Predicate.CONFIRM:
        return f"confirmation_{number}"
    if draft.predicate == Predicate.USE_TOOL:
        return f"{draft.args.get('tool', 'tool')}_{number}"
    return ""


def checkpoint_of(goal: Goal, draft: Any, position: int, number: int, provenance: dict[str, Any]) -> Checkpoint:
    """Return the unsaved row of one step of a plan. A step with a key is done when there is evidence of it."""
    key = key_of(draft, number)
    return Checkpoint(
        goal=goal,
        position=position,
        title=draft.title[:300],
        description=draft.description,
        success_criteria=draft.success_criteria,
        verifier=getattr(draft, "verifier", None),
        predicate=draft.predicate,
        args=draft.args,
        operation=draft.operation or "",
        tools=list(draft.tools),
        evidence_key=key,
        done_when=conditions_of(draft, key),
        provenance=provenance,
        iteration=goal.iteration,
        revision=goal.revision,
        evidence_since=goal.iteration_started_at,
    )


def child_of(parent: Subgoal, draft: Any, position: int, source: str) -> Subgoal:
    """Return the unsaved row of one child of a composite subgoal."""
    key = key_of(draft, position)
    return Subgoal(
        goal_id=parent.goal_id,
        checkpoint_id=parent.checkpoint_id,
        parent=parent,
        round=parent.round,
        plan=parent.replans + 1,
        position=position,
        depth=parent.depth + 1,
        gloss=draft.gloss,
        predicate=draft.predicate,
        args=draft.args,
        operation=draft.operation or "",
        done_when=conditions_of(draft, key),
        outputs=[output.model_dump(mode="json") for output in draft.outputs],
        tools=list(draft.tools),
        evidence_key=key,
        provenance={"source": source},
    )


def edges(children: Sequence[Subgoal], drafts: Sequence[Any]) -> list[tuple[Subgoal, int]]:
    """Return each dependency as a child and the position it waits for."""
    return [(children[n], d) for n, draft in enumerate(drafts) for d in sorted(set(draft.depends_on))]


def conditions_of(draft: Any, key: str) -> list[dict[str, Any]]:
    declared = [c if isinstance(c, dict) else c.model_dump(mode="json") for c in draft.done_when]
    if declared or not key:
        return declared
    return [{"kind": "has_evidence", "key": key}]
