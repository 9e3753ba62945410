"""Files that people give in a conversation: kept at once, sent with a message, and then given to goals.

A goal gets each as a file in the folder `attachments` of its workspace, which its tools can read, and as an artifact
of type `file` that says where it lies. A goal that begins gets all that was attached in its conversation so far.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.utils import timezone

from artifacts import storage
from artifacts.kinds import ArtifactType, Trust
from artifacts.models import Artifact
from goals import file_kinds
from goals.effects.making import make_artifact
from goals.exceptions import InvalidInput, NotFound
from goals.models import Attachment, Goal, Message
from goals.tools.errors import ToolError
from goals.tools.workspace import Workspace
from goals.transitions import Writer, writing

LONGEST = 20_000_000  # bytes of one
MOST = 10  # of one message
MOST_UNSENT = 50  # of one person
KEPT_UNSENT = timedelta(days=30)
MOST_GIVEN = 30  # to a goal that begins
FOLDER = "attachments"


def keep(user: Any, file: Any) -> Attachment:
    """Keep a file (with `name`, `size` and `read`) that a person has given; raises InvalidInput.

    What they never sent is forgotten after a month.
    """
    if file is None:
        raise InvalidInput({"file": "is missing"})
    if file.size > LONGEST:
        most = file_kinds.size_in_words(LONGEST)
        raise InvalidInput({"file": f"has {file_kinds.size_in_words(file.size)}; at most {most} are allowed"})
    if not file.size:
        raise InvalidInput({"file": "is empty"})
    unsent = Attachment.objects.filter(owner=user, message=None)
    unsent.filter(created_at__lt=timezone.now() - KEPT_UNSENT).delete()
    if unsent.count() >= MOST_UNSENT:
        raise InvalidInput({"file": f"{MOST_UNSENT} files wait to be sent already; send or remove some first"})
    data, name = file.read(), file_kinds.safe_name(str(file.name))
    return Attachment.objects.create(
        owner=user,
        name=name,
        media_type=file_kinds.media_type(name, data),
        size=len(data),
        blob_sha256=storage.write(data),
    )


def find(user: Any, attachment_id: Any) -> Attachment:
    """Return a file that this person gave; raises NotFound."""
    try:
        return Attachment.objects.get(pk=attachment_id, owner_id=user.pk)
    except (Attachment.DoesNotExist, ValidationError, ValueError, TypeError):
        raise NotFound(f"there is no attachment {str(attachment_id)[:80]}") from None


def drop(user: Any, attachment_id: Any) -> None:
    """Forget a file that was not sent; one that was sent stays."""
    Attachment.objects.filter(pk=find(user, attachment_id).pk, message=None).delete()


def send(message: Message, ids: Sequence[Any]) -> None:
    """Send files with a message, within its transaction; raises InvalidInput, and then nothing is sent."""
    if not ids:
        return
    if len(ids) > MOST:
        raise InvalidInput({"attachments": f"{len(ids)} files; at most {MOST} go with one message"})
    try:
        rows = Attachment.objects.filter(pk__in=ids, owner_id=message.author_id, message=None)
        sent = rows.update(message=message)
    except (ValidationError, ValueError):
        sent = 0
    if sent != len(set(ids)):
        raise InvalidInput({"attachments": "one of the files is not there any more; attach it again"})


def give_all(writer: Writer, conversation_id: Any) -> None:
    """Give a goal that begins what was attached in its conversation, the latest where there is much."""
    rows = Attachment.objects.filter(message__conversation_id=conversation_id).order_by("-created_at")
    _give(writer, list(rows[:MOST_GIVEN])[::-1])


def give(user: Any, goal: Goal, message: Message) -> None:
    """Give a goal under way what came with a message that concerns it."""
    rows = list(message.attachments.all())
    if rows:
        with writing(goal.pk, actor=user) as writer:
            if not writer.goal.is_ended:
                _give(writer, rows)


def _give(writer: Writer, attachments: Iterable[Attachment]) -> None:
    rows = Artifact.objects.filter(context_id=writer.goal.artifact_context_id, metadata__has_key="attachment")
    known = set(rows.values_list("metadata__attachment", flat=True))
    for attachment in attachments:
        if str(attachment.pk) not in known:
            _make(writer, attachment)


def _make(writer: Writer, attachment: Attachment) -> None:
    try:
        path = _place(Workspace(writer.goal.workspace), attachment)
    except ToolError as error:
        raise InvalidInput({"attachments": f"{attachment.name} cannot be put into the workspace: {error}"}) from error
    kind = f"{attachment.media_type}, {file_kinds.size_in_words(attachment.size)}"
    make_artifact(
        writer,
        file_kinds.artifact_name(attachment.name),
        type=ArtifactType.FILE,
        value=path,
        description=f"{attachment.name} ({kind}), attached by a person; the value is its path in the workspace",
        metadata={
            "attachment": str(attachment.pk),
            "sha256": attachment.blob_sha256,
            "media_type": attachment.media_type,
        },
        trust=Trust.PERSON,
    )


def _place(workspace: Workspace, attachment: Attachment) -> str:
    """Write the file where no other content lies yet; returns its path."""
    data, (stem, dot, suffix), number = storage.read(attachment.blob_sha256), attachment.name.rpartition("."), 1
    path = f"{FOLDER}/{attachment.name}"
    while workspace.exists(path) and workspace.read_bytes(path, limit=len(data) + 1) != data:
        number += 1
        path = f"{FOLDER}/{stem or suffix}-{number}{dot if stem else ''}{suffix if stem else ''}"
    workspace.write_bytes(path, data)
    return path
