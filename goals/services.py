"""What people do with goals. Every face calls these and nothing else; each checks the person, moves, and writes events.

All raise `GoalError`s: InvalidInput (field by field), NotFound, NotAllowed, StaleGoal.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction

from artifacts.services import create_context
from goals import attachments, loop, mentions, seeing, validation, watch_wishes
from goals import limits as limits_of
from goals.decisions import Move
from goals.effects.ledger import open_budget
from goals.exceptions import InvalidInput, NotAllowed, NotFound, StaleGoal
from goals.models import Budget, Conversation, Goal, Subgoal, Watch
from goals.states import GoalStatus, Kind, Mode, PauseReason, Resource, SubgoalStatus
from goals.transitions import Writer, writing
from goals.verifiers.spec import digest

LONGEST_STEERING = 10_000
KEPT_STEERING = 20
ASKS_A_MODEL = "a watch asks no model: set one that no llm decides"
UNFINISHED = {GoalStatus.PLANNING, GoalStatus.ACTIVE, GoalStatus.WAITING, GoalStatus.PAUSED}


def find(user: Any, goal_id: Any) -> Goal:
    """Return a goal that this person may see; raises NotFound for one that is missing or somebody else's."""
    try:
        goal = Goal.objects.get(pk=goal_id)
    except (Goal.DoesNotExist, ValidationError, ValueError, TypeError):
        goal = None
    if goal is None or not seeing.may_see(user, goal):
        raise NotFound(f"there is no goal {str(goal_id)[:80]}")
    return goal


def to_move(user: Any, goal_id: Any) -> Goal:
    """Return a goal that this person may move; raises NotFound, or NotAllowed for one that they may only look at."""
    goal = find(user, goal_id)
    if not seeing.may_move(user, goal):
        raise NotAllowed("this goal is shared with you to look at; its owner and operators move it")
    return goal


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
    if mode == Mode.DRIVE and watch is not None:
        raise InvalidInput({"watch": "is for a goal in monitor mode"})
    if mode == Mode.MONITOR and verifier is None:
        raise InvalidInput({"verifier": "a goal in monitor mode needs one: it is what is watched"})
    if mode == Mode.MONITOR and costs(verifier):
        raise InvalidInput({"verifier": ASKS_A_MODEL})
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
            workspace=folder,
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
        goal.workspace = folder or (parent.workspace if parent else _own_workspace(goal))
        goal.save(force_insert=True)
        if parent is None:
            defaults = limits_of.defaults() if mode == Mode.DRIVE else watch_wishes.budget()
            open_budget(goal, {**defaults, **limits})
        if mode == Mode.MONITOR:
            Watch.objects.create(goal=goal, **rule)
        Path(goal.workspace).mkdir(parents=True, exist_ok=True)
        with writing(goal.pk, actor=owner) as writer:
            made_by = {"parent": str(parent.pk)} if parent else {}
            about = {"objective": objective[:2000], "mode": mode, "sop": goal.sop_slug}
            writer.event("goal.created", {**about, **made_by})
            writer.wakes_workers = True
            if conversation is not None and parent is None:
                attachments.give_all(writer, conversation.pk)
                mentions.give(writer, conversation.pk, objective)
    return Goal.objects.get(pk=goal.pk)


def _own_workspace(goal: Goal) -> str:
    return str(Path(settings.GOALSITE_DATA_DIR) / "workspaces" / str(goal.pk))


def costs(verifier: Mapping[str, Any]) -> bool:
    """Whether running the verifier asks a model: then it is not run before any money is spent."""
    return verifier.get("type") == "llm" or any(costs(part) for part in verifier.get("of", []))


@contextmanager
def acting(user: Any, goal_id: Any) -> Iterator[Writer]:
    """Lock a goal for a person who may steer it."""
    goal = to_move(user, goal_id)
    with writing(goal.pk, actor=user) as writer:
        yield writer


def refuse_ended(goal: Goal, what: str) -> None:
    if goal.status not in UNFINISHED:
        raise StaleGoal(f"the goal is {goal.status}; only an unfinished goal can be {what}")


def refuse_while_plan_waits(goal: Goal) -> None:
    if goal.plan_asked:
        raise StaleGoal("a plan waits for an answer; approve it, send it edited, or ask for another there")


