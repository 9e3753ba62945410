"""What a person does to the tool policy: set and remove rules; goals that wait for an approval hear of it at once."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from goals import answers, policy, services, validation
from goals.exceptions import InvalidInput, NotAllowed, NotFound
from goals.models import Goal, Question, ToolRule
from goals.states import Permission, QuestionKind, QuestionStatus, Risk
from goals.tool_rules import Rule
from goals.tools import registry
from goals.transitions import Writer, writing

MOST_WAITING = 1000


def set_rule(
    user: Any, *, permission: Any, tool: Any = "", risk: Any = "", goal_id: Any = None, note: Any = ""
) -> ToolRule:
    """Set what is in force for a tool or a risk, of one goal or of the site; an earlier rule for it is replaced."""
    _refuse_strangers(user)
    goal = None if goal_id is None else services.to_move(user, goal_id)
    rule, note = validation.collect(
        lambda: _rule(permission, tool, risk, goal),
        lambda: validation.text("note", note, most=500),
    )
    place = {"goal": goal, "tool": rule.tool, "risk": rule.risk}
    with _changing(user, goal, rule, rule.permission.value):
        facts = {"permission": rule.permission, "note": note, "changed_by": user}
        row, _ = ToolRule.objects.update_or_create(**place, defaults=facts)
    _tell_waiting(user, row.rule)
    return row


def remove_rule(user: Any, rule_id: Any) -> None:
    """Let the next less specific rule speak, or the default."""
    _refuse_strangers(user)
    try:
        row = ToolRule.objects.select_related("goal").get(pk=rule_id)
    except (ToolRule.DoesNotExist, ValidationError, ValueError, TypeError):
        raise NotFound(f"there is no rule {str(rule_id)[:80]}") from None
    if row.goal is not None:
        services.to_move(user, row.goal_id)
    with _changing(user, row.goal, row.rule, None):
        ToolRule.objects.filter(pk=row.pk).delete()
    _tell_waiting(user, row.rule)


def _refuse_strangers(user: Any) -> None:
    if not user.has_perm("goals.configure"):
        raise NotAllowed("to change the tool policy you need the permission goals.configure")


def _rule(permission: Any, tool: Any, risk: Any, goal: Goal | None) -> Rule:
    errors = {}
    if permission not in Permission.values:
        errors["permission"] = f"must be one of {', '.join(Permission.values)}"
    if bool(tool) == bool(risk):
        errors["tool"] = "name either one tool or a risk"
    elif tool and tool not in registry.names():
        errors["tool"] = f"there is no tool {str(tool)[:100]!r}; there are {', '.join(registry.names())}"
    elif risk and risk not in Risk.values:
        errors["risk"] = f"must be one of {', '.join(Risk.values)}"
    if errors:
        raise InvalidInput(errors)
    return Rule(Permission(permission), str(tool or ""), str(risk or ""), goal.pk if goal else None)


@contextmanager
def _changing(user: Any, goal: Goal | None, rule: Rule, to: str | None) -> Iterator[None]:
    """Change a rule; what changes for one goal alone is an event of it."""
    with transaction.atomic():
        if goal is None:
            yield
        else:
            with writing(goal.pk, actor=user) as writer:
                yield
                what = {"tool": rule.tool} if rule.tool else {"risk": rule.risk}
                writer.event("goal.policy_changed", {**what, "permission": to})
    policy.rules.forget()


def _tell_waiting(user: Any, rule: Rule) -> None:
    """Withdraw the open questions for an approval that nobody need give, or can give, any more."""
    asked = Question.objects.open().filter(kind=QuestionKind.APPROVAL, subgoal__isnull=False)
    about = asked.filter(details__tool=rule.tool) if rule.tool else asked.filter(details__risk=rule.risk)
    for question_id, goal_id in about.order_by("created_at").values_list("pk", "goal_id")[:MOST_WAITING]:
        with writing(goal_id, actor=user) as writer:
            _withdraw_if_moot(writer, question_id)


def _withdraw_if_moot(writer: Writer, question_id: Any) -> None:
    question = Question.objects.select_for_update(of=("self",)).select_related("subgoal").get(pk=question_id)
    details: Any = question.details
    if question.status != QuestionStatus.OPEN or details["tool"] not in registry.names():
        return
    tool = registry.get(details["tool"])
    now = policy.permission(tool, writer.goal)
    if now is Permission.DENY:
        answers.withdraw(writer, question, f"the tool policy denies {tool.name} now")
    elif now is Permission.AUTO and not policy.asks_anyway(tool, details["untrusted"]) and "before" not in details:
        answers.withdraw(writer, question, f"the tool policy asks for no approval of {tool.name} any more")
