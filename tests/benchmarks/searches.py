"""Searches side by side: `python -m tests.benchmarks.searches [--searches 5] [--seconds 1] [--goals 5]`.

One composite checkpoint is planned into independent searches, each one call that takes `seconds`, against an endpoint
in a process of its own. Prints the wall time from the start of the first search to the end of the last as the rows say
it, beside the ideal (one call), and the wall time of the whole goal.
"""

import argparse
import time
from typing import Any

from tests.benchmarks.checkpoints import Endpoint, prepare

AIM = 1.3


def script(searches: int, seconds: float) -> dict[str, Any]:
    """The endpoint's script: everything is answered at once but the searches."""
    whole = {
        "title": "Survey",
        "description": "Survey the market",
        "success_criteria": "every part was searched",
        "predicate": "composite",
        "args": {},
        "operation": None,
        "tools": [],
        "evidence_key": None,
        "done_when": [],
        "verifier": None,
    }
    parts = [
        {"gloss": f"Search part {number} of the market", "predicate": "execute", "args": {}, "operation": "search"}
        for number in range(searches)
    ]
    replies: dict[str, Any] = {
        "judge_applicability": {
            "sop": None,
            "confidence": 0,
            "missing_prerequisites": [],
            "inputs": {},
            "reasoning": "-",
        },
        "plan_checkpoints": {"checkpoints": [whole], "reasoning": "one survey"},
        "atomize": {"decision": "plan", "operation": None, "reasoning": "it has parts"},
        "plan_subgoals": {"decomposition": "AND", "subgoals": parts, "reasoning": "part by part"},
        "aggregate": {"result": "All parts, together.", "outputs": []},
        "judge_outcome": {"met": True, "score": 1, "reason": "seen", "evidence": "the results"},
    }
    found = {"status": "done", "result": "This part holds nothing new.", "outputs": []}
    return {name: {"reply": reply} for name, reply in replies.items()} | {"act": {"reply": found, "delay": seconds}}


def run(owner: Any) -> tuple[float, float]:
    """Run one goal; returns the wall time of its searches and of all of it."""
    from django.db.models import Max, Min

    from goals import services
    from goals.models import Goal, Subgoal
    from goals.tasks import Slice

    began = time.monotonic()
    goal = services.submit(owner=owner, objective="Survey the market, part by part")
    while not (seen := Goal.objects.get(pk=goal.pk)).is_ended:
        assert seen.status != "paused", seen.reason
        Slice(lambda: False, only=[goal.pk], linger=0).run()
    whole = time.monotonic() - began
    assert seen.status == "completed", seen.reason
    times = Subgoal.objects.filter(goal=goal, depth=1).aggregate(first=Min("started_at"), last=Max("finished_at"))
    return (times["last"] - times["first"]).total_seconds(), whole


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--searches", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--goals", type=int, default=5)
    options = parser.parse_args()
    prepare()
    from django.conf import settings
    from django.contrib.auth import get_user_model

    endpoint = Endpoint(script(options.searches, options.seconds))
    settings.OPENAI_BASE_URL = endpoint.url
    settings.GOALSITE_MAX_PARALLEL = max(settings.GOALSITE_MAX_PARALLEL, options.searches)
    owner, _ = get_user_model().objects.get_or_create(username="bench")
    try:
        run(owner)  # warms up
        figures = [run(owner) for _ in range(options.goals)]
    finally:
        endpoint.stop()
    for searching, whole in figures:
        print(f"{options.searches} searches of {options.seconds:g} s: {searching:.3f} s; the whole goal: {whole:.3f} s")
    median = sorted(searching for searching, _ in figures)[len(figures) // 2]
    print(f"median {median:.3f} s; ideal {options.seconds:g} s; aim for 5 searches of 1 s: under {AIM} s")


if __name__ == "__main__":
    main()
