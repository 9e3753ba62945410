"""What a person may say of a plan that waits: carry it out, carry out this one instead, or ask for another."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from goals import plans, validation
from goals.exceptions import InvalidInput
from goals.llm.shapes import CheckpointDraft
from goals.models import Question

YES = {"yes", "y", "true", "ok", "okay", "approve", "approved", "confirm"}
NO = {"no", "n", "false", "refuse", "refused", "deny", "denied", "reject"}
LONGEST_REMARK = 2_000
REMARK = re.compile(r"(?:no|n)\s*[,:;.]\s*(.+)", re.IGNORECASE | re.DOTALL)
REMARK_WANTED = 'say what should be different: {"again": "…"}, or "no, …"; cancel the goal to give it up'


def understand(question: Question, value: Any) -> dict[str, Any]:
    """Return `{"approve": N}`, `{"plan": [...]}` or `{"again": remark}`; raises InvalidInput with every error."""
    proposals = question.details["plans"]  # type: ignore[index]
    value = _meant(value)
    match value:
        case {"approve": number, **rest} if not rest:
            return {"approve": _chosen(number, len(proposals))}
        case {"again": remark, **rest} if not rest:
            return {"again": _remark(remark)}
        case {"plan": drafts, **rest} if not rest:
            return {"plan": _edited(question, drafts)}
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


def _edited(question: Question, given: Any) -> list[dict[str, Any]]:
    """Return an edited plan as it is kept; it is held to what a model's plan is held to."""
    if not isinstance(given, list) or not given:
        raise InvalidInput({"answer": "plan: must be a list of at least one checkpoint"})
    drafts, errors = drafts_of(given)
    if not errors:
        inputs = question.details["plans"][0].get("inputs", {})  # type: ignore[index]
        errors = plans.checkpoint_errors(drafts, question.goal, inputs)
    if errors:
        raise InvalidInput({"answer": "; ".join(errors)})
    return plans.plain(drafts)


def drafts_of(given: Sequence[Any]) -> tuple[list[CheckpointDraft], list[str]]:
    """Return the checkpoints of a plan as JSON, and every error of their form."""
    drafts, errors = [], []
    for number, fields in enumerate(given, 1):
        if not isinstance(fields, Mapping):
            errors.append(f"checkpoint {number}: must be an object")
            continue
        try:
            drafts.append(CheckpointDraft.model_validate(fields))
        except ValidationError as error:
            errors += [f"checkpoint {number}: {'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()]
    return drafts, errors
