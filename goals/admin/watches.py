"""Watches: how each looks, what it saw last and when it looks next; and what an operator does to it."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from unfold.decorators import action, display
from unfold.forms import BaseDialogForm
from unfold.widgets import (
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

from goals import services, watches
from goals.admin.acts import dialog, done
from goals.admin.base import COLOURS, OwnRows
from goals.admin.filters import chosen, owned_over
from goals.admin.forms import AS_JSON
from goals.admin.show import link, pre, short
from goals.exceptions import GoalError
from goals.models import Goal, Watch
from goals.services import UNFINISHED
from goals.states import GoalStatus, Trigger, Verdict, WaitsFor
from goals.watch_wishes import RULE

MOST_AT_ONCE = 200


class RuleForm(BaseDialogForm):
    """The rule as it is; what is changed here is changed there."""

    interval = forms.IntegerField(min_value=1, widget=UnfoldAdminIntegerFieldWidget, help_text="Seconds.")
    trigger = forms.ChoiceField(choices=Trigger.choices, widget=UnfoldAdminSelectWidget)
    repeat = forms.BooleanField(required=False, widget=UnfoldBooleanSwitchWidget, help_text="Go on after it has fired.")
    deadline = forms.DateTimeField(required=False, widget=UnfoldAdminTextInputWidget, help_text="2026-12-01 08:00, UTC")
    stall_after = forms.IntegerField(
        required=False, min_value=1, widget=UnfoldAdminIntegerFieldWidget, help_text="Seconds."
    )
    follow_up = forms.JSONField(**AS_JSON, required=False, help_text='The goal to start: {"objective": "…"}')

    def __init__(self, request: HttpRequest, object_id: Any = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, object_id, *args, **kwargs)
        row = Watch.objects.filter(pk=object_id, goal__in=Goal.objects.owned_by(request.user)).first()
        for name in RULE if row else ():
            self.fields[name].initial = getattr(row, name)

    def clean(self) -> dict[str, Any]:
        if not self.errors and not self.changes:
            self.add_error("interval", "Nothing was changed.")  # the dialog shows errors at fields only
        return self.cleaned_data

    @property
    def changes(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in self.changed_data if name in RULE}


@admin.register(Watch)
class WatchAdmin(OwnRows):
    list_display = ["of_goal", "rule", "stands", "next_look", "saw", "looks", "fired", "fired_at", "stalled"]
    list_select_related = ["goal"]
    list_filter = [chosen("verdict", Verdict.values), chosen("trigger", Trigger.values), owned_over("goal__owner")]
    search_fields = ["goal__objective", "=goal__id"]
    ordering = ["-goal_id"]
    actions = ["look_at_chosen", "pause_chosen", "resume_chosen"]
    actions_detail = ["look_now", "change_rule", "pause_watch", "resume_watch"]
    fields = [
        "of_goal",
        ("interval", "trigger", "repeat"),
        ("deadline", "stall_after"),
        "starts",
        ("looks", "looked_at", "next_look"),
        ("verdict", "stalled"),
        "reason",
        ("fired", "fired_at"),
    ]
    readonly_fields = ["of_goal", "starts", "next_look"]

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> list[Any]:
        """Offer what the goal's status allows; the service has the last word."""
        row = self.get_object(request, object_id)
        offered = _offered(row) if row else set()
        return [one for one in super().get_actions_detail(request, object_id) if one.path in offered]

    @action(description="Look now", url_path="look", icon="visibility", dialog=dialog("Look now", "", None, "Look"))
    def look_now(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        return self._act(request, object_id, watches.look_now, "It looks.")

    @action(
        description="Change the rule",
        url_path="rule",
        icon="tune",
        dialog=dialog("How it watches", "It looks again at once.", RuleForm, "Change"),
    )
    def change_rule(self, request: HttpRequest, form: RuleForm, object_id: str) -> HttpResponse:
        changes = form.changes
        return self._act(request, object_id, lambda u, g: watches.change(u, g, changes), "It watches by this rule now.")

    @action(description="Pause", url_path="pause", icon="pause", dialog=dialog("Pause", "", None, "Pause"))
    def pause_watch(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        return self._act(request, object_id, services.pause, "It looks no more until it is resumed.")

    @action(description="Resume", url_path="resume", icon="play_arrow", dialog=dialog("Resume", "", None, "Resume"))
    def resume_watch(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        return self._act(request, object_id, services.resume, "It looks again.")

    @admin.action(description="Have the chosen watches look now")
    def look_at_chosen(self, request: HttpRequest, rows: QuerySet) -> None:
        self._each(request, rows, watches.look_now, "told to look")

    @admin.action(description="Pause the chosen watches")
    def pause_chosen(self, request: HttpRequest, rows: QuerySet) -> None:
        self._each(request, rows, services.pause, "paused")

    @admin.action(description="Resume the chosen watches")
    def resume_chosen(self, request: HttpRequest, rows: QuerySet) -> None:
        self._each(request, rows, services.resume, "resumed")

    def _act(self, request: HttpRequest, object_id: str, act: Callable[[Any, Any], Any], told: str) -> HttpResponse:
        row = self.get_object(request, object_id)
        if row is None:
            raise Http404(f"there is no watch {object_id}")
        return done(request, row, lambda: act(request.user, row.pk), told)

    def _each(self, request: HttpRequest, rows: QuerySet, act: Callable[[Any, Any], Any], told: str) -> None:
        moved, refused = 0, set()
        chosen = list(rows.values_list("pk", flat=True)[: MOST_AT_ONCE + 1])
        if len(chosen) > MOST_AT_ONCE:
            messages.warning(request, f"More than {MOST_AT_ONCE} were chosen: narrow the list to reach the rest.")
        for goal_id in chosen[:MOST_AT_ONCE]:
            try:
                act(request.user, goal_id)
                moved += 1
            except GoalError as error:
                refused.add(str(error))
        if moved:
            messages.success(request, f"{moved} {told}.")
        for reason in sorted(refused)[:5]:
            messages.warning(request, reason)

    @display(description="Goal")
    def of_goal(self, row: Watch) -> Any:
        return link(row.goal, short(row.goal.objective))

    @display(description="Rule")
    def rule(self, row: Watch) -> str:
        return str(row)

    @display(description="State", label=COLOURS)
    def stands(self, row: Watch) -> str:
        return row.goal.status

    @display(description="Next look")
    def next_look(self, row: Watch) -> Any:
        return row.goal.wake_at if row.goal.waits_for == WaitsFor.WATCH and not row.goal.is_ended else None

    @display(description="Saw", label=COLOURS)
    def saw(self, row: Watch) -> str:
        return row.verdict

    @display(description="Starts")
    def starts(self, row: Watch) -> Any:
        return pre(row.follow_up)


def _offered(row: Watch) -> set[str]:
    """The url paths of what can be done to a watch in its goal's status."""
    status = row.goal.status
    if status not in UNFINISHED:
        return set()
    rest = "resume" if status == GoalStatus.PAUSED else "pause"
    return {"rule", rest} | ({"look"} if status == GoalStatus.WAITING else set())
