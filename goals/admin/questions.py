"""Questions, and answering them here."""

import json
from typing import Any

from django.contrib import admin
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from unfold.decorators import action, display
from unfold.enums import ActionVariant

from goals import answers
from goals.admin.acts import done
from goals.admin.base import COLOURS, OwnRows
from goals.admin.filters import chosen, owned_over
from goals.admin.forms import AnswerForm
from goals.admin.plans import plans_of
from goals.admin.show import link, pre, short
from goals.models import Question
from goals.states import QuestionKind, QuestionStatus


@admin.register(Question)
class QuestionAdmin(OwnRows):
    list_display = ["asked", "kind", "state", "answered", "goal", "created_at"]
    list_select_related = ["goal"]
    list_filter = [
        chosen("status", QuestionStatus.values),
        chosen("kind", QuestionKind.values),
        owned_over("goal__owner"),
    ]
    search_fields = ["prompt", "key", "=goal__id"]
    ordering = ["-id"]
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
        return done(request, question, lambda: _answer(request.user, question, form.said), "Answered.")

    @display(description="Question", ordering="prompt")
    def asked(self, row: Question) -> str:
        return short(row.prompt)

    @display(description="Status", ordering="status", label=COLOURS)
    def state(self, row: Question) -> str:
        return row.status

    @display(description="Answer")
    def answered(self, row: Question) -> str:
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
