"""`/api/conversations/` and the goal of a conversation, `/api/goal/CONVERSATION_ID/`."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from goals import services
from goals.api import etags
from goals.api.base import ApiViewSet
from goals.api.counts import with_counts
from goals.api.fields import read
from goals.api.pages import LongPages, page_of
from goals.api.query import FIELDS, LARGEST, whole_number
from goals.api.serializers.conversations import (
    ClearedSerializer,
    ConversationGoalSerializer,
    ConversationSerializer,
    MessageSerializer,
)
from goals.api.serializers.goals import GoalSerializer
from goals.api.serializers.inputs import ConversationInput, MessageInput
from goals.api.serializers.parts import QuestionSerializer
from goals.api.single import one_of
from goals.chat import conversations
from goals.chat.standing import current_goal
from goals.models import Conversation, Goal, Message

KNOWN = {"type": "integer", "minimum": 0, "maximum": LARGEST, "default": 0}


class ConversationViewSet(ApiViewSet):
    """What a person and the site say to each other."""

    queryset = Conversation.objects.none()
    serializer_class = ConversationSerializer
    orderings = {"updated_at": ("updated_at", "id")}
    ordering = "-updated_at"

    def get_queryset(self) -> QuerySet[Conversation]:
        return conversations.visible_to(self.request.user).select_related("owner")

    def list(self, request: Request) -> Response:
        """Conversations, the latest first."""
        return page_of(self, self.get_queryset(), ConversationSerializer)

    @extend_schema(request=ConversationInput, responses={201: ConversationSerializer})
    def create(self, request: Request) -> Response:
        """Begin one."""
        made = conversations.start(request.user, title=read(ConversationInput, request.data).get("title"))
        return Response(ConversationSerializer(made).data, status=status.HTTP_201_CREATED)

    @extend_schema(parameters=[FIELDS])
    def retrieve(self, request: Request, pk: Any) -> Response:
        """One conversation, without its messages."""
        conversation = conversations.find(request.user, pk)
        return one_of(request, ConversationSerializer, conversation, conversation.last_number)

    def hold(self, tags: Sequence[str], **named: Any) -> None:
        """Lock the conversation; raise 412 with what was said since."""
        found = conversations.find(self.request.user, named.get("pk"))
        last = (
            Conversation.objects.select_for_update(no_key=True).values_list("last_number", flat=True).get(pk=found.pk)
        )
        said = Message.objects.filter(conversation=found).select_related("author").order_by("number")
        etags.require(
            tags,
            last,
            lambda since: MessageSerializer(said.filter(number__gt=since)[: etags.MOST_TOLD], many=True).data,
        )

    @extend_schema(
        parameters=[OpenApiParameter("after", KNOWN, description="the last number that is known")],
        responses=MessageSerializer(many=True),
    )
    @action(
        detail=True,
        pagination_class=LongPages,
        orderings={"number": ("number",)},
        ordering="number",
        more_parameters=("after",),
    )
    def messages(self, request: Request, pk: Any) -> Response:
        """Messages in order; `?after=NUMBER` for what is new."""
        after = whole_number(request, "after", default=0)
        rows = Message.objects.filter(conversation=conversations.find(request.user, pk), number__gt=after)
        return page_of(self, rows.select_related("author"), MessageSerializer)

    @extend_schema(request=MessageInput, responses={201: MessageSerializer})
    @messages.mapping.post
    def say(self, request: Request, pk: Any) -> Response:
        """Say something: stored and announced at once; a slash command is carried out, the rest interpreted soon."""
        conversation = conversations.find(request.user, pk)
        message = conversations.post(request.user, conversation.pk, read(MessageInput, request.data)["content"])
        message.refresh_from_db()
        return Response(MessageSerializer(message).data, status=status.HTTP_201_CREATED)


class ConversationGoalViewSet(ApiViewSet):
    """The goal that a conversation is about: the latest unfinished one, else the latest."""

    queryset = Conversation.objects.none()
    serializer_class = GoalSerializer

    @extend_schema(responses=ConversationGoalSerializer)
    def retrieve(self, request: Request, pk: Any) -> Response:
        """`goal` (null: none yet) and the questions that wait."""
        goal = current_goal(conversations.find(request.user, pk))
        questions = goal.questions.open().select_related("answered_by") if goal else []
        shown = with_counts(Goal.objects.filter(pk=goal.pk)).prefetch_related("checkpoints").get() if goal else None
        return Response(
            {
                "conversation": pk,
                "goal": GoalSerializer(shown).data if shown else None,
                "questions": QuestionSerializer(questions, many=True).data,
            }
        )

    @extend_schema(responses={200: ClearedSerializer})
    def destroy(self, request: Request, pk: Any) -> Response:
        """Clear: cancel the goal if it is unfinished; `cleared` says whether there was one."""
        goal = current_goal(conversations.find(request.user, pk))
        cleared = goal is not None and not goal.is_ended
        if goal is not None and cleared:
            services.cancel(request.user, goal.pk, reason="cleared")
        return Response({"conversation": pk, "cleared": cleared, "goal": goal.pk if goal else None})
