"""A conversation of a person, and what was said in it."""

from collections.abc import Callable
from typing import Any

import pytest

from goals.chat import conversations
from goals.models import Conversation, Message


@pytest.fixture
def conversation(owner: Any) -> Conversation:
    return conversations.start(owner)


@pytest.fixture
def post(owner: Any, conversation: Conversation) -> Callable[[str], Message]:
    """Say something as the conversation's owner."""
    return lambda content: conversations.post(owner, conversation.pk, content)


@pytest.fixture
def said(conversation: Conversation) -> Callable[[], list[tuple[str, str]]]:
    """All that was said, as (role, content)."""
    return lambda: list(conversation.messages.order_by("number").values_list("role", "content"))
