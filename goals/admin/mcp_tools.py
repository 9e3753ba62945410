"""Tools of MCP servers in the console: as they were found, as they were let in, and an operator's word on them."""

import json
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from unfold.admin import ModelAdmin
from unfold.decorators import display
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldBooleanSwitchWidget

from goals.admin.base import Configured
from goals.admin.mcp_servers import EFFECTS, PersonsForm
from goals.admin.show import anchor, listing, short
from goals.mcp import acts
from goals.models import McpTool, ToolCall
from goals.models.mcp_tool import NEW

STANDS = {"let in": "success", "changed": "danger", "new": "warning", "refused": "info", "gone": "info"}


class ToolForm(forms.ModelForm):
    """An operator's word on a tool; letting it in is bound to what the page has shown."""

    person: Any

    offered = forms.BooleanField(
        required=False,
        widget=UnfoldBooleanSwitchWidget,
        label="Let in as it was found",
        help_text="Goals may use it as it is described above. When its server changes it, it is put out by itself.",
    )
    seen = forms.CharField(widget=forms.HiddenInput, required=False)
    effect_class = forms.ChoiceField(
        choices=[("", "the server's"), *EFFECTS], required=False, widget=UnfoldAdminSelectWidget
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk is not None and "seen" in self.fields:
            self.fields["seen"].initial = self.instance.found_digest
            self.fields["offered"].initial = self.instance.standing == "let in"

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        row = self.instance
        if given.get("offered") and row.standing != "let in":
            if row.refused or row.gone_at is not None:
                self.add_error("offered", f"It cannot be let in: {row.refused or 'its server has it no more'}.")
            elif given.get("seen") != row.found_digest:
                self.add_error("offered", "It has changed since you looked: look at it again.")
                self.data = {**self.data.dict(), "seen": row.found_digest}
        return given


@admin.register(McpTool)
class McpToolAdmin(Configured, PersonsForm, ModelAdmin):
    """Tools are found, never added; they go with their server."""

    form = ToolForm
    list_display = ["name", "stands", "server", "described", "judged", "accepted_by", "accepted_at", "calls"]
    list_select_related = ["server", "accepted_by"]
    list_filter = ["server"]
    search_fields = ["name", "said_name", "found_description"]
    ordering = ["name", "said_name"]
    actions = ["let_in_new"]
    fields = [
        ("name", "said_name"),
        ("stands", "why"),
        ("found_description", "found_arguments"),
        ("let_in_description", "let_in_arguments"),
        "hints",
        ("risk", "effect_class"),
        "offered",
        "seen",
        ("accepted_by", "accepted_at"),
    ]

    def get_readonly_fields(self, request: HttpRequest, obj: McpTool | None = None) -> list[str]:
        shown = ["name", "said_name", "stands", "why", "found_description", "found_arguments", "hints"]
        return [*shown, "let_in_description", "let_in_arguments", "accepted_by", "accepted_at"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: McpTool, form: Any, change: bool) -> None:
        given, standing = form.cleaned_data, McpTool.objects.get(pk=obj.pk).standing
        acts.judge(request.user, obj.pk, risk=given["risk"], effect_class=given["effect_class"])
        if given["offered"] and standing != "let in":
            acts.let_in(request.user, obj.pk, given["seen"])
        elif not given["offered"] and standing in ("let in", "changed"):
            acts.put_out(request.user, obj.pk)

    @admin.action(description="Let in the chosen new ones", permissions=["configure"])
    def let_in_new(self, request: HttpRequest, chosen: QuerySet[McpTool]) -> None:
        """Changed ones are looked at one by one."""
        new = list(chosen.filter(NEW, gone_at=None))
        for row in new:
            acts.let_in(request.user, row.pk, row.found_digest)
            self.log_change(request, row, "Let in")
        messages.success(request, f"{len(new)} let in.")
        if (others := chosen.count() - len(new)) > 0:
            messages.warning(request, f"{others} are not new: look at each on its own page.")

    @display(description="State", label=STANDS)
    def stands(self, row: McpTool) -> str:
        return row.standing

    @admin.display(description="why")
    def why(self, row: McpTool) -> str:
        if row.standing == "changed" and (row.description, row.parameters) == (
            row.found_description,
            row.found_parameters,
        ):
            return "what differs is left out here: characters that are not shown, or what a schema is cleaned of"
        return row.refused or "–"

    @admin.display(description="description")
    def described(self, row: McpTool) -> str:
        return short(row.found_description, 100)

    @admin.display(description="risk and effect")
    def judged(self, row: McpTool) -> str:
        return f"{row.risk or row.server.risk}, {row.effect_class or row.server.effect_class}"

    @admin.display(description="arguments as found")
    def found_arguments(self, row: McpTool) -> Any:
        return _json(row.found_parameters)

    @admin.display(description="as let in")
    def let_in_description(self, row: McpTool) -> str:
        return row.description if row.digest else "–"

    @admin.display(description="arguments as let in")
    def let_in_arguments(self, row: McpTool) -> Any:
        return _json(row.parameters) if row.digest else "–"

    @admin.display(description="calls")
    def calls(self, row: McpTool) -> Any:
        return anchor(listing(ToolCall, tool=row.name), "its calls")


def _json(value: Any) -> Any:
    return format_html("<pre>{}</pre>", json.dumps(value, indent=1, ensure_ascii=False))
