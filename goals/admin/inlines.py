"""What a goal is made of, beneath it: a page of rows at a time, newest first where it is history."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.decorators import display

from goals import models
from goals.admin.base import COLOURS, Rows
from goals.admin.show import link, short


class Lean(Rows):
    """Leaves out the columns that no list shows."""

    left_out: tuple[str, ...] = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return super().get_queryset(request).defer(*self.left_out)

    @display(description="Status", label=COLOURS)
    def state(self, row: Any) -> str:
        return row.status


class CheckpointRows(Lean):
    model = models.Checkpoint
    fields = readonly_fields = ["title", "predicate", "state", "attempts", "finished_at"]
    ordering = ["position"]
    left_out = ("args", "done_when", "provenance", "result_summary", "description", "tools")


class SubgoalRows(Lean):
    model = models.Subgoal
    fields = readonly_fields = ["summary", "predicate", "state", "attempts", "finished_at"]
    ordering = ["-created_at"]
    left_out = ("args", "done_when", "provenance", "result", "outputs", "tools")

    @admin.display(description="Gloss")
    def summary(self, row: models.Subgoal) -> str:
        return f"{'· ' * row.depth}{short(row.gloss)}"


class BudgetRows(Rows):
    model = models.Budget
    fields = readonly_fields = ["resource", "limit", "used", "reserved"]


class QuestionRows(Lean):
    model = models.Question
    fields = readonly_fields = ["asked", "kind", "state", "answered", "created_at"]
    ordering = ["-created_at"]

    @admin.display(description="Question")
    def asked(self, row: models.Question) -> Any:
        return link(row, short(row.prompt))

    @admin.display(description="Answer")
    def answered(self, row: models.Question) -> str:
        return "–" if row.answer is None else short(str(row.answer), 60)


class VerificationRows(Rows):
    model = models.Verification
    fields = readonly_fields = ["met", "about", "said", "seconds", "created_at"]
    ordering = ["-created_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return super().get_queryset(request).select_related("checkpoint").defer("evidence", "verifier", "details")

    @admin.display(description="Of")
    def about(self, row: models.Verification) -> str:
        return short(str(row.checkpoint), 60) if row.checkpoint else "the goal"

    @admin.display(description="Reason")
    def said(self, row: models.Verification) -> str:
        return short(row.error or row.reason)


class ProgressScoreRows(Rows):
    model = models.ProgressScore
    verbose_name_plural = "progress"
    fields = readonly_fields = ["score", "on_track", "revise", "said", "cost_usd", "tokens", "at"]
    ordering = ["-at"]

    @admin.display(description="Reasoning")
    def said(self, row: models.ProgressScore) -> str:
        return short(row.reasoning)


class ModelCallRows(Lean):
    model = models.ModelCall
    verbose_name_plural = "model calls"
    fields = readonly_fields = ["purpose", "model", "state", "tokens", "cost_usd", "seconds", "created_at"]
    ordering = ["-created_at"]
    left_out = ("request", "response", "reserved", "error")

    @admin.display(description="Tokens in / out")
    def tokens(self, row: models.ModelCall) -> str:
        return f"{row.input_tokens} / {row.output_tokens}"


class ToolCallRows(Lean):
    model = models.ToolCall
    verbose_name_plural = "tool calls"
    fields = readonly_fields = ["tool", "state", "effect_class", "said", "seconds", "created_at"]
    ordering = ["-created_at"]
    left_out = ("request", "response", "reserved")

    @admin.display(description="Summary")
    def said(self, row: models.ToolCall) -> str:
        return short(row.error or row.summary)


class ShareRows(Rows):
    """With whom the goal was shared, and links to it, those withdrawn among them."""

    model = models.Share
    verbose_name_plural = "shares"
    fields = readonly_fields = ["created_at", "viewer", "created_by", "expires_at", "revoked_at"]
    ordering = ["-created_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return super().get_queryset(request).select_related("created_by", "viewer")


class EventRows(Rows):
    model = models.Event
    fields = readonly_fields = ["seq", "kind", "said", "actor", "at"]
    ordering = ["-seq"]

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return super().get_queryset(request).select_related("actor")

    @admin.display(description="What")
    def said(self, row: models.Event) -> str:
        return in_words(row)


def in_words(event: models.Event) -> str:
    """Return the telling part of an event's payload."""
    said = event.payload
    for name in ("reason", "title", "prompt", "gloss", "objective", "text", "tool", "name", "purpose", "for"):
        if said.get(name):
            return short(str(said[name]), 100)
    return "–"