def pause(user: Any, goal_id: Any, *, reason: str = "", now: bool = False) -> Goal:
    """Let the effect in hand finish, then rest until `resume`.

    With `now` it is not waited for: its worker loses the lease, and what it comes to stands in the journal for later.
    """
    reason = validation.text("reason", reason, most=2000)
    with acting(user, goal_id) as writer:
        goal = writer.goal
        refuse_ended(goal, "paused")
        if goal.status == GoalStatus.PAUSED:
            raise StaleGoal("the goal is paused already")
        facts: dict[str, Any] = {"paused_for": PauseReason.USER, "reason": reason}
        payload: dict[str, Any] = {"for": PauseReason.USER.value, "reason": reason}
        if now:
            facts |= {"lease_epoch": goal.lease_epoch + 1, "lease_owner": "", "lease_expires_at": None}
            facts["let_go_at"], payload["now"] = writer.now, True
        writer.move(Move(Kind.GOAL, goal.pk, goal.status, GoalStatus.PAUSED, facts, "goal.paused", payload))
        loop.settle(writer, loop.load(goal))  # what has not begun yet is taken out of hand
        return goal


def resume(user: Any, goal_id: Any) -> Goal:
    """Go on where the goal stood; what was blocked is tried again."""
    with acting(user, goal_id) as writer:
        goal = writer.goal
        if goal.status != GoalStatus.PAUSED:
            raise StaleGoal(f"the goal is {goal.status}; only a paused goal can be resumed")
        to = GoalStatus.PLANNING if goal.started_at is None else GoalStatus.ACTIVE
        facts = {"failure": None, "attempt": 1, "resumes": goal.resumes + 1, "wake_at": None, "reason": ""}
        for subgoal in Subgoal.objects.filter(goal=goal, status=SubgoalStatus.BLOCKED):
            writer.know(subgoal)
            move = Move(Kind.SUBGOAL, subgoal.pk, SubgoalStatus.BLOCKED, SubgoalStatus.PENDING, {"failure": None})
            writer.move(move)
        writer.move(Move(Kind.GOAL, goal.pk, goal.status, to, facts, "goal.resumed"))
        writer.wakes_workers = True
        return goal


def cancel(user: Any, goal_id: Any, *, reason: str = "") -> Goal:
    """End the goal and those that it has made, now; what is in flight finishes on its effect row and moves nothing."""
    reason = validation.text("reason", reason, most=2000)
    with acting(user, goal_id) as writer:
        goal = writer.goal
        refuse_ended(goal, "cancelled")
        facts = {"reason": reason or "cancelled", "wake_at": None}
        payload = {"reason": facts["reason"]}
        writer.move(Move(Kind.GOAL, goal.pk, goal.status, GoalStatus.CANCELLED, facts, "goal.cancelled", payload))
        for made in Goal.objects.filter(parent=goal, status__in=UNFINISHED).order_by("pk"):
            cancel(user, made.pk, reason="the goal that made it was cancelled")
        return goal


def steer(user: Any, goal_id: Any, text: Any, *, message: Any = None) -> Goal:
    """Store a word of guidance at once; it enters the next prompt. `message` is the id of the message that said it.

    The checkpoint in hand is finished; then the plan is looked at again before the next one begins.
    """
    text = validation.text("text", text, most=LONGEST_STEERING, required=True)
    with acting(user, goal_id) as writer:
        goal = writer.goal
        refuse_ended(goal, "steered")
        entry = {"text": text, "by": user.get_username(), "at": writer.now.isoformat()}
        entry |= {"message": str(message)} if message else {}
        writer.facts(goal, steering=[*goal.steering, entry][-KEPT_STEERING:], words=goal.words + 1)
        writer.event("goal.steered", {"text": text})
        return goal


def take_back_steering(user: Any, goal_id: Any, message: Any) -> bool:
    """Take back what a message has steered; False when there is no such word, or the goal has ended.

    That it was taken back is a word of its own: a plan that heeded it is looked at again.
    """
    with acting(user, goal_id) as writer:
        goal = writer.goal
        said = [entry for entry in goal.steering if entry.get("message") == str(message)]
        said = [entry for entry in said if not entry.get("taken_back")]
        if not said or goal.status not in UNFINISHED:
            return False
        others = [entry for entry in goal.steering if entry not in said]
        taken_back = [{**entry, "taken_back": True} for entry in said]
        writer.facts(goal, steering=[*others, *taken_back], words=goal.words + 1)
        writer.event("goal.steered", {"text": said[0]["text"], "taken_back": True})
        return True


