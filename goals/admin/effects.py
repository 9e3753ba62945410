"""Calls to the outside: the trace and the journal."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.decorators import display

from goals.admin.base import COLOURS, OwnRows
from goals.admin.filters import chosen, named, owned_over
from goals.admin.show import link, pre, short
from goals.llm.prompts import ROLES
from goals.models import ModelCall, ToolCall
from goals.states import EffectClass, EffectStatus

COMMON = [
    ("status", "effect_class", "attempt"),
    ("cost_usd", "seconds", "late"),
    "trouble",
    "asked",
    "answered",
    "held",
    ("key", "scope", "epoch"),
    ("created_at", "finished_at"),
]


class EffectAdmin(OwnRows):
    list_select_related = ["goal"]
    ordering = ["-id"]
    readonly_fields = ["of_goal", "of_subgoal", "trouble", "asked", "answered", "held"]

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        rows = super().get_queryset(request)
        is_list = request.resolver_match and request.resolver_match.url_name.endswith("_changelist")
        return rows.defer("request", "response", "reserved") if is_list else rows

    @display(description="Status", ordering="status", label=COLOURS)
    def state(self, row: Any) -> str:
        return row.status

    @admin.display(description="goal")
    def of_goal(self, row: Any) -> Any:
        return link(row.goal)

    @admin.display(description="subgoal")
    def of_subgoal(self, row: Any) -> Any:
        return link(row.subgoal)

    @admin.display(description="error")
    def trouble(self, row: Any) -> Any:
        return pre(row.error)

    @admin.display(description="request")
    def asked(self, row: Any) -> Any:
        return pre(row.request)

    @admin.display(description="response")
    def answered(self, row: Any) -> Any:
        return pre(row.response)

    @admin.display(description="reserved")
    def held(self, row: Any) -> Any:
        return pre(row.reserved)


@admin.register(ModelCall)
class ModelCallAdmin(EffectAdmin):
    list_display = ["purpose", "model", "state", "input_tokens", "output_tokens", "cost_usd", "goal", "created_at"]
    list_filter = [
        chosen("status", EffectStatus.values),
        named("purpose"),
        chosen("role", ROLES),
        named("model"),
        owned_over("goal__owner"),
    ]
    search_fields = ["=goal__id", "=subgoal__id", "=id", "=key"]
    search_help_text = "an id, of the call or of what it is for, or a key"
    fields = [
        "of_goal",
        "of_subgoal",
        ("purpose", "role", "model"),
        ("input_tokens", "output_tokens", "prompt_hash"),
        "priced",
        *COMMON,
    ]
    readonly_fields = [*EffectAdmin.readonly_fields, "priced"]

    @admin.display(description="price")
    def priced(self, row: ModelCall) -> Any:
        return pre(row.price)


@admin.register(ToolCall)
class ToolCallAdmin(EffectAdmin):
    list_display = ["tool", "state", "effect_class", "said", "goal", "created_at"]
    list_filter = [
        chosen("status", EffectStatus.values),
        named("tool"),
        chosen("effect_class", EffectClass.values, "effect class"),
        owned_over("goal__owner"),
    ]
    search_fields = ["summary", "=goal__id", "=subgoal__id", "=id", "=key"]
    search_help_text = "words of the summary, or an id"
    fields = ["of_goal", "of_subgoal", ("tool", "untrusted"), "summary", "asked_by", *COMMON]
    readonly_fields = [*EffectAdmin.readonly_fields, "asked_by"]

    @display(description="Summary")
    def said(self, row: ToolCall) -> str:
        return short(row.error or row.summary)

    @admin.display(description="model call")
    def asked_by(self, row: ToolCall) -> Any:
        return link(row.model_call)
