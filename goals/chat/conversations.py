"""Conversations as every face uses them: find, start, say something, try again. Raises the errors of this room."""

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet

from goals import announce, attachments, validation
from goals.chat import claims, commands
from goals.chat.claims import Claim
from goals.chat.interpreter import interpret
from goals.chat.turning import unturned
from goals.effects.making import add_message
from goals.exceptions import InvalidInput, NotFound, StaleGoal
from goals.models import Conversation, Goal, Message, Role

LONGEST_MESSAGE = 20_000
TITLE_LENGTH = 60


def visible_to(user: Any) -> QuerySet[Conversation]:
    """Return a person's own conversations, latest first: nobody else's, an operator's eyes included."""
    return Conversation.objects.filter(owner_id=user.pk)


def find(user: Any, conversation_id: Any) -> Conversation:
    """Return a conversation of this person; raises NotFound for one that is missing or somebody else's."""
    try:
        return visible_to(user).get(pk=conversation_id)
    except (Conversation.DoesNotExist, ValidationError, ValueError, TypeError):
        raise NotFound(f"there is no conversation {str(conversation_id)[:80]}") from None


def of(goal: Goal, user: Any) -> Conversation | None:
    """Return the conversation of a goal where it is this person's."""
    found = goal.conversation
    return found if found is not None and found.owner_id == user.pk else None


def start(user: Any, *, title: Any = "") -> Conversation:
    """Open a new conversation; its title is taken from its first message when none is given."""
    return Conversation.objects.create(owner=user, title=_name(title))


def begin(user: Any, content: Any, *, attached: Sequence[Any] = ()) -> Conversation:
    """Open a conversation with what is said in it first; there is none when that is refused."""
    content = checked(content)
    conversation = start(user)
    try:
        post(user, conversation.pk, content, attached=attached)
    except InvalidInput:
        conversation.delete()
        raise
    return conversation


def checked(content: Any) -> str:
    """Return what can be said; raises InvalidInput."""
    return validation.text("content", content, most=LONGEST_MESSAGE, required=True)


def post(user: Any, conversation_id: Any, content: Any, *, attached: Sequence[Any] = ()) -> Message:
    """Store what a person says, with the ids of what they attached.

    A slash command is carried out before this returns; the rest is for the workers.
    """
    content = checked(content)
    is_command = commands.is_command(content)
    with transaction.atomic():
        conversation = find(user, conversation_id)
        name_after(conversation, content)
        columns = claims.first_claim() if is_command else {}
        message = add_message(conversation.pk, role=Role.USER, content=content, author=user, **columns)
        attachments.send(message, attached)
        if not is_command:
            announce.wake_workers()
    if is_command:
        interpret(Claim(message.pk, message.claims))
    return message


def _name(title: Any, *, required: bool = False) -> str:
    given = unturned(title) if isinstance(title, str) else title
    return validation.text("title", given, most=200, required=required)


def name_after(conversation: Conversation, content: str) -> None:
    """Give a conversation without a title one from what is said first."""
    if not conversation.title:
        line = " ".join(unturned(content).split()).removeprefix("/goal ").removeprefix("/plan ")
        title = line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 1].rstrip() + "…"
        Conversation.objects.filter(pk=conversation.pk, title="").update(title=title)


def rename(user: Any, conversation_id: Any, title: Any) -> Conversation:
    """Give a conversation another name."""
    title = " ".join(_name(title, required=True).split())
    conversation = find(user, conversation_id)
    with transaction.atomic():
        Conversation.objects.filter(pk=conversation.pk).update(title=title)
        changed(conversation.pk, title=title)
    conversation.title = title
    return conversation


def changed(conversation_id: Any, *, title: str = "") -> None:
    """Announce, with the commit, that a conversation has changed in a way that no new message and no event tells."""
    announce.send(
        announce.conversation_group(conversation_id),
        {"type": "conversation.changed", "conversation": str(conversation_id), "title": title},
    )


def retry(user: Any, conversation_id: Any, number: Any) -> Message:
    """Have a message that could not be read interpreted again; raises StaleGoal when it was read after all."""
    conversation = find(user, conversation_id)
    message = Message.objects.filter(conversation=conversation, number=number).first()
    if message is None:
        raise NotFound(f"there is no message {number} in this conversation")
    with transaction.atomic():
        failed = Message.objects.filter(pk=message.pk, role=Role.USER).exclude(failure="")
        if not failed.update(failure="", interpreted_at=None, claimed_until=None, claims=0):
            raise StaleGoal("the message was read already")
        changed(conversation.pk)
        announce.wake_workers()
    return message
