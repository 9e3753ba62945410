"""A conversation of a person, and what was said in it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from goals import services
from goals.chat import conversations
from goals.models import Conversation, Goal, Message


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


@pytest.fixture
def ada(owner: Any) -> Client:
    """The owner's browser."""
    client = Client()
    client.force_login(owner)
    return client


@pytest.fixture
def eve(django_user_model: Any) -> Client:
    """A stranger's browser."""
    client = Client()
    client.force_login(django_user_model.objects.create_user("eve"))
    return client


@pytest.fixture
def goal(owner: Any, conversation: Conversation) -> Goal:
    """A goal of that conversation."""
    return services.submit(owner=owner, objective="Write a report", conversation=conversation)
