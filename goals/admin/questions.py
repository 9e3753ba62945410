"""Questions, and answering them here."""

import json
from typing import Any

from django.contrib import admin
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from unfold.decorators import action, display
from unfold.enums import ActionVariant

from goals import answers
from goals.admin.acts import done
from goals.admin.base import COLOURS, OwnRows
from goals.admin.filters import OneOf, chosen, owned_over
from goals.admin.forms import AnswerForm
from goals.admin.plans import plans_of
from goals.admin.show import link, pre, short
from goals.chat.amounts import duration
from goals.models import Question
from goals.states import QuestionKind, QuestionStatus

OPENS = (  # as the theme's own buttons do
    '<a class="gs-answer" href="{0}" hx-get="{0}" hx-target="#modal-content" hx-select="#dialog" '
    'x-on:htmx:after-on-load="openModal = true">Answer</a>'
)


class Standing(OneOf):
    """The queue is what is open; what was answered is a choice."""

    title = parameter_name = "status"
    ALL = "all"
    offered = [("answered", "answered"), ("withdrawn", "withdrawn"), (ALL, "all of them"), ("open", "open")]
    all_option = ["", "Open"]

    def queryset(self, request: HttpRequest, rows: QuerySet) -> QuerySet:
        return super().queryset(request, rows) if self.value() else self.narrowed(rows, QuestionStatus.OPEN)

    def narrowed(self, rows: QuerySet, value: str) -> QuerySet:
        return rows if value == self.ALL else rows.filter(status=value)


@admin.register(Question)
class QuestionAdmin(OwnRows):
    list_display = ["asked", "kind", "waits", "of_goal", "owner", "state", "answered"]
    list_select_related = ["goal__owner"]
    list_filter = [
        Standing,
        chosen("kind", QuestionKind.values),
        owned_over("goal__owner"),
    ]
    search_fields = ["prompt", "key", "=goal__id"]
    search_help_text = "words of the question, its key, or a goal's id"
    actions_detail = ["answer_question"]
    fields = [
        "of_goal",
        "of_subgoal",
        "prompt",
        ("kind", "key", "status"),
        "offered",
        "shape",
        "more",
        "said",
        ("answered_by", "channel", "closed_at"),
        "digest",
        ("created_at", "reminded_at"),
    ]
    readonly_fields = ["of_goal", "of_subgoal", "offered", "shape", "more", "said"]

    def get_ordering(self, request: HttpRequest) -> list[str]:
        """What is open comes oldest first, like a queue; what is not, latest first."""
        is_queue = request.GET.get("status", "") in ("", QuestionStatus.OPEN)
        return ["created_at", "id"] if is_queue else ["-created_at", "-id"]

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> list[Any]:
        question = self.get_object(request, object_id)
        is_open = question is not None and question.status == QuestionStatus.OPEN
        return super().get_actions_detail(request, object_id) if is_open else []

    @action(
        description="Answer",
        url_path="answer",
        icon="reply",
        variant=ActionVariant.PRIMARY,
        dialog={"title": "Answer", "description": "", "form_class": AnswerForm, "form_submit_text": "Answer"},
    )
    def answer_question(self, request: HttpRequest, form: AnswerForm, object_id: str) -> HttpResponse:
        question = self.get_object(request, object_id)
        if question is None:
            raise Http404(f"there is no question {object_id}")
        return done(request, question, lambda: _answer(request.user, question, form.said), "Answered.", listed=True)

    @display(description="Waits for")
    def waits(self, row: Question) -> Any:
        until = row.closed_at or timezone.now()
        said = duration(max(1.0, (until - row.created_at).total_seconds()))
        return format_html(
            '<time datetime="{}" title="asked {}">{}</time>', row.created_at.isoformat(), row.created_at, said
        )

    @display(description="Owner")
    def owner(self, row: Question) -> str:
        return str(row.goal.owner)

    @display(description="Question", ordering="prompt")
    def asked(self, row: Question) -> str:
        return short(row.prompt)

    @display(description="Status", ordering="status", label=COLOURS)
    def state(self, row: Question) -> str:
        return row.status

    @display(description="Answer")
    def answered(self, row: Question) -> Any:
        """Return what was answered, or what opens the form over the list."""
        if row.status == QuestionStatus.OPEN:
            return format_html(OPENS, reverse("admin:goals_question_answer_question", args=[row.pk]))
        return "–" if row.answer is None else short(json.dumps(row.answer, ensure_ascii=False), 60)

    @admin.display(description="goal")
    def of_goal(self, row: Question) -> Any:
        return link(row.goal)

    @admin.display(description="subgoal")
    def of_subgoal(self, row: Question) -> Any:
        return link(row.subgoal)

    @admin.display(description="suggestions")
    def offered(self, row: Question) -> Any:
        return pre(row.suggestions)

    @admin.display(description="schema")
    def shape(self, row: Question) -> Any:
        return pre(row.schema)

    @admin.display(description="details")
    def more(self, row: Question) -> Any:
        return plans_of(row) if row.is_plan else pre(row.details)

    @admin.display(description="answer")
    def said(self, row: Question) -> Any:
        return pre(json.dumps(row.answer, ensure_ascii=False, indent=2)) if row.answer is not None else "–"


def _answer(user: Any, question: Question, said: Any) -> None:
    with transaction.atomic():
        answered = answers.answer(user, question.pk, said, channel="admin")
        answers.note_answer(answered, user, said["again"] if isinstance(said, dict) else said)
