"""What the model says to the goals of the upgrade's test, before and after it."""

DONE = {"reply": {"status": "done", "result": "It is done.", "outputs": []}}
MET = {"reply": {"met": True, "score": 1.0, "reason": "It was seen.", "evidence": "the text"}}
NOT_MET = {"reply": {"met": False, "score": 0.1, "reason": "It is not there.", "evidence": ""}}


def step(title, predicate="execute", **more):
    return {
        "title": title, "description": f"{title}, as it should be done.", "success_criteria": f"{title}: done",
        "predicate": predicate, "args": {}, "operation": "think" if predicate == "execute" else None, "tools": [],
        "evidence_key": None, "done_when": [], "verifier": None, **more,
    }  # fmt: skip


def planned(*steps):
    return {"reply": {"checkpoints": list(steps), "reasoning": "by parts"}}


TWO = planned(step("Read it"), step("Write it"))
SCRIPT = {
    "plan_checkpoints": {"match": {
        "ask for a name": planned(step("Ask", "gather_info", evidence_key="name"), step("Write it")),
        "*": TWO,
    }},
    "act": DONE,
    "judge_outcome": {"match": {"never be met": NOT_MET, "*": MET}},
    "summarise_context": {"reply": {"summary": "It was read."}},
    "evaluate_progress": {"reply": {"on_track": True, "score": 0.5, "revise": False, "reasoning": "well"}},
}  # fmt: skip
