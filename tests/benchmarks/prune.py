"""What pruning costs those who live: `python -m tests.benchmarks.prune [--goals 20000] [--seconds 20]`.

Fills a data folder, then times effects of living goals (the statement that writes an intent and the transaction that
records its outcome, without any call between them) alone, and beside `manage.py prune` in a process of its own. Prints
the rows and bytes that are pruned in a second, and for effects the median and the 99th percentile of both times.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.benchmarks.console import prepared


def effects(until: Callable[[], bool]) -> list[float]:
    """Write effects one after the other until told to stop; returns what each took, in milliseconds."""
    from django.contrib.auth.models import User
    from django.db import connection

    from goals import lease, services
    from goals.effects import journal
    from goals.models import ToolCall
    from goals.states import EffectClass, EffectStatus, Resource
    from goals.transitions import writing

    owner = User.objects.get(username="operator")
    goal = services.submit(owner=owner, objective="Live beside a pruning")
    (held,) = lease.claim(1, [goal.pk])
    took, number = [], 0
    while not until():
        number += 1
        about = {"tool": "read_file", "effect_class": EffectClass.PURE, "request": {"n": number}}
        row = ToolCall(goal=goal, scope=f"{goal.pk}:{number}", **about)
        began = time.perf_counter()
        intent = journal.intend(goal, held.epoch, row, {Resource.SECONDS: Decimal(1)})
        with writing(goal.pk, epoch=held.epoch) as writer:
            outcome = journal.Outcome(EffectStatus.SUCCEEDED, seconds=0.001, response={"value": "x" * 400})
            journal.record(writer, intent.row, outcome)
        took.append(1000 * (time.perf_counter() - began))
        time.sleep(0.002)
    connection.close()
    return took


def tell(name: str, took: list[float]) -> None:
    ordered = sorted(took)
    last = ordered[int(0.99 * (len(ordered) - 1))]
    print(
        f"effects {name}: median {statistics.median(took):.1f} ms, 99th percentile {last:.1f} ms, {len(took)} of them"
    )


def pruned(batch: int) -> tuple[list[float], str, float]:
    """Prune everything in a process of its own; returns what effects took meanwhile, what it said, and seconds."""
    command = [sys.executable, "manage.py", "prune", "--older", "0s", "--json", "--batch", str(batch)]
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    took = effects(lambda: process.poll() is not None)
    seconds = time.monotonic() - began
    return took, process.stdout.read(), seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--goals", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--batch", type=int, default=500)
    parser.add_argument("--data", type=Path, help="a data folder of its own, filled already perhaps")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="goalsite-bench-", dir="/tmp") as scratch:
        folder = options.data or Path(scratch) / "data"
        with prepared(folder, options.goals):
            give_up = time.monotonic() + options.seconds
            tell("alone", effects(lambda: time.monotonic() > give_up))
            took, said, seconds = pruned(options.batch)
            tell("beside prune", took)
            tables: list[dict[str, Any]] = [json.loads(line) for line in said.splitlines()]
            rows = sum(table["rows"] for table in tables)
            size = sum(table["bytes_before"] - table["bytes_after"] for table in tables)
            print(f"pruned {rows:,} rows, {size / 1e6:.0f} MB of words in {seconds:.1f} s, its start and VACUUM among "
                  f"them: {rows / seconds:,.0f} rows a second")  # fmt: skip


if __name__ == "__main__":
    main()
