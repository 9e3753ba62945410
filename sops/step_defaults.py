"""PURE: what a step leaves unsaid and what follows from the rest of it."""

from typing import Any

from sops.seed_form import key_of


def with_defaults(raw: Any) -> Any:
    """The step with its args, evidence key, tools and conditions completed. Nothing that was said is changed."""
    if not isinstance(raw, dict) or not isinstance(raw.get("args", {}), dict):
        return raw
    step = {**raw, "args": dict(raw.get("args") or {})}
    complete = COMPLETE.get(str(step.get("predicate")))
    if complete:
        complete(step)
    if "evidence_key" not in step and (key := awaited_key(step)):
        step["evidence_key"] = key
    if "done_when" not in step and step.get("evidence_key"):
        step["done_when"] = [{"kind": "has_evidence", "key": step["evidence_key"]}]
    return step


def awaited_key(step: dict[str, Any]) -> Any:
    conditions = step.get("done_when")
    for condition in conditions if isinstance(conditions, list) else ():
        if isinstance(condition, dict) and condition.get("kind") == "has_evidence":
            return condition.get("key")
    return None


def complete_use_tool(step: dict[str, Any]) -> None:
    tools = step.get("tools")
    if "tool" not in step["args"] and isinstance(tools, list) and tools:
        step["args"]["tool"] = tools[0]
    if "tool" in step["args"] and tools is None:
        step["tools"] = [step["args"]["tool"]]


def complete_gather_info(step: dict[str, Any]) -> None:
    args = step["args"]
    key = step.get("evidence_key") or args.get("key") or awaited_key(step) or key_of(str(step.get("gloss", "")))
    args.setdefault("key", key)
    args.setdefault("prompt", step.get("prompt") or step.get("gloss", ""))
    step.setdefault("evidence_key", args["key"])


def complete_confirm(step: dict[str, Any]) -> None:
    args = step["args"]
    args.setdefault("question", step.get("prompt") or step.get("gloss", ""))
    step.setdefault("evidence_key", args.get("key") or awaited_key(step) or "confirmed")


COMPLETE = {"use_tool": complete_use_tool, "gather_info": complete_gather_info, "confirm": complete_confirm}
