"""What a person may say of a plan that waits: carry it out, carry out this one instead, or ask for another.

An edited plan may say `of` which of several it is an edition. What is wrong with it is told by the place where it is
wrong, as in `answer.plan[0].title`.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from goals import plans, validation
from goals.exceptions import InvalidInput
from goals.llm.shapes import CheckpointDraft
from goals.models import Question

YES = {"yes", "y", "true", "ok", "okay", "approve", "approved", "confirm"}
NO = {"no", "n", "false", "refuse", "refused", "deny", "denied", "reject"}
LONGEST_REMARK = 2_000
REMARK = re.compile(r"(?:no|n)\s*[,:;.]\s*(.+)", re.IGNORECASE | re.DOTALL)
PLACES = re.compile(r"\bcheckpoints(?=\[\d+\]|: )")
PLACE = re.compile(r"(?:(plan(?:\[\d+\]\S*)?): )?(.*)", re.DOTALL)
REMARK_WANTED = 'say what should be different: {"again": "…"}, or "no, …"; cancel the goal to give it up'


def understand(question: Question, value: Any) -> dict[str, Any]:
    """Return `{"approve": N}`, `{"plan": [...], "of": N}` or `{"again": remark}`; raises InvalidInput, all told."""
    proposals = question.details["plans"]  # type: ignore[index]
    value = _meant(value)
    match value:
        case {"approve": number, **rest} if not rest:
            return {"approve": _chosen(number, len(proposals))}
        case {"again": remark, **rest} if not rest:
            return {"again": _remark(remark)}
        case {"plan": drafts, "of": number, **rest} if not rest:
            chosen = _chosen(number, len(proposals))
            return {"plan": _edited(question, drafts, proposals[chosen - 1]), "of": chosen}
        case {"plan": drafts, **rest} if not rest:
            return {"plan": _edited(question, drafts, proposals[0])}
    choice = "yes" if len(proposals) == 1 else f"a number from 1 to {len(proposals)}"
    raise InvalidInput({"answer": f'must be {choice}, {{"plan": [edited checkpoints]}}, or {{"again": "a remark"}}'})


def _meant(value: Any) -> Any:
    """Read short answers: yes, no, a number, or no and a remark; and what a person has typed as JSON."""
    if isinstance(value, bool):
        return {"approve": None} if value else {"again": ""}
    if isinstance(value, int):
        return {"approve": value}
    if not isinstance(value, str):
        return value
    text = value.strip()
    word = text.lower().rstrip(".!")
    if word in YES:
        return {"approve": None}
    if word in NO:
        return {"again": ""}
    if re.fullmatch(r"[0-9]{1,3}", text):
        return {"approve": int(text)}
    if text.startswith("{"):
        return _typed(text)
    found = REMARK.fullmatch(text)
    return {"again": found[1]} if found else value


def _typed(text: str) -> Any:
    try:
        return validation.json_value("answer", json.loads(text))
    except (ValueError, RecursionError) as error:
        raise InvalidInput({"answer": f"is no JSON: {str(error)[:200]}"}) from error


def _chosen(number: Any, count: int) -> int:
    if (number is None or number is True) and count == 1:
        return 1
    if isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= count:
        return number
    several = f"there are {count} plans: choose one by its number, 1 to {count}"
    raise InvalidInput({"answer": "there is one plan: 1" if count == 1 else several})


def _remark(remark: Any) -> str:
    if isinstance(remark, str) and remark.strip():
        return validation.text("answer", remark, most=LONGEST_REMARK)
    raise InvalidInput({"answer": REMARK_WANTED})


def _edited(question: Question, given: Any, proposal: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return an edited plan as it is kept; it is held to what a model's plan is held to."""
    if not isinstance(given, list) or not given:
        raise InvalidInput({"answer": "plan: must be a list of at least one checkpoint"})
    errors = plans.edited_errors(given, question.goal, proposal.get("inputs", {}))
    if errors:
        raise InvalidInput(_by_place(errors))
    return plans.plain(drafts_of(given))


def _by_place(errors: Sequence[str]) -> dict[str, str]:
    """Return what is wrong by where it is wrong; a place is told as that of the answer, as it was sent."""
    found: dict[str, str] = {}
    for error in errors:
        path, text = PLACE.fullmatch(PLACES.sub("plan", error)).groups()  # type: ignore[union-attr]
        place = f"answer.{path or 'plan'}"
        found[place] = f"{found[place]}; {text}" if place in found else text
    return found


def drafts_of(given: Sequence[Any]) -> list[CheckpointDraft]:
    """Return the checkpoints of a plan that was found to be right."""
    return [CheckpointDraft.model_validate(fields) for fields in given]
