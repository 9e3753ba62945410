"""Conversations and messages."""

from typing import Any

from django.contrib import admin
from unfold.decorators import display

from goals.admin.base import OwnRows, Rows
from goals.admin.filters import chosen, owned_over
from goals.admin.show import link, short
from goals.models import Attachment, Conversation, Message, Role


class MessageRows(Rows):
    model = Message
    fields = readonly_fields = ["number", "role", "said", "author", "created_at"]
    ordering = ["-number"]

    @admin.display(description="Content")
    def said(self, row: Message) -> str:
        return short(row.content, 300)


@admin.register(Conversation)
class ConversationAdmin(OwnRows):
    owner_path = "owner"
    list_display = ["named", "owner", "last_number", "updated_at"]
    list_select_related = ["owner"]
    list_filter = [owned_over("owner")]
    search_fields = ["title", "=id"]
    ordering = ["-id"]
    fields = ["title", "owner", "last_number", ("created_at", "updated_at")]
    inlines = [MessageRows]

    @display(description="Conversation", ordering="title")
    def named(self, row: Conversation) -> str:
        return short(str(row))


@admin.register(Message)
class MessageAdmin(OwnRows):
    owner_path = "conversation__owner"
    list_display = ["number", "role", "said", "author", "conversation", "created_at"]
    list_display_links = ["number", "said"]
    list_select_related = ["author", "conversation"]
    list_filter = [chosen("role", Role.values), owned_over("conversation__owner")]
    search_fields = ["content", "=conversation__id", "=goal__id"]
    ordering = ["-id"]
    readonly_fields = ["of_conversation", "of_goal", "of_question"]
    fields = [
        "of_conversation",
        ("number", "role", "author"),
        "content",
        "of_goal",
        "of_question",
        "failure",
        ("created_at", "interpreted_at"),
    ]

    @display(description="Content")
    def said(self, row: Message) -> str:
        return short(row.content)

    @admin.display(description="conversation")
    def of_conversation(self, row: Message) -> Any:
        return link(row.conversation)

    @admin.display(description="goal")
    def of_goal(self, row: Message) -> Any:
        return link(row.goal)

    @admin.display(description="question")
    def of_question(self, row: Message) -> Any:
        return link(row.question)


@admin.register(Attachment)
class AttachmentAdmin(OwnRows):
    owner_path = "owner"
    list_display = ["name", "owner", "media_type", "size", "message", "created_at"]
    list_select_related = ["owner", "message"]
    list_filter = [owned_over("owner")]
    search_fields = ["name", "=id", "=blob_sha256"]
    ordering = ["-id"]
    readonly_fields = ["of_message"]
    fields = [("name", "owner"), ("media_type", "size"), "blob_sha256", "of_message", "created_at"]

    @admin.display(description="message")
    def of_message(self, row: Attachment) -> Any:
        return link(row.message)
