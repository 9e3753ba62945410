"""Taking a new goal: from a person, from another goal's work, or from one that was there before."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from artifacts.services import create_context
from goals import attachments, mentions, validation, watch_wishes
from goals import limits as limits_of
from goals.effects.ledger import open_budget
from goals.exceptions import InvalidInput
from goals.models import Conversation, Goal, Watch
from goals.services.finding import to_move
from goals.states import Mode, Resource
from goals.transitions import writing
from goals.verifiers.spec import digest

ASKS_A_MODEL = "a watch asks no model: set one that no llm decides"


def submit(
    *,
    owner: Any,
    objective: Any,
    context: Any = "",
    constraints: Any = "",
    mode: Any = Mode.DRIVE,
    verifier: Any = None,
    limits: Any = None,
    sop: Any = "",
    answers: Any = None,
    workspace: Any = None,
    auto_approve: bool = False,
    plan_approval: Any = False,
    alternatives: Any = None,
    conversation: Conversation | None = None,
    conversation_title: str = "",
    options: Mapping[str, Any] | None = None,
    watch: Any = None,
    parent: Goal | None = None,
) -> Goal:
    """Take a goal: everything is checked before anything is written, and the workers are told with the commit.

    With a `conversation_title` the goal gets a new conversation of its own. A `parent` is the goal whose work has made
    this one: it lends its workspace and its artifacts, and its budget is drawn on.
    With `plan_approval` no plan is begun before its owner has approved of it; `alternatives` (2 to 4) says of how many
    one can be chosen.
    """
    objective, context, constraints, mode, verifier, limits, version, approval, rule = validation.collect(
        lambda: validation.text("objective", objective, most=validation.MAX_OBJECTIVE, required=True),
        lambda: validation.text("context", context),
        lambda: validation.text("constraints", constraints),
        lambda: validation.mode(mode),
        lambda: validation.verifier(verifier, owner),
        lambda: limits_of.parse(limits or {}),
        lambda: validation.sop(sop),
        lambda: validation.plan_approval(plan_approval, alternatives),
        lambda: watch_wishes.parse(watch, owner),
    )
    _refuse_for_mode(mode, verifier, watch)
    given = validation.answers(answers, version)
    folder = validation.workspace(workspace) if workspace else ""
    validation.within_reach(verifier, folder)
    with transaction.atomic():
        if conversation is None and conversation_title:
            conversation = Conversation.objects.create(owner=owner, title=conversation_title[:200])
        goal = Goal(
            owner=owner,
            conversation=conversation,
            objective=objective,
            context=context,
            constraints=constraints,
            mode=mode,
            workspace=folder or (parent.workspace if parent else ""),
            auto_approve=auto_approve,
            options={**(options or {}), **approval, **({"answers": given} if given else {})},
            verifier=verifier,
            verifier_digest=digest(verifier) if verifier else "",
            preflight_due=verifier is not None and mode == Mode.DRIVE and not costs(verifier),
            plan_due=mode == Mode.DRIVE,
            parent=parent,
            root_id=parent.budget_goal_id if parent else None,
            artifact_context=create_context(parent=parent.artifact_context_id if parent else None),
            sop_version=version,
            sop_slug=version.sop.slug if version else "",
        )
        _begin(goal, limits, rule)
    return Goal.objects.get(pk=goal.pk)


def _refuse_for_mode(mode: Mode, verifier: Mapping[str, Any] | None, watch: Any) -> None:
    """Refuse a rule to watch by where nothing is watched, and what cannot be watched for nothing."""
    if mode == Mode.DRIVE and watch is not None:
        raise InvalidInput({"watch": "is for a goal in monitor mode"})
    if mode == Mode.MONITOR and verifier is None:
        raise InvalidInput({"verifier": "a goal in monitor mode needs one: it is what is watched"})
    if mode == Mode.MONITOR and verifier is not None and costs(verifier):
        raise InvalidInput({"verifier": ASKS_A_MODEL})


def _begin(goal: Goal, limits: Mapping[Resource, Any], rule: Mapping[str, Any]) -> None:
    """Write a new goal with its budget, its watch, its folder and its first event."""
    parent, conversation = goal.parent, goal.conversation
    goal.workspace = goal.workspace or _own_workspace(goal)
    goal.save(force_insert=True)
    if parent is None:
        defaults = limits_of.defaults() if goal.mode == Mode.DRIVE else watch_wishes.budget()
        open_budget(goal, {**defaults, **limits})
    if goal.mode == Mode.MONITOR:
        Watch.objects.create(goal=goal, **rule)
    Path(goal.workspace).mkdir(parents=True, exist_ok=True)
    with writing(goal.pk, actor=goal.owner) as writer:
        made_by = {"parent": str(parent.pk)} if parent else {}
        about = {"objective": goal.objective[:2000], "mode": goal.mode, "sop": goal.sop_slug}
        writer.event("goal.created", {**about, **made_by})
        writer.wakes_workers = True
        if conversation is not None and parent is None:
            attachments.give_all(writer, conversation.pk)
            mentions.give(writer, conversation.pk, goal.objective)


def _own_workspace(goal: Goal) -> str:
    return str(Path(settings.GOALSITE_DATA_DIR) / "workspaces" / str(goal.pk))


def costs(verifier: Mapping[str, Any]) -> bool:
    """Whether running the verifier asks a model: then it is not run before any money is spent."""
    return verifier.get("type") == "llm" or any(costs(part) for part in verifier.get("of", []))


def fork(user: Any, goal_id: Any, *, objective: Any = None) -> Goal:
    """Start a new goal from another one's artifacts and wishes; it draws on the same budget."""
    original = to_move(user, goal_id)
    objective = validation.text(
        "objective",
        original.objective if objective is None else objective,
        most=validation.MAX_OBJECTIVE,
        required=True,
    )
    verifier = original.verifier
    if objective != original.objective and _is_of_procedure(original):
        verifier = None
    with transaction.atomic():
        twin = Goal(
            owner=original.owner,
            conversation=original.conversation,
            root_id=original.budget_goal_id,
            forked_from=original,
            objective=objective,
            context=original.context,
            constraints=original.constraints,
            mode=original.mode,
            workspace=original.workspace,
            auto_approve=original.auto_approve,
            options=original.options,
            verifier=verifier,
            verifier_digest=original.verifier_digest if verifier else "",
            plan_due=original.mode == Mode.DRIVE,
            artifact_context=create_context(parent=original.artifact_context_id),
            sop_version=original.sop_version if original.sop_slug else None,
            sop_slug=original.sop_slug,
        )
        twin.save(force_insert=True)
        if twin.mode == Mode.MONITOR:
            rule = Watch.objects.filter(goal=original).values(*watch_wishes.RULE).get()
            Watch.objects.create(goal=twin, **rule)
        with writing(twin.pk, actor=user) as writer:
            writer.facts(writer.goal, iteration_started_at=writer.now)  # the artifacts can be used; the work is anew
            writer.event("goal.created", {"objective": objective[:2000], "forked_from": str(original.pk)})
            writer.wakes_workers = True
    return Goal.objects.get(pk=twin.pk)


def _is_of_procedure(goal: Goal) -> bool:
    """Whether a goal's verifier came with the procedure that was found for it; its owner set none."""
    version = None if goal.sop_slug else goal.sop_version
    return version is not None and bool(version.verifier) and goal.verifier == version.verifier
