"""Events, verifications, scores of progress, budgets, and what was answered under an Idempotency-Key."""

from typing import Any

from django.contrib import admin
from unfold.decorators import display

from goals.admin.base import OwnRows
from goals.admin.filters import chosen, owned_over
from goals.admin.inlines import in_words
from goals.admin.show import link, pre, short
from goals.models import Budget, Event, IdempotentRequest, ProgressScore, Verification
from goals.models.event import KINDS
from goals.states import Resource


@admin.register(Event)
class EventAdmin(OwnRows):
    list_display = ["seq", "kind", "said", "actor", "goal", "at"]
    list_display_links = ["seq", "kind"]
    list_select_related = ["goal", "actor"]
    list_filter = [chosen("kind", sorted(KINDS)), owned_over("goal__owner")]
    search_fields = ["kind", "=goal__id"]
    ordering = ["-id"]
    fields = ["of_goal", ("seq", "kind"), "content", "actor", "at", "digest"]
    readonly_fields = ["of_goal", "content"]

    @display(description="What")
    def said(self, row: Event) -> str:
        return in_words(row)

    @admin.display(description="goal")
    def of_goal(self, row: Event) -> Any:
        return link(row.goal)

    @admin.display(description="payload")
    def content(self, row: Event) -> Any:
        return pre(row.payload)


@admin.register(Verification)
class VerificationAdmin(OwnRows):
    list_display = ["verdict", "said", "checkpoint", "goal", "seconds", "created_at"]
    list_select_related = ["goal", "checkpoint"]
    list_filter = ["met", owned_over("goal__owner")]
    search_fields = ["reason", "error", "=goal__id", "=digest"]
    ordering = ["-id"]
    fields = [
        "of_goal",
        "of_checkpoint",
        ("met", "score", "seconds"),
        "reason",
        "trouble",
        "seen",
        "spec",
        "more",
        "digest",
        "fingerprint",
        ("iteration", "attempt", "created_at"),
    ]
    readonly_fields = ["of_goal", "of_checkpoint", "trouble", "seen", "spec", "more"]

    @display(description="Verdict", ordering="met", label={"met": "success", "not met": "danger", "broken": "warning"})
    def verdict(self, row: Verification) -> str:
        return "met" if row.met else "broken" if row.error else "not met"

    @display(description="Reason")
    def said(self, row: Verification) -> str:
        return short(row.error or row.reason)

    @admin.display(description="goal")
    def of_goal(self, row: Verification) -> Any:
        return link(row.goal)

    @admin.display(description="checkpoint")
    def of_checkpoint(self, row: Verification) -> Any:
        return link(row.checkpoint)

    @admin.display(description="error")
    def trouble(self, row: Verification) -> Any:
        return pre(row.error)

    @admin.display(description="evidence")
    def seen(self, row: Verification) -> Any:
        return pre(row.evidence)

    @admin.display(description="verifier")
    def spec(self, row: Verification) -> Any:
        return pre(row.verifier)

    @admin.display(description="details")
    def more(self, row: Verification) -> Any:
        return pre(row.details)


@admin.register(ProgressScore)
class ProgressScoreAdmin(OwnRows):
    list_display = ["score", "on_track", "revise", "goal", "cost_usd", "tokens", "at"]
    list_select_related = ["goal"]
    list_filter = ["on_track", "revise", owned_over("goal__owner")]
    search_fields = ["reasoning", "=goal__id"]
    ordering = ["-id"]
    fields = ["goal", ("score", "on_track", "revise"), "reasoning", ("position", "cost_usd", "tokens"), "at"]


@admin.register(Budget)
class BudgetAdmin(OwnRows):
    list_display = ["resource", "used", "reserved", "limit", "goal"]
    list_select_related = ["goal"]
    list_filter = [chosen("resource", Resource.values), owned_over("goal__owner")]
    search_fields = ["=goal__id"]
    ordering = ["-id"]
    fields = ["goal", "resource", ("limit", "used", "reserved")]


@admin.register(IdempotentRequest)
class IdempotentRequestAdmin(OwnRows):
    owner_path = "user"
    list_display = ["key", "status", "user", "created_at"]
    list_select_related = ["user"]
    search_fields = ["key"]
    ordering = ["-id"]
    fields = ["user", "key", "digest", "status", "answer", "created_at"]
    readonly_fields = ["answer"]

    @admin.display(description="answer")
    def answer(self, row: IdempotentRequest) -> Any:
        return pre(row.body)
