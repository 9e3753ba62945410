"""Planning without a procedure: look through the files for the goal's words, and write up what was found."""

from typing import Any

from goals.llm.rehearsal.asked import Asked
from goals.llm.rehearsal.reply import Reply, Typed
from goals.llm.rehearsal.words import STAND_IN, deed_of, is_written_down, makes, shortened, significant_words

REPORT = "findings.md"
CANNOT = (
    "it follows the procedures of the library and searches files, and no procedure is for this. "
    "Set OPENAI_BASE_URL to a model that can do it."
)
_SEARCHING = {"list_files", "search_files", "render_report"}


def plan_checkpoints(asked: Asked) -> Reply:
    """List, search, write up; a single step of work where the tools for that are missing or the plan was refused."""
    if asked.text("previous"):
        return Typed(_plan([], "the first way did not reach the goal, and it cannot think of another."))
    objective = asked.text("objective")
    tools = {tool.get("name") for tool in asked.data("tools", []) if isinstance(tool, dict)}
    deed = deed_of(objective)
    if deed and not (makes(deed) and is_written_down(objective)):
        return Typed(_plan([], CANNOT))
    words = significant_words(objective)
    room = asked.data("max_checkpoints", 20)
    if asked.data("errors", []) or not words or room < 3 or not tools >= _SEARCHING:
        return Typed(_plan([_work(objective)], "one step of work."))
    return Typed(_plan(_search(objective, words), "look for the goal's words in the files and write up the finds."))


def revise_plan(asked: Asked) -> Reply:
    """It cannot think of another way."""
    return Typed(_plan([], "it cannot think of another way."))


def atomize(asked: Asked) -> Reply:
    """Everything is carried out directly."""
    value = {"decision": "execute", "operation": "search", "reasoning": STAND_IN + "it plans no further."}
    return Typed(value)


def plan_subgoals(asked: Asked) -> Reply:
    """One child that does the work; it leaves behind the evidence that the task's conditions name."""
    conditions = [one for one in asked.data("done_when", []) if isinstance(one, dict) and one.get("key")]
    task = _title(asked.data("task", {})) or asked.text("task") or asked.text("objective") or "Do the work"
    child = {
        "gloss": shortened(task, 2_000),
        "predicate": "execute",
        "args": {"instructions": shortened(task, 20_000)},
        "operation": "search",
        "depends_on": [],
        "done_when": [],
        "outputs": [_output(one["key"]) for one in conditions],
        "tools": [],
        "evidence_key": None,
    }
    return Typed({"decomposition": "AND", "subgoals": [child], "reasoning": STAND_IN + "one child does the work."})


def _search(objective: str, words: list[str]) -> list[dict[str, Any]]:
    told = shortened(objective, 2_000)
    sections = [
        {"heading": "How this was made", "text": f"{STAND_IN}it searched the files for the words of the goal."},
        {"heading": "Goal", "text": f"The goal: {told}"},
        {"heading": "Places", "records": "@matches_found.matches", "columns": ["path", "line", "text"]},
        {"heading": "Matches by file", "records": "@matches_found.by_file", "columns": ["path", "matches"]},
        {"heading": "Files", "records": "@files_found.files", "columns": ["path", "size"]},
    ]
    report = {"path": REPORT, "title": f"Findings: {shortened(objective, 120)}", "sections": sections}
    return [
        _tool_step("List the files", "list_files", {}, "files_found"),
        _tool_step("Search the goal's words", "search_files", {"query": words}, "matches_found"),
        _tool_step("Write up the findings", "render_report", report, "findings_report"),
    ]


def _tool_step(title: str, tool: str, given: dict[str, Any], key: str) -> dict[str, Any]:
    return {
        "title": title,
        "description": f"{STAND_IN}{title.lower()} with {tool}.",
        "success_criteria": f"The artifact @{key} exists and was made by {tool}.",
        "predicate": "use_tool",
        "args": {"tool": tool, "input": given},
        "operation": None,
        "tools": [tool],
        "evidence_key": key,
        "done_when": [{"kind": "has_evidence", "key": key}],
        "verifier": None,
    }


def _work(objective: str) -> dict[str, Any]:
    return {
        "title": shortened(objective, 120) or "Do the work",
        "description": shortened(objective, 20_000),
        "success_criteria": "The artifact @findings exists.",
        "predicate": "execute",
        "args": {"instructions": shortened(objective, 20_000)},
        "operation": "search",
        "tools": [],
        "evidence_key": "findings",
        "done_when": [{"kind": "has_evidence", "key": "findings"}],
        "verifier": None,
    }


def _output(key: str) -> dict[str, str]:
    return {"name": key, "type": "text", "description": f"What was found for {key}", "purpose": "Evidence of the task"}


def _title(task: dict[str, Any]) -> str:
    return str(task.get("gloss") or task.get("title") or "")


def _plan(checkpoints: list[dict[str, Any]], reason: str) -> dict[str, Any]:
    return {"checkpoints": checkpoints, "reasoning": STAND_IN + reason}
