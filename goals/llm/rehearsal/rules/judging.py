"""Judging by the record: calls that succeeded and artifacts that exist, never by what is claimed."""

import re
from typing import Any

from goals.llm.rehearsal.asked import Asked
from goals.llm.rehearsal.reply import Reply, Typed
from goals.llm.rehearsal.words import STAND_IN, shortened, stems

ENOUGH_FOUND = 0.6
_NOTHING = re.compile(r"0 matches\b")
_REFERENCE = re.compile(r"@([A-Za-z_][\w-]*)")
_FILE = re.compile(r"(?<![\w@/])((?:[\w-]+/)*[\w-]+\.(?:md|txt|json|csv|html|py|ya?ml|log))\b", re.IGNORECASE)


def check_condition(asked: Asked) -> Reply:
    """Whether most of the condition's words stand in the artifacts or the result."""
    wanted = stems(asked.text("condition"))
    found = wanted & stems(f"{asked.text('artifacts')}\n{asked.text('result')}")
    satisfied = bool(wanted) and len(found) / len(wanted) >= ENOUGH_FOUND
    reason = f"{len(found)} of the {len(wanted)} words of the condition stand in what exists."
    return Typed({"satisfied": satisfied, "reasoning": STAND_IN + reason})


def judge_outcome(asked: Asked) -> Reply:
    """Met when every artifact and file that the criteria name exists and no tool was left failing."""
    criteria = asked.text("criteria")
    calls = [call for call in asked.data("tool_calls", []) if isinstance(call, dict)]
    record = asked.text("artifacts") + "\n" + "\n".join(str(call) for call in calls if _succeeded(call))
    named = sorted({*_REFERENCE.findall(criteria), *_FILE.findall(criteria)})
    missing = [name for name in named if name not in record]
    failing = sorted({tool for tool, ok in _last_by_tool(calls).items() if not ok})
    nothing = found_nothing(calls)
    shown = bool(named) or any(_succeeded(call) for call in calls) or "@" in asked.text("artifacts")
    met = shown and not missing and not failing and not nothing
    return Typed(
        {
            "met": met,
            "score": 1.0 if met else round((len(named) - len(missing)) / (len(named) + len(failing) + 1), 2),
            "reason": STAND_IN + _reason(met, missing, failing, nothing),
            "evidence": shortened(", ".join(_evidence(calls, named, missing)), 2_000),
        }
    )


def evaluate_progress(asked: Asked) -> Reply:
    """Always on track, by the count of what is done."""
    done, left = len(asked.data("completed", [])), len(asked.data("remaining", []))
    score = round(done / (done + left), 2) if done + left else 1.0
    reason = f"{STAND_IN}{done} of {done + left} checkpoints are done; it never asks for another plan."
    return Typed({"on_track": True, "score": score, "revise": False, "reasoning": reason})


def found_nothing(calls: list[dict[str, Any]]) -> bool:
    """Whether files were searched, and not one place was found."""
    searches = [call for call in calls if call.get("tool") == "search_files" and _succeeded(call)]
    return bool(searches) and all(_NOTHING.match(str(call.get("summary"))) for call in searches)


def _succeeded(call: dict[str, Any]) -> bool:
    return call.get("status") == "succeeded"


def _last_by_tool(calls: list[dict[str, Any]]) -> dict[str, bool]:
    return {str(call.get("tool")): _succeeded(call) for call in calls}


def _reason(met: bool, missing: list[str], failing: list[str], nothing: bool) -> str:
    if met:
        return "everything that the criteria name is in the record."
    told = [f"{name} does not exist" for name in missing] + [f"the last call of {tool} failed" for tool in failing]
    told += ["no file says anything about it"] if nothing else []
    return ("; ".join(told) or "the record shows no result at all") + "."


def _evidence(calls: list[dict[str, Any]], named: list[str], missing: list[str]) -> list[str]:
    return [name for name in named if name not in missing] + [
        str(call.get("tool")) for call in calls if _succeeded(call)
    ]
