"""What a client may send over a socket, checked field by field; and how a message looks as a frame."""

import json
import uuid
from typing import Any

from goals.exceptions import InvalidInput
from goals.models import Message

LONGEST_FRAME = 200_000  # characters
FIELDS = {"message": ("content",), "answer": ("question", "answer"), "replay": ("goal", "after"), "ping": ()}


def parse(text: Any) -> dict[str, Any]:
    """Return a client's frame; raises InvalidInput that names the field and what is allowed."""
    if not isinstance(text, str):
        raise InvalidInput({"frame": "must be a text frame with a JSON object; binary frames are not read"})
    if len(text) > LONGEST_FRAME:
        raise InvalidInput({"frame": f"has {len(text)} characters; at most {LONGEST_FRAME} are allowed"})
    try:
        frame = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput({"frame": f"is no JSON: {error}"}) from None
    if not isinstance(frame, dict):
        raise InvalidInput({"frame": 'must be an object such as {"type": "message", "content": "…"}'})
    kind = frame.get("type")
    if not isinstance(kind, str) or kind not in FIELDS:
        raise InvalidInput({"type": f"must be one of {', '.join(FIELDS)}"})
    _check_fields(kind, frame)
    return frame


def _check_fields(kind: str, frame: dict[str, Any]) -> None:
    allowed = FIELDS[kind]
    has = f"a {kind} frame has {', '.join(('type', *allowed))}"
    errors = {name: f"is missing; {has}" for name in allowed if name not in frame}
    for name in frame.keys() - {"type", *allowed}:
        errors[name[:60]] = f"is unknown; {has}"
    if errors:
        raise InvalidInput(errors)
    if kind == "replay":
        _check_replay(frame)


def _check_replay(frame: dict[str, Any]) -> None:
    after = frame["after"]
    if type(after) is not int or not 0 <= after < 2**62:
        raise InvalidInput({"after": "must be a whole number, 0 or more: the last seq that is known"})
    try:
        frame["goal"] = str(uuid.UUID(frame["goal"]))
    except (ValueError, TypeError, AttributeError):
        raise InvalidInput({"goal": "must be the id of a goal"}) from None


def message_frame(message: Message) -> dict[str, Any]:
    """Return a message as it goes over the socket."""
    return {
        "type": "message",
        "conversation": str(message.conversation_id),
        "number": message.number,
        "role": message.role,
        "content": message.content,
        "taken_as": message.taken_as or None,
        "attachments": [{"id": str(one.pk), "name": one.name} for one in message.attachments.all()],
        "goal": str(message.goal_id) if message.goal_id else None,
        "question": str(message.question_id) if message.question_id else None,
        "at": message.created_at.isoformat(),
    }


def error_frames(error: Exception) -> list[dict[str, str]]:
    """Return an error frame for each field that was refused, or one without a field."""
    if isinstance(error, InvalidInput):
        return [{"type": "error", "field": name, "message": text} for name, text in error.errors.items()]
    return [{"type": "error", "field": "", "message": str(error)}]
