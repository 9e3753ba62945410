"""Goals to try at a click: each is real work on small sample files, in a workspace folder of its own."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uuid_utils.compat
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from goals import services
from goals.chat import conversations
from goals.effects.making import add_message
from goals.exceptions import NotFound
from goals.models import Conversation, Role

SAMPLES = Path(__file__).parent / "samples"


@dataclass(frozen=True)
class Example:
    """`folder` names the sample files that are copied into the workspace."""

    slug: str
    title: str
    blurb: str
    message: str
    folder: str = ""


EXAMPLES = (
    Example(
        "train",
        "Book a train",
        "A conversation: it asks where and when, searches, lets you choose, and books only after your yes.",
        "Book me a train to Paris",
    ),
    Example(
        "inventory",
        "Inventory of a folder",
        "Reads the Python modules of a small sample folder and writes a table of what is in them.",
        "Write an inventory of the Python modules in this folder: files, lines, public functions, missing docstrings",
        "python",
    ),
    Example(
        "logs",
        "Triage of log files",
        "Groups the errors in a day's sample logs, counts them, and shows the worst first.",
        "Group the errors in the log files and count them",
        "logs",
    ),
)


def start(user: Any, slug: Any) -> Conversation:
    """Open a conversation in which an example is under way; raises NotFound for an unknown one."""
    example = next((one for one in EXAMPLES if one.slug == slug), None)
    if example is None:
        raise NotFound(f"there is no example {str(slug)[:40]!r}; there are {', '.join(e.slug for e in EXAMPLES)}")
    workspace = _workspace(example)
    with transaction.atomic():
        conversation = conversations.start(user, title=example.title)
        goal = services.submit(owner=user, objective=example.message, conversation=conversation, workspace=workspace)
        said = {"content": example.message, "author": user, "interpreted_at": timezone.now()}
        add_message(conversation.pk, role=Role.USER, **said)
        about = f" The sample files are copies: {', '.join(_names(example))}." if example.folder else ""
        add_message(conversation.pk, role=Role.ASSISTANT, content=f"I will work on it.{about}", goal=goal)
    return conversation


def _workspace(example: Example) -> Path:
    folder = Path(settings.GOALSITE_DATA_DIR) / "workspaces" / f"{example.slug}-{uuid_utils.compat.uuid7()}"
    if example.folder:
        shutil.copytree(SAMPLES / example.folder, folder)
    else:
        folder.mkdir(parents=True)
    return folder


def _names(example: Example) -> list[str]:
    return sorted(f"`{path.name}`" for path in (SAMPLES / example.folder).iterdir())
