"""What a checkpoint costs: `python -m tests.benchmarks.checkpoints [--lengths 20 200] [--goals 3]`.

Each checkpoint is act (a tool call, then done), the tool, a judge, and a summary for the next one, against an endpoint
in a process of its own that answers at once. Beside it, in the same run, the floor: the same requests through the same
client with no database. Prints wall and CPU time, SQL statements, commits and WAL bytes per checkpoint and per effect.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from tests import session

TITLES = {"act": "Work", "judge_outcome": "Judge"}


def script(length: int) -> dict[str, Any]:
    """The endpoint's script for goals of `length` checkpoints."""
    steps = [
        {
            "title": f"Step {number}",
            "description": f"Look at part {number} of the workspace",
            "success_criteria": f"part {number} was looked at",
            "predicate": "execute",
            "args": {"instructions": "list the files"},
            "operation": "search",
            "tools": ["list_files"],
            "evidence_key": f"part_{number}",
            "done_when": [],
            "verifier": None,
        }
        for number in range(length)
    ]
    done = {"reply": {"status": "done", "result": "The part was looked at; it holds nothing.", "outputs": []}}
    call = {"name": "list_files", "arguments": {"pattern": "*.py"}}
    return {
        "judge_applicability": {
            "reply": {"sop": None, "confidence": 0, "missing_prerequisites": [], "inputs": {}, "reasoning": "-"}
        },
        "plan_checkpoints": {"reply": {"checkpoints": steps, "reasoning": "by parts"}},
        "act": {"tool_calls": [call], "then": done},
        "judge_outcome": {"reply": {"met": True, "score": 1, "reason": "seen", "evidence": "the tool call"}},
        "summarise_context": {"reply": {"summary": "Parts were looked at."}},
        "evaluate_progress": {"reply": {"on_track": True, "score": 0.5, "revise": False, "reasoning": "-"}},
    }


class Statements:
    """Counts what goes to the database through psycopg, BEGIN and COMMIT included."""

    def __init__(self) -> None:
        import psycopg

        self.count = 0
        self.texts: dict[str, int] = {}
        self._lock = threading.Lock()
        original = psycopg.Cursor.execute
        begin = psycopg.Connection._start_query
        counter = self

        def execute(cursor: Any, query: Any, *args: Any, **kwargs: Any) -> Any:
            with counter._lock:
                counter.count += 1
                text = str(query)[:60]
                counter.texts[text] = counter.texts.get(text, 0) + 1
            return original(cursor, query, *args, **kwargs)

        psycopg.Cursor.execute = execute
        self._begin = begin


class Endpoint:
    """The scripted endpoint as a process."""

    def __init__(self, script: dict[str, Any]) -> None:
        folder = Path(tempfile.mkdtemp(prefix="goalsite-bench-"))
        (folder / "script.json").write_text(json.dumps(script))
        command = [sys.executable, "-m", "tests.endpoint", "--port", "0", "--script", str(folder / "script.json")]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().split()[-1]

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(10)


def prepare() -> None:
    """A fresh database with the durability of a real site (fsync on)."""
    session.FAST = {"shared_buffers": "128MB"}
    session.start()
    os.environ["DJANGO_SETTINGS_MODULE"] = "goalsite.settings"
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    settings.GOALSITE_REHEARSAL = False
    settings.OPENAI_API_KEY = "benchmark"
    settings.GOALSITE_MODEL_PRICE = (1, 2)
    settings.GOALSITE_MAX_CHECKPOINTS = 200
    settings.GOALSITE_MODEL_MAX_OUTPUT_TOKENS = 200_000  # a plan of 200 checkpoints is long


