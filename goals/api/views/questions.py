"""`/api/questions/`: what waits for a person."""

import json
from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django_filters.rest_framework import DjangoFilterBackend
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from goals import answers, seeing
from goals.api import etags
from goals.api.base import ApiViewSet
from goals.api.fields import read
from goals.api.filters import QuestionFilter
from goals.api.pages import page_of
from goals.api.query import FIELDS
from goals.api.serializers.inputs import AnswerInput
from goals.api.serializers.parts import QuestionSerializer
from goals.api.single import Versioned, one_of
from goals.models import Goal, Question


class QuestionViewSet(ApiViewSet):
    """Questions of the goals that one may see."""

    queryset = Question.objects.none()
    serializer_class = QuestionSerializer
    filter_backends = [DjangoFilterBackend]
    filterset_class = QuestionFilter

    def get_queryset(self) -> QuerySet[Question]:
        return seeing.visible_questions(self.request.user).select_related("answered_by")

    def list(self, request: Request) -> Response:
        """Questions, newest first; `?status=open` for those that wait."""
        return page_of(self, self.filter_queryset(self.get_queryset()), QuestionSerializer)

    @extend_schema(parameters=[FIELDS])
    def retrieve(self, request: Request, pk: Any) -> Response:
        """One question."""
        question = answers.find(request.user, pk)
        return one_of(request, QuestionSerializer, question, version_of(question))

    @extend_schema(request=AnswerInput, responses=QuestionSerializer)
    @action(detail=True, methods=["post"])
    def answer(self, request: Request, pk: Any) -> Response:
        """Answer; the first answer wins."""
        value = read(AnswerInput, request.data)["answer"]
        with transaction.atomic():
            question = answers.answer(request.user, pk, value, channel="api")
            answers.note_answer(question, request.user, words_of(question.answer))
        question = answers.find(request.user, pk)
        return Versioned(QuestionSerializer(question).data, version_of(question))

    def hold(self, tags: Sequence[str], **named: Any) -> None:
        """Lock the goal, and with it its questions; raise 412 with what became of this one."""
        found = answers.find(self.request.user, named.get("pk"))
        Goal.objects.select_for_update(no_key=True).get(pk=found.goal_id)
        question = answers.find(self.request.user, found.pk)
        etags.require(tags, version_of(question), lambda since: [became(question)])


def version_of(question: Question) -> int:
    """How far a question has come: 0 asked, 1 reminded of, 2 closed."""
    return 2 if question.closed_at else 1 if question.reminded_at else 0


def became(question: Question) -> dict[str, Any]:
    """Return what last happened to a question."""
    shown = QuestionSerializer(question).data
    kind = "reminded" if question.closed_at is None else question.status
    return {"kind": f"question.{kind}", **{name: shown[name] for name in ("answer", "answered_by", "channel")}}


def words_of(value: Any) -> str:
    """Return an answer as it is read in a conversation."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
