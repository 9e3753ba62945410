"""What an operator does to many goals of the list: each by itself, through its service, and told one by one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from goals import reassigning, services
from goals.admin.forms import LimitsForm, ReasonForm, ReassignForm
from goals.admin.show import page, short
from goals.exceptions import GoalError
from goals.models import Goal

MOST_AT_ONCE = 200
MOST_NAMED = 10
Act = Callable[[Any, Any, Any], Any]  # of the person, the goal's id and the form


@dataclass(frozen=True)
class Kind:
    """One act: how it is called, what is asked before it (None: nothing), and how it is told."""

    title: str
    told: str
    act: Act
    form: type | None = None
    warning: str = ""
    once_a_budget: bool = False  # goals that draw on one budget are done by the first of them


KINDS = {
    "pause_chosen": Kind("Pause", "paused", lambda user, pk, form: services.pause(user, pk)),
    "resume_chosen": Kind("Resume", "resumed", lambda user, pk, form: services.resume(user, pk)),
    "cancel_chosen": Kind(
        "Cancel",
        "cancelled",
        lambda user, pk, form: services.cancel(user, pk, reason=form.cleaned_data["reason"]),
        ReasonForm,
        "They end now, with the goals that they have made. Only rearming brings them back.",
    ),
    "raise_chosen": Kind(
        "Set the limits of",
        "given other limits",
        lambda user, pk, form: services.raise_limits(user, pk, form.changes()),
        LimitsForm,
        "A number sets a limit, +5 raises it by five, none lifts it. Empty fields stay as they are. "
        "A budget that several of them draw on is changed once.",
        once_a_budget=True,
    ),
    "reassign_chosen": Kind(
        "Reassign",
        "reassigned",
        lambda user, pk, form: reassigning.reassign(
            user, pk, form.cleaned_data["owner"], reason=form.cleaned_data["reason"]
        ),
        ReassignForm,
        "What draws on their budgets goes with them; links to them end.",
    ),
}


class GoalBulk:
    """Actions of the list. None is done to a part of a goal: a refusal leaves that goal as it was, and is told."""

    actions = list(KINDS)

    @admin.action(description="Pause the chosen goals")
    def pause_chosen(self, request: HttpRequest, chosen: QuerySet[Goal]) -> HttpResponse:
        return self._each(request, chosen, "pause_chosen")

    @admin.action(description="Resume the chosen goals")
    def resume_chosen(self, request: HttpRequest, chosen: QuerySet[Goal]) -> HttpResponse:
        return self._each(request, chosen, "resume_chosen")

    @admin.action(description="Cancel the chosen goals …")
    def cancel_chosen(self, request: HttpRequest, chosen: QuerySet[Goal]) -> HttpResponse:
        return self._each(request, chosen, "cancel_chosen")

    @admin.action(description="Set limits of the chosen goals …")
    def raise_chosen(self, request: HttpRequest, chosen: QuerySet[Goal]) -> HttpResponse:
        return self._each(request, chosen, "raise_chosen")

    @admin.action(description="Reassign the chosen goals …", permissions=["operate"])
    def reassign_chosen(self, request: HttpRequest, chosen: QuerySet[Goal]) -> HttpResponse:
        return self._each(request, chosen, "reassign_chosen")

    def _each(self, request: HttpRequest, chosen: QuerySet[Goal], name: str) -> HttpResponse:
        kind = KINDS[name]
        goals = list(
            chosen.select_related(None).order_by("created_at", "pk").only("objective", "root")[: MOST_AT_ONCE + 1]
        )
        context = {
            **self.admin_site.each_context(request),  # type: ignore[attr-defined]
            "opts": Goal._meta,
            "kind": kind,
            "back": request.get_full_path(),
            "most": MOST_AT_ONCE,
            "has_more": len(goals) > MOST_AT_ONCE,
        }
        goals, form = goals[:MOST_AT_ONCE], None
        if kind.form:
            form = kind.form(request, None, request.POST if "_form_submitted" in request.POST else None)
            if not form.is_valid():
                asked = {"form": form, "count": len(goals), "named": [short(str(goal)) for goal in goals[:MOST_NAMED]]}
                asked |= {"action": name, "checkbox": ACTION_CHECKBOX_NAME, "across": request.POST.get("select_across")}
                asked["chosen"] = request.POST.getlist(ACTION_CHECKBOX_NAME)
                title = f"{kind.title} {len(goals)} goal{'' if len(goals) == 1 else 's'}"
                return TemplateResponse(request, "admin_goals/bulk_form.html", {**context, **asked, "title": title})
        told = _outcomes(kind, request.user, goals, form)
        done = sum(not refused for _, _, refused in told)
        title = f"{done} {kind.told}, {len(told) - done} refused"
        return TemplateResponse(
            request, "admin_goals/bulk_done.html", {**context, "told": told, "done": done, "title": title}
        )


def _outcomes(kind: Kind, user: Any, goals: list[Goal], form: Any) -> list[tuple[str, str, str]]:
    """Act on each goal; returns its page, its name and why it was refused, which is empty when it was done."""
    told, changed = [], set()
    for goal in goals:
        if kind.once_a_budget and goal.budget_goal_id in changed:
            told.append((page(goal), short(str(goal)), ""))
            continue
        told.append(_outcome(kind, user, goal, form))
        if not told[-1][-1]:
            changed.add(goal.budget_goal_id)
    return told


def _outcome(kind: Kind, user: Any, goal: Goal, form: Any) -> tuple[str, str, str]:
    try:
        kind.act(user, goal.pk, form)
    except GoalError as error:
        return page(goal), short(str(goal)), str(error)
    return page(goal), short(str(goal)), ""
