"""Doing a task: look with the reading tools that are offered, then hand over what was seen."""

import json
from typing import Any

from goals.llm.rehearsal.asked import Asked
from goals.llm.rehearsal.reply import Calls, Reply, Typed
from goals.llm.rehearsal.words import STAND_IN, shortened, significant_words

MAX_SEEN = 3_000
MAX_SUMMARY = 6_000


def act(asked: Asked) -> Reply:
    """First turn: list and search, where those tools are offered. Then done, with what was seen, or stuck."""
    task = asked.data("task", {})
    told = " ".join(str(task.get(key) or "") for key in ("gloss", "instructions")) or asked.text("objective")
    results = asked.tool_results
    calls = [] if results or task.get("operation") == "think" else _look(asked, told)
    if calls:
        return Calls(tuple(calls))
    failed = [result for result in results if _is_failure(result)]
    if results and len(failed) == len(results):
        return Typed({"status": "stuck", "result": f"{STAND_IN}every tool failed: {failed[0][:500]}", "outputs": []})
    seen = "\n\n".join(shortened(result, MAX_SEEN) for result in results if not _is_failure(result))
    found = seen or asked.text("artifacts") or "there was nothing to look at."
    result = f"{STAND_IN}for the task “{shortened(told.strip(), 500)}” it found:\n\n{found}"
    return Typed({"status": "done", "result": result, "outputs": _outputs(task, result)})


def aggregate(asked: Asked) -> Reply:
    """The results one after the other; what failed is named."""
    lines = []
    for one in asked.data("results", []):
        failure = f" (failed: {one['failure']})" if one.get("failure") else ""
        lines.append(f"- {one.get('gloss', '')} [{one.get('status', '')}]{failure}: {_shown(one.get('result'))}")
    return Typed({"result": STAND_IN + "the results in order.\n" + "\n".join(lines), "outputs": []})


def summarise_context(asked: Asked) -> Reply:
    """What was known and what was added, the latest kept where it gets long."""
    checkpoint = asked.data("checkpoint", {})
    title = checkpoint.get("title") or asked.text("checkpoint")
    known = asked.text("summary").removeprefix(STAND_IN)
    added = f"- {shortened(str(title), 200)}: {shortened(asked.text('results'), 1_000)}"
    told = "\n".join(part for part in (known, added) if part)
    return Typed({"summary": STAND_IN + told[-MAX_SUMMARY:]})


def _look(asked: Asked, told: str) -> list[tuple[str, dict[str, Any]]]:
    words = significant_words(told)
    calls: list[tuple[str, dict[str, Any]]] = []
    if "list_files" in asked.tool_names:
        calls.append(("list_files", {}))
    if "search_files" in asked.tool_names and words:
        calls.append(("search_files", {"query": words}))
    return calls


def _outputs(task: dict[str, Any], result: str) -> list[dict[str, Any]]:
    """Every text or data that is expected; a file is not claimed, since none was written."""
    specs = [one for one in task.get("outputs") or () if isinstance(one, dict) and one.get("name")]
    key = task.get("evidence_key")
    if key and key not in {one["name"] for one in specs}:
        specs.append({"name": key, "type": "text", "description": "What was found", "purpose": "The task's result"})
    return [
        {
            "name": one["name"],
            "type": one.get("type") or "text",
            "description": one.get("description") or "What was found",
            "purpose": one.get("purpose") or "",
            "value": result,
        }
        for one in specs
        if one.get("type") != "file"
    ]


def _is_failure(result: str) -> bool:
    start = result.lstrip().lower()
    return start.startswith(("error", '{"error"', '{"status":"failed"', '{"status": "failed"'))


def _shown(value: Any) -> str:
    told = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return shortened(told or "", MAX_SEEN)
