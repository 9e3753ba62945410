"""Talking with a person: what a message means, the wording of a question, and a reply in the chat."""

import json
import re
from typing import Any

from goals.llm.rehearsal.asked import Asked
from goals.llm.rehearsal.reply import Calls, Reply, Text, Typed
from goals.llm.rehearsal.stated import stated_values
from goals.llm.rehearsal.words import STAND_IN, shortened

_ABANDON = re.compile(
    r"^\W*(forget (it|about it|that)|never ?mind|"
    r"(please )?(cancel|abandon|drop|stop)( (it|this|that|the goal|everything))?( please)?)\W*$",
    re.IGNORECASE,
)
_YES = re.compile(
    r"^\W*(y|yes|yes,? please|yep|yeah|sure|ok|okay|confirm(ed)?|approved?|go ahead|do it)\b", re.IGNORECASE
)
_NO = re.compile(r"^\W*(n|no|nope|don'?t|do not|refused?|rejected?|deny|denied|decline[d]?)\b", re.IGNORECASE)
_HEDGED = re.compile(r"\b(but|if|unless|maybe|except|wait)\b|\?", re.IGNORECASE)
_SMALL_TALK = re.compile(
    r"^\W*(hi|hello|hey|thanks?( you)?|thank you|good (morning|evening|day)|how are you|how is it going|status|help|"
    r"what can you do|who are you|what are you)\b[^.]{0,40}$",
    re.IGNORECASE,
)
_YES_NO = ("confirmation", "approval")


def interpret_message(asked: Asked) -> Reply:
    """An answer where something is asked, a new goal where nothing is going on, else conversation."""
    message = asked.text("message")
    questions = [one for one in asked.data("open_questions", []) if isinstance(one, dict) and one.get("key")]
    goal = asked.data("goal", {})
    if _ABANDON.match(message) and (goal or questions):
        return _meaning("abandon_goal", "the message gives the goal up.")
    if questions:
        return _answered(message, questions)
    if _SMALL_TALK.match(message) or not message:
        return _meaning("continue", "small talk.", reply=f"{STAND_IN}write a goal, and it is worked on.")
    if goal and goal.get("status") in ("planning", "active", "waiting", "paused"):
        return _meaning("continue", "a remark on the goal under way.")
    return _meaning(
        "new_goal", "nothing else is going on.", goal={"gloss": shortened(message, 20_000), "context": None}
    )


def gather_question(asked: Asked) -> Reply:
    """The plan's own wording."""
    question = asked.text("prompt") or f"Please give {asked.text('key').replace('_', ' ')}."
    shown = [
        one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in asked.data("suggestions", [])
    ]
    return Typed({"question": question[:5_000], "suggestions": [one[:500] for one in shown[:20]]})


def chat_reply(asked: Asked) -> Reply:
    """What it is, and how the goal stands; asked for the status, it calls the tool once."""
    message = asked.text("message")
    if (
        "goal_status" in asked.tool_names
        and not asked.tool_results
        and re.search(r"\bstatus\b", message, re.IGNORECASE)
    ):
        return Calls((("goal_status", {}),))
    told = [f"{STAND_IN}no model endpoint is configured, so rules answer here."]
    if asked.tool_results:
        told.append(f"The goals stand as follows:\n\n{shortened(asked.tool_results[-1], 2_000)}")
    goal = asked.data("goal", {})
    if goal:
        told.append(f"The goal “{shortened(str(goal.get('objective', '')), 300)}” is {goal.get('status', 'known')}.")
    told.append("Write what you want done, and it becomes a goal; answer a question to let a goal go on.")
    return Text("\n\n".join(told))


def _answered(message: str, questions: list[dict[str, Any]]) -> Reply:
    stated = stated_values(message, [one["key"] for one in questions if one.get("kind") not in _YES_NO])
    if stated:
        evidence = [{"key": key, "value": value} for key, value in stated.items()]
        return _meaning("add_evidence", "the message states the values that were asked for.", evidence=evidence)
    first = questions[0]
    if first.get("kind") in _YES_NO:
        return _decided(message, first)
    if message.rstrip().endswith("?"):
        reply = f"{STAND_IN}the goal waits for an answer: {first.get('prompt', first['key'])}"
        return _meaning("continue", "a question back.", reply=reply)
    value = _chosen(message, first.get("suggestions") or [])
    return _meaning("add_evidence", "the message answers the open question.", evidence=[_entry(first, value)])


def _decided(message: str, question: dict[str, Any]) -> Reply:
    yes, no = _YES.match(message), _NO.match(message)
    if (yes or no) and not _HEDGED.search(message):
        return _meaning("add_evidence", "a plain yes or no.", evidence=[_entry(question, bool(yes))])
    reply = f"{STAND_IN}please answer yes or no: {question.get('prompt', '')}"
    return _meaning("continue", "neither yes nor no.", reply=reply)


def _chosen(message: str, suggestions: list[Any]) -> Any:
    """The suggestion that the message names by number or by its text; else the message."""
    said = message.strip().strip("\"'").rstrip(".!")
    if said.isascii() and said.isdigit() and 1 <= int(said) <= len(suggestions):
        return suggestions[int(said) - 1]
    named = [one for one in suggestions if said and said.lower() in str(one).lower()]
    return named[0] if len(named) == 1 else said


def _entry(question: dict[str, Any], value: Any) -> dict[str, Any]:
    return {"key": question["key"], "value": value}


def _meaning(action: str, reason: str, **more: Any) -> Reply:
    value = {"action": action, "goal": None, "evidence": [], "reply": None, "reasoning": STAND_IN + reason}
    return Typed(value | more)
