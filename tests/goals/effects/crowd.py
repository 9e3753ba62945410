"""One process of a crowd: threads that intend effects on one goal as fast as they can.

python -m tests.goals.effects.crowd '{"goal": ID, "epoch": 1, "name": "0", "threads": 10, "each": 50, …}'
"""

import json
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import django

django.setup()

from django.db import connection  # noqa: E402

from goals.effects import journal  # noqa: E402
from goals.effects.journal import Outcome  # noqa: E402
from goals.exceptions import BudgetExceeded  # noqa: E402
from goals.models import Goal  # noqa: E402
from goals.states import EffectStatus, Resource  # noqa: E402
from goals.transitions import writing  # noqa: E402
from tests.goals.effects.work import model_row  # noqa: E402

AMOUNTS = {Resource.MODEL_CALLS: Decimal(1), Resource.TOKENS: Decimal(10)}
DONE = Outcome(EffectStatus.SUCCEEDED, {}, used={Resource.MODEL_CALLS: Decimal(1), Resource.TOKENS: Decimal(7)})


def intend(told: dict[str, Any], thread: int) -> Counter[str]:
    """One thread's part; counts what was granted, and what was refused by its resource."""
    goal, epoch, found = Goal.objects.get(pk=told["goal"]), told["epoch"], Counter[str]()
    try:
        for number in range(told["each"]):
            row = model_row(goal, f"{told['name']}-{thread}-{number}")
            try:
                intent = journal.intend(goal, epoch, row, AMOUNTS)
            except BudgetExceeded as error:
                found[error.resource] += 1
                continue
            found["granted"] += 1
            if told["settle"]:
                with writing(goal.pk, epoch=epoch) as writer:
                    journal.record(writer, intent.row, DONE)
    finally:
        connection.close()
    return found


def main() -> None:
    told = json.loads(sys.argv[1])
    with ThreadPoolExecutor(told["threads"]) as pool:
        counts = pool.map(lambda thread: intend(told, thread), range(told["threads"]))
        print(json.dumps(sum(counts, Counter())))


if __name__ == "__main__":
    main()