def revise(user: Any, goal_id: Any, reason: Any) -> Goal:
    """Ask for a new plan of what remains, with a reason; what is completed stays.

    The checkpoint in hand is given up for it at once, unless something has been done outside for it already: then it
    is finished first. The limit of revisions is the goal's own: what a person asks for does not count, and never ends
    the goal.
    """
    reason = validation.text("reason", reason, most=LONGEST_STEERING, required=True)
    with acting(user, goal_id) as writer:
        goal = writer.goal
        refuse_ended(goal, "revised")
        if goal.plan_due or goal.mode == Mode.MONITOR:
            raise StaleGoal("the goal has no plan" + (" yet" if goal.plan_due else ": it only watches"))
        refuse_while_plan_waits(goal)
        writer.facts(goal, revise_reason=reason, asked_revisions=goal.asked_revisions + 1, unachievable="")
        writer.event("goal.steered", {"text": reason, "revise": True})
        loop.settle(writer, loop.load(goal))
        writer.wakes_workers = True
        return goal


def raise_limits(user: Any, goal_id: Any, changes: Any) -> dict[str, Any]:
    """Set limits (`{"cost_usd": 10}`) or change them by an amount (`"+5"`); never below what is used and reserved."""
    goal = to_move(user, goal_id)
    if not isinstance(changes, Mapping) or not changes:
        raise InvalidInput({"limits": f"must be an object of {limits_of.ALLOWED}"})
    with writing(goal.pk, actor=user) as writer:
        rows = {
            row.resource: row
            for row in Budget.objects.select_for_update().filter(goal_id=goal.budget_goal_id).order_by("resource")
        }
        wanted = limits_of.parse({name: _absolute(rows.get(name), value) for name, value in changes.items()})
        for resource, limit in wanted.items():
            row = rows[resource]
            if limit is not None and limit < row.used + row.reserved:
                raise InvalidInput(
                    {f"limits.{resource}": f"{row.used + row.reserved} are used or reserved already; set at least that"}
                )
        for resource, limit in wanted.items():
            Budget.objects.filter(pk=rows[resource].pk).update(limit=limit)
        told = {resource.value: None if limit is None else str(limit) for resource, limit in wanted.items()}
        writer.event("goal.limits_changed", {"limits": told})
    return budget_of(goal)


def _absolute(row: Budget | None, value: Any) -> Any:
    """Turn "+5" into the limit that it makes; anything else is left for the parser."""
    if row is None or not isinstance(value, str) or not value.strip().startswith("+"):
        return value
    if row.limit is None:
        raise InvalidInput({f"limits.{row.resource}": "has no limit that could be raised; a number without + sets one"})
    try:
        return str(row.limit + (limits_of.amount(Resource(row.resource), value.strip()[1:]) or Decimal(0)))
    except ValueError as error:
        raise InvalidInput({f"limits.{row.resource}": str(error)}) from error


def budget_of(goal: Goal) -> dict[str, Any]:
    """Return `{resource: {limit, used, reserved}}` as JSON numbers; limit null means none."""
    rows = Budget.objects.filter(goal_id=goal.budget_goal_id).order_by("resource")
    return {
        row.resource: {
            "limit": None if row.limit is None else float(row.limit),
            "used": float(row.used),
            "reserved": float(row.reserved),
        }
        for row in rows
    }


def rearm(user: Any, goal_id: Any) -> Goal:
    """Bring an ended goal back with a new plan: an operator's act."""
    to_move(user, goal_id)
    if not user.has_perm("goals.rearm"):
        raise NotAllowed("to rearm a goal you need the permission goals.rearm")
    with acting(user, goal_id) as writer:
        goal = writer.goal
        if goal.status in UNFINISHED:
            raise StaleGoal(f"the goal is {goal.status}; only an ended goal can be rearmed")
        writer.rearm()
        Watch.objects.forget(goal)
        writer.facts(
            goal,
            outcome="",
            reason="",
            proof=None,
            verdict="",
            verdict_reason="",
            repeats=0,
            unachievable="",
            failure=None,
            revise_reason="",
            summary_due=False,
            revise_streak=0,
            dear_streak=0,
            since_evaluation=0,
            plan_due=goal.mode == Mode.DRIVE,
            plan_asked=False,
            plan_wake_at=None,
            plan_remarks=[],
            attempt=1,
            iteration=goal.iteration + 1,
            iteration_started_at=writer.now,
            wake_at=None,
        )
        writer.wakes_workers = True
        return goal


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
