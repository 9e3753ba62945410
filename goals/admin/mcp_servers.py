"""MCP servers in the console: what they are trusted with, what they tell of, and what of that is let in."""

import copy
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Concat
from django.http import Http404, HttpRequest, HttpResponse
from unfold.admin import ModelAdmin
from unfold.decorators import action, display
from unfold.widgets import UnfoldAdminSelectWidget

from goals.admin.acts import dialog, done
from goals.admin.base import Configured
from goals.admin.show import anchor, listing, short
from goals.exceptions import GoalError, InvalidInput
from goals.mcp import acts
from goals.mcp.rules import OUTSIDE
from goals.mcp.tool import BREAKER
from goals.models import Breaker, McpServer, McpTool
from goals.models.mcp_tool import CHANGED, NEW

STANDS = {"answers": "success", "fails": "danger", "not looked at": "info", "disabled": "info"}
EFFECTS = [(word, word) for word in OUTSIDE]


class ServerForm(forms.ModelForm):
    """What is given, held to the rules of the service."""

    person: Any  # who acts

    effect_class = forms.ChoiceField(
        choices=EFFECTS,
        widget=UnfoldAdminSelectWidget,
        initial="external",
        help_text=McpServer._meta.get_field("effect_class").help_text,
    )

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if not self.errors:
            try:
                acts.change(self.person, copy.copy(self.instance), given)
            except InvalidInput as error:
                for name, text in error.errors.items():
                    self.add_error(name if name in self.fields else None, text)
            except GoalError as error:
                self.add_error(None, str(error))
        return given


class PersonsForm:
    """Forms know who acts."""

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        made = super().get_form(request, obj, change=change, **kwargs)
        return type("PersonsForm", (made,), {"person": request.user})


@admin.register(McpServer)
class McpServerAdmin(Configured, PersonsForm, ModelAdmin):
    form = ServerForm
    list_display = [
        "name",
        "stands",
        "where",
        "tools_shown",
        "breaker",
        "risk",
        "effect_class",
        "looked_at",
        "changed_by",
    ]
    list_select_related = ["changed_by"]
    list_filter = ["enabled", "transport"]
    search_fields = ["name", "address", "command", "note"]
    ordering = ["name"]
    fields = [
        ("name", "transport"),
        "address",
        "command",
        "folder",
        ("secret_variable", "secret_as"),
        ("allow_private", "enabled"),
        ("risk", "effect_class"),
        ("timeout_seconds", "most_characters"),
        "note",
        ("tools_shown", "introduced_as"),
        ("looked_at", "answered_at"),
        "error",
    ]
    actions_detail = ["look_for_tools"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[McpServer]:
        here = McpTool.objects.filter(server=OuterRef("pk"), gone_at=None).order_by().values("server")
        open_now = Breaker.objects.open().filter(kind="tool", name=Concat(Value(BREAKER), OuterRef("name")))
        rows = super().get_queryset(request)
        return rows.annotate(told=_count(here), waiting=_count(here.filter(CHANGED | NEW)), resting=Exists(open_now))

    def get_readonly_fields(self, request: HttpRequest, obj: McpServer | None = None) -> list[str]:
        seen = ["tools_shown", "introduced_as", "looked_at", "answered_at", "error"]
        return [*seen, *(["name"] if obj else [])]

    def save_model(self, request: HttpRequest, obj: McpServer, form: Any, change: bool) -> None:
        saved = acts.save(request.user, form.cleaned_data, obj.pk if change else None)
        obj.pk = saved.pk
        if not change:
            messages.info(request, "Look for its tools, and let in those that goals shall use.")

    def delete_model(self, request: HttpRequest, obj: McpServer) -> None:
        acts.remove(request.user, obj.pk)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet) -> None:
        for row in queryset:
            acts.remove(request.user, row.pk)

    @action(
        description="Look for tools",
        url_path="look",
        icon="search",
        permissions=["configure"],
        dialog=dialog("Look for tools", "The server is asked what tools it has; none is called.", None, "Look"),
    )
    def look_for_tools(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        row = self.get_object(request, object_id)
        if row is None:
            raise Http404(f"there is no MCP server {object_id}")

        def look() -> None:
            looked = acts.look(request.user, row.pk)
            self.log_change(request, row, f"Looked for tools: {looked.error or 'it answered'}")
            if looked.error:
                messages.error(request, looked.error)

        return done(request, row, look, "It was asked: see its tools.")

    @display(description="State", label=STANDS)
    def stands(self, row: McpServer) -> str:
        if not row.enabled:
            return "disabled"
        if row.looked_at is None:
            return "not looked at"
        return "fails" if row.error else "answers"

    @admin.display(description="where")
    def where(self, row: McpServer) -> str:
        return short(row.address or row.command, 60)

    @admin.display(description="tools")
    def tools_shown(self, row: McpServer) -> Any:
        if row.pk is None or not hasattr(row, "told"):
            return "–"
        waiting = f", {row.waiting} to be looked at" if row.waiting else ""
        return anchor(listing(McpTool, server__id__exact=row.pk), f"{row.told}{waiting}")

    @admin.display(description="breaker")
    def breaker(self, row: McpServer) -> str:
        return "open" if row.resting else "closed"


def _count(rows: QuerySet) -> Coalesce:
    return Coalesce(Subquery(rows.annotate(n=Count("pk")).values("n")), 0)
