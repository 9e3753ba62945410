"""What effects leave behind: artifacts with their lineage, questions, messages."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction

from artifacts.models import Artifact
from artifacts.services import create_artifact
from goals import announce
from goals.decisions import Move
from goals.driver import Drive
from goals.models import Conversation, Goal, Message, Question, Role, Subgoal
from goals.states import Kind, QuestionKind, SubgoalStatus
from goals.transitions import Writer


def make_artifact(
    writer: Writer,
    name: str,
    *,
    type: str,
    value: Any,
    description: str,
    purpose: str = "",
    metadata: Mapping[str, Any] | None = None,
    trust: str = "trusted",
    derived_from: Iterable[Artifact] = (),
) -> Artifact:
    """Write the next version of an artifact in the goal's context, with its event."""
    artifact = create_artifact(
        context=writer.goal.artifact_context_id,
        name=name,
        type=type,
        value=value,
        description=description or name,
        purpose=purpose,
        metadata=metadata,
        trust=trust,
        derived_from=derived_from,
    )
    about = {"artifact": str(artifact.pk), "name": name, "version": artifact.version, "type": str(type)}
    writer.event("artifact.created", about)
    return artifact


def labelled(result: dict[str, Any], untrusted: bool) -> dict[str, Any]:
    """Return a subgoal's result with the label of what it was made of, for whoever makes something of it."""
    return {**result, "untrusted": True} if untrusted else result


def is_untrusted(result: Any) -> bool:
    return isinstance(result, dict) and bool(result.get("untrusted"))


def note_evidence(drive: Drive, *names: str) -> None:
    """Tell the picture of evidence that this transaction has made."""
    drive.picture.evidence = drive.picture.evidence | frozenset(names)


def ask_person(
    writer: Writer,
    kind: QuestionKind,
    prompt: str,
    *,
    subgoal: Subgoal | None = None,
    key: str = "",
    **columns: Any,
) -> Question:
    """Open a question and show it in the conversation."""
    question = Question(goal=writer.goal, subgoal=subgoal, kind=kind, key=key, prompt=prompt[:20_000], **columns)
    question.save(force_insert=True)
    about = {"question": str(question.pk), "kind": kind.value, "key": key, "prompt": question.prompt[:2000]}
    writer.event("question.asked", {**about, "suggestions": question.suggestions})
    say(writer, prompt, role=Role.ASSISTANT, question=question)
    return question


def wait_for_person(writer: Writer, subgoal: Subgoal) -> None:
    """Let a subgoal wait for the answer to the question that was just asked, until it is time to remind of it."""
    facts = {"asked": True, "wake_at": writer.now + timedelta(seconds=settings.GOALSITE_REMIND_AFTER)}
    writer.move(
        Move(
            Kind.SUBGOAL,
            subgoal.pk,
            SubgoalStatus.ACTIVE,
            SubgoalStatus.WAITING,
            facts,
            "subgoal.waiting",
            {"for": "question"},
        )
    )


def say(writer: Writer, content: str, *, role: Role = Role.ASSISTANT, question: Question | None = None) -> None:
    """Write a message into the goal's conversation, if it has one."""
    goal = writer.goal
    if goal.conversation_id is None:
        return
    message = add_message(goal.conversation_id, role=role, content=content, goal=goal, question=question)
    about = {"message": str(message.pk), "number": message.number, "role": role.value, "content": content[:4000]}
    writer.event("message.created", {**about, "question": str(question.pk) if question else None})


def add_message(
    conversation_id: Any,
    *,
    role: Role,
    content: str,
    goal: Goal | None = None,
    question: Question | None = None,
    author: Any = None,
    **columns: Any,
) -> Message:
    """Append one message with the next number, and announce it with the commit."""
    with transaction.atomic():
        conversation = Conversation.objects.select_for_update(no_key=True).get(pk=conversation_id)
        conversation.last_number += 1
        conversation.save(update_fields=["last_number", "updated_at"])
        message = Message(
            conversation=conversation,
            number=conversation.last_number,
            role=role,
            content=content,
            goal=goal,
            question=question,
            author=author,
            **columns,
        )
        message.save(force_insert=True)
        announce.send(
            announce.conversation_group(conversation_id),
            {"type": "message.created", "conversation": str(conversation_id), "number": message.number},
        )
    return message