def measure(length: int, goals: int, statements: Statements) -> dict[str, float]:
    """Run goals one after the other, after one that warms up; returns figures per checkpoint."""
    from django.conf import settings
    from django.contrib.auth import get_user_model

    from goals import services
    from goals.llm import client
    from goals.models import Goal, ModelCall, ToolCall
    from goals.tasks import Slice

    endpoint = Endpoint(script(length))
    settings.OPENAI_BASE_URL = endpoint.url
    client.client.cache_clear() if hasattr(client.client, "cache_clear") else None
    owner, _ = get_user_model().objects.get_or_create(username="bench")
    limits = {"model_calls": None, "seconds": None, "cost_usd": None}

    def run() -> Goal:
        goal = services.submit(owner=owner, objective="Look at every part of it", limits=limits)
        while not (seen := Goal.objects.get(pk=goal.pk)).is_ended:
            assert seen.status != "paused", seen.reason
            Slice(lambda: False, only=[goal.pk], linger=0).run()
        goal = Goal.objects.get(pk=goal.pk)
        assert goal.status == "completed", goal.reason
        return goal

    run()
    before = _database()
    count, wall, cpu, kernel = statements.count, time.monotonic(), time.process_time(), os.times().system
    done = [run() for _ in range(goals)]
    kernel = os.times().system - kernel
    wall, cpu, count = time.monotonic() - wall, time.process_time() - cpu, statements.count - count
    after = _database()
    model_calls = ModelCall.objects.filter(goal__in=done).count()
    tool_calls = ToolCall.objects.filter(goal__in=done).count()
    floor_wall, floor_cpu = _floor(done[0])
    endpoint.stop()
    checkpoints, effects = length * goals, model_calls + tool_calls
    return {
        "checkpoints": checkpoints,
        "effects/checkpoint": effects / checkpoints,
        "wall ms/checkpoint": 1000 * wall / checkpoints,
        "cpu ms/checkpoint": 1000 * cpu / checkpoints,
        "floor wall ms/checkpoint": 1000 * floor_wall / length,
        "floor cpu ms/checkpoint": 1000 * floor_cpu / length,
        "own cpu ms/checkpoint": 1000 * (cpu / checkpoints - floor_cpu / length),
        "of it in the kernel": 1000 * kernel / checkpoints,
        "own cpu ms/3 effects": 3000 * (cpu - floor_cpu * goals) / effects,
        "statements/effect": count / effects,
        "commits/checkpoint": (after[0] - before[0]) / checkpoints,
        "wal bytes/checkpoint": (after[1] - before[1]) / checkpoints,
    }


def _floor(goal: Any) -> tuple[float, float]:
    """The same requests through the same client, without a database: (wall, CPU) seconds."""
    from goals.effects.act import _tools_for
    from goals.llm import port
    from goals.models import ModelCall

    class Fake:
        """What `_tools_for` reads."""

    drive, subgoal = Fake(), Fake()
    drive.goal = goal
    subgoal.tools, subgoal.operation = ["list_files"], "search"
    tools = _tools_for(drive, subgoal)
    requests = []
    for call in ModelCall.objects.filter(goal=goal).order_by("created_at"):
        messages = call.request["messages"]
        if messages[0]["role"] == "tool":
            messages = [*requests[-1].messages, {"role": "assistant", "content": "…"}, *messages]
        used = tools if call.purpose == "act" else ()
        requests.append(port.Request(call.role, messages, reply=call.purpose, tools=used))
    wall, cpu = time.monotonic(), time.process_time()
    for request in requests:
        port.complete(request)
    return time.monotonic() - wall, time.process_time() - cpu


def _database() -> tuple[int, int]:
    """Commits and WAL bytes of the cluster so far."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
    connection.close()
    time.sleep(1.5)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sum(xact_commit)::bigint, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint "
            "FROM pg_stat_database"
        )
        return cursor.fetchone()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lengths", type=int, nargs="+", default=[20, 200])
    parser.add_argument("--goals", type=int, default=3)
    options = parser.parse_args()
    prepare()
    statements = Statements()
    rows = {}
    for length in options.lengths:
        rows[length] = measure(length, max(1, options.goals * options.lengths[0] // length), statements)
    names = list(next(iter(rows.values())))
    print(f"{'':28}" + "".join(f"{length:>12}" for length in rows))
    for name in names:
        print(f"{name:28}" + "".join(f"{row[name]:12.2f}" for row in rows.values()))
    first, last = rows[options.lengths[0]], rows[options.lengths[-1]]
    ratio = last["cpu ms/checkpoint"] / first["cpu ms/checkpoint"]
    print(f"cpu per checkpoint at {options.lengths[-1]} over that at {options.lengths[0]}: {ratio:.3f}")
    for text, count in sorted(statements.texts.items(), key=lambda item: -item[1])[:25]:
        print(f"{count:7} {text}")


if __name__ == "__main__":
    main()
