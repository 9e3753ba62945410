"""The tool policy: what each tool declares, what is in force for it, and the rules that say so."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from unfold.admin import ModelAdmin
from unfold.decorators import display
from unfold.widgets import UnfoldAdminSelectWidget

from goals import policy, tool_policy
from goals.admin.base import Configured
from goals.admin.show import anchor, link, listing
from goals.models import Goal, ToolCall, ToolRule
from goals.seeing import is_operator
from goals.tools import registry
from goals.tools.base import Tool
from sops.services import procedures_by_tool

COLOURS = {"auto": "success", "ask": "warning", "deny": "danger"}
MOST_PROCEDURES = 3


class RuleForm(forms.ModelForm):
    """One tool or one risk; which of them, and of which goal, is not changed afterwards."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "tool" in self.fields:
            choices = [("", "---------"), *((name, name) for name in registry.names())]
            self.fields["tool"] = forms.ChoiceField(choices=choices, required=False, widget=UnfoldAdminSelectWidget)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if "tool" in self.fields and bool(cleaned.get("tool")) == bool(cleaned.get("risk")):
            self.add_error("tool", "Name either one tool or a risk.")
        if "tool" in self.fields and not self.errors:
            place = {name: cleaned[name] for name in ("tool", "risk", "goal")}
            if ToolRule.objects.filter(**place).exists():
                self.add_error("tool" if place["tool"] else "risk", "There is a rule for it already: change that one.")
        return cleaned


@admin.register(ToolRule)
class ToolRuleAdmin(Configured, ModelAdmin):
    form = RuleForm
    list_before_template = "admin_goals/in_force.html"
    list_display = ["what", "says", "of_goal", "note", "changed_by", "changed_at"]
    list_select_related = ["goal", "changed_by"]
    list_filter = ["permission", "risk"]
    search_fields = ["tool", "note"]
    ordering = ["goal", "tool", "risk"]
    raw_id_fields = ["goal"]
    fields = [("tool", "risk"), "goal", "permission", "note"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[ToolRule]:
        """The site's rules, and those of goals that this person may move."""
        rows = super().get_queryset(request)
        return rows if is_operator(request.user) else rows.filter(Q(goal=None) | Q(goal__owner=request.user.pk))

    def get_readonly_fields(self, request: HttpRequest, obj: ToolRule | None = None) -> list[str]:
        return ["tool", "risk", "goal"] if obj else []

    def formfield_for_foreignkey(self, field: Any, request: HttpRequest, **options: Any) -> Any:
        if field.name == "goal":
            options["queryset"] = Goal.objects.owned_by(request.user)
        return super().formfield_for_foreignkey(field, request, **options)

    def save_model(self, request: HttpRequest, obj: ToolRule, form: Any, change: bool) -> None:
        place = {"tool": obj.tool, "risk": obj.risk, "goal_id": obj.goal_id}
        saved = tool_policy.set_rule(request.user, permission=obj.permission, note=obj.note, **place)
        obj.pk = saved.pk

    def delete_model(self, request: HttpRequest, obj: ToolRule) -> None:
        tool_policy.remove_rule(request.user, obj.pk)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet) -> None:
        for row in queryset:
            tool_policy.remove_rule(request.user, row.pk)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        return super().changelist_view(request, {**(extra_context or {}), "in_force": _tools()})

    @display(description="Rule for")
    def what(self, row: ToolRule) -> str:
        return row.tool or f"{row.risk} tools"

    @display(description="Says", ordering="permission", label=COLOURS)
    def says(self, row: ToolRule) -> str:
        return row.permission

    @admin.display(description="goal")
    def of_goal(self, row: ToolRule) -> Any:
        return link(row.goal) if row.goal else "all"


def _tools() -> dict[str, Any]:
    """All tools as a table: what the site's rules say of them, what they declare, and where they are used."""
    procedures = procedures_by_tool()
    headers = ["Tool", "In force", "Because of", "Risk", "Effect", "Reach", "Procedures", ""]
    rows = [_line(tool, procedures.get(tool.name, [])) for tool in registry.all_tools()]
    return {"title": "What is in force where a goal has no rule of its own", "headers": headers, "rows": rows}


def _line(tool: Tool, procedures: list[str]) -> list[Any]:
    ruling = policy.ruling(tool)
    label = {"type": COLOURS[ruling.permission], "text": ruling.permission}
    more = f" and {len(procedures) - MOST_PROCEDURES} more" if len(procedures) > MOST_PROCEDURES else ""
    return [
        tool.name,
        render_to_string("unfold/helpers/label.html", label),
        ruling.because,
        tool.risk,
        tool.effect_class,
        tool.reach,
        ", ".join(procedures[:MOST_PROCEDURES]) + more or "–",
        anchor(listing(ToolCall, tool=tool.name), "its calls"),
    ]
