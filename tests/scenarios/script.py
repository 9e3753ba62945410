"""The endpoint's script of a scenario, from short forms: what a person writes into the battery's files.

    {plan: [{...}, ...]}              a plan of checkpoints; each needs no more than what it is about
    {children: [{...}], how: OR}      a plan of subgoals (AND when not said)
    {done: text, outputs: [...]}      the end of `act`; also {stuck: text}, {unachievable: text}
    {met: true, reason: text}         what the judge says; also {execute: think}, {split: true} of the atomizer,
    {track: 0.4, revise: true}        an evaluation of progress, {summary: text}, {joined: text} of aggregation,
    {satisfied: true}                 a judged condition
    {call: {tool: {...}}, then: ...}  tool calls; `then` once their results are in

Anything else is an action of `tests.endpoint` as it stands.
"""

from collections.abc import Mapping
from typing import Any

CHECKPOINT = {
    "description": "",
    "predicate": "execute",
    "args": {},
    "operation": "think",
    "tools": [],
    "evidence_key": None,
    "done_when": [],
    "verifier": None,
}
SUBGOAL = {
    "predicate": "execute",
    "args": {},
    "operation": "think",
    "depends_on": [],
    "done_when": [],
    "outputs": [],
    "tools": [],
    "evidence_key": None,
}
OUTPUT = {"type": "text", "description": "what was made", "purpose": "", "value": None}
SENT_AS_THEY_ARE = {"delay", "usage", "finish_reason", "model"}


def expand(script: Mapping[str, Any]) -> dict[str, Any]:
    """Return the script that the endpoint understands; with a script, no procedure fits unless it says so.

    A goal without a script is the rehearsal model's.
    """
    none_fits = {"sop": None, "confidence": 0, "missing_prerequisites": [], "inputs": {}, "reasoning": "none fits"}
    given = {"judge_applicability": {"reply": none_fits}, **script} if script else {}
    return {prompt: _listed(actions) for prompt, actions in given.items()}


def _listed(actions: Any) -> Any:
    if isinstance(actions, list):
        return [action(item) for item in actions]
    if "match" in actions:
        return {"match": {word: _listed(found) for word, found in actions["match"].items()}}
    if "cycle" in actions:
        return {"cycle": [action(item) for item in actions["cycle"]]}
    return action(actions)


def action(short: Mapping[str, Any]) -> dict[str, Any]:
    """Return one action."""
    sent = {name: value for name, value in short.items() if name in SENT_AS_THEY_ARE}
    rest = {name: value for name, value in short.items() if name not in SENT_AS_THEY_ARE}
    if "call" in rest:
        calls = [{"name": name, "arguments": given} for name, given in rest["call"].items()]
        return {**sent, "tool_calls": calls, "then": action(rest["then"])}
    reply = _reply(rest)
    return {**sent, **rest} if reply is None else {**sent, "reply": reply}


def _about(title: str) -> dict[str, str]:
    return {"description": title, "success_criteria": f'the result tells of "{title}"'}


def _reply(short: Mapping[str, Any]) -> dict[str, Any] | None:
    match short:
        case {"plan": checkpoints}:
            drafts = [{**CHECKPOINT, **_about(one["title"]), **one} for one in checkpoints]
            return {"checkpoints": drafts, "reasoning": "as the scenario says"}
        case {"children": subgoals}:
            drafts = [{**SUBGOAL, **one} for one in subgoals]
            return {"decomposition": short.get("how", "AND"), "subgoals": drafts, "reasoning": "by parts"}
        case {"done": text} | {"stuck": text} | {"unachievable": text}:
            outputs = [{**OUTPUT, **one} for one in short.get("outputs", [])]
            return {"status": next(iter(short.keys() - {"outputs"})), "result": text, "outputs": outputs}
        case {"met": met}:
            return {"met": met, "score": float(met), "reason": short.get("reason", "seen"), "evidence": ""}
        case {"satisfied": satisfied}:
            return {"satisfied": satisfied, "reasoning": short.get("reason", "seen")}
        case {"split": _}:
            return {"decision": "plan", "operation": None, "reasoning": "it has parts"}
        case {"execute": operation}:
            return {"decision": "execute", "operation": operation, "reasoning": "it is one piece"}
        case {"track": score}:
            revise = short.get("revise", False)
            return {"on_track": not revise, "score": score, "revise": revise, "reasoning": short.get("reason", "so")}
        case {"summary": text}:
            return {"summary": text}
        case {"joined": text}:
            return {"result": text, "outputs": []}
    return None
