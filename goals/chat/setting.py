"""What a message is read against: its conversation, the goal under way, the open questions, what was said before."""

from dataclasses import dataclass
from typing import Any

from goals import file_kinds
from goals.chat.standing import current_goal, goal_in_words
from goals.models import Conversation, Goal, Message, Question

RECENT_MESSAGES = 20
LONGEST_RECENT = 1_500
MOST_QUESTIONS = 20


@dataclass(frozen=True)
class Setting:
    """`questions` maps a key to its open question; a question without a key of its own is given one."""

    message: Message
    conversation: Conversation
    goal: Goal | None
    questions: dict[str, Question]
    recent: str

    def for_interpretation(self) -> dict[str, Any]:
        """The variables of `interpret_message`."""
        return {
            "message": self.message.content,
            "attachments": attached(self.message),
            "open_questions": [_told(key, question) for key, question in self.questions.items()],
            "goal": self._goal(),
            "recent_messages": self.recent,
        }

    def for_reply(self) -> dict[str, Any]:
        """The variables of `chat_reply`."""
        files = "".join(f"\n(attached: {line})" for line in attached(self.message))
        return {"message": f"{self.message.content}{files}", "recent_messages": self.recent, "goal": self._goal()}

    def _goal(self) -> dict[str, str] | None:
        if self.goal is None:
            return None
        return {
            "objective": self.goal.objective[:5_000],
            "status": self.goal.status,
            "in_words": goal_in_words(self.goal),
        }


def attached(message: Message) -> list[str]:
    """Return what came with a message, a line each."""
    rows = message.attachments.all()
    return [f"{row.name}, {row.media_type}, {file_kinds.size_in_words(row.size)}" for row in rows]


def look(message_id: Any) -> Setting:
    """Read what one message is to be interpreted against."""
    message = Message.objects.select_related("conversation__owner", "author").get(pk=message_id)
    conversation = message.conversation
    questions = Question.objects.open().filter(goal__conversation=conversation).order_by("-created_at")
    return Setting(
        message=message,
        conversation=conversation,
        goal=current_goal(conversation),
        questions=keyed(list(questions[:MOST_QUESTIONS])),
        recent=_recent(message),
    )


def keyed(questions: list[Question]) -> dict[str, Question]:
    """Name each question: by its key, or its kind where it has none; the second of a name is name_2."""
    found: dict[str, Question] = {}
    for question in questions:
        name = base = question.key or str(question.kind)
        number = 1
        while name in found:
            number += 1
            name = f"{base}_{number}"
        found[name] = question
    return found


def _told(key: str, question: Question) -> dict[str, Any]:
    return {
        "id": str(question.pk),
        "key": key,
        "kind": question.kind,
        "prompt": question.prompt[:2_000],
        "suggestions": [str(one)[:500] for one in question.suggestions[:20]],
    }


def _recent(message: Message) -> str:
    rows = Message.objects.filter(conversation_id=message.conversation_id, number__lt=message.number)
    lines = [f"{row.role}: {row.content[:LONGEST_RECENT]}" for row in rows.order_by("-number")[:RECENT_MESSAGES]]
    return "\n".join(reversed(lines))
