"""`manage.py prune --older 90d`: replace what calls of goals that ended long ago said by its digest."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.utils import timezone

from artifacts.copying import BeingCopied
from goals import retention
from goals.exceptions import InvalidInput
from goals.management import printing
from goals.management.base import GoalsiteCommand
from goals.management.selecting import age
from goals.models.goal import ENDED

MOST = 10_000
HEADS = ("TABLE", "ROWS", "BYTES BEFORE", "BYTES AFTER", "ON DISK BEFORE", "ON DISK AFTER")


class Command(GoalsiteCommand):
    help = (
        "Replace what model calls and tool calls of goals that ended long ago said by its digest, in batches; delete "
        "blobs that no row names, and deliveries that are over."
    )

    def add_arguments(self, parser: Any) -> None:
        older = "ended longer ago: 12h, 90d, 52w; completed=30d for those alone (several: again)"
        parser.add_argument("--older", metavar="[STATE=]AGE", required=True, action="append", help=older)
        parser.add_argument("--state", action="append", choices=ENDED, help="only goals that ended so (several: again)")
        parser.add_argument("--batch", type=int, default=retention.BATCH, metavar="N", help="rows of one transaction")
        parser.add_argument("--dry-run", action="store_true", help="count, and change nothing")
        parser.add_argument("--json", action="store_true", dest="as_json", help="one JSON object a table")

    def handle(self, **options: Any) -> None:
        if not 1 <= options["batch"] <= MOST:
            raise InvalidInput({"--batch": f"must be from 1 to {MOST}"})
        policy = _policy(options["older"], options["state"])
        sizes = retention.sizes()
        done = self._done(policy, dry_run=options["dry_run"], batch=options["batch"])
        if not options["dry_run"]:
            retention.reclaim()
        self._tell(done, sizes, retention.sizes(), options)

    def _done(self, policy: dict[timedelta, list[str]], **how: Any) -> list[retention.Pruned]:
        """Do it, and return what became of each table."""
        now = timezone.now()
        found: dict[str, retention.Pruned] = {}
        for older, states in policy.items():
            for one in _latest(retention.prune(now - older, states, **how)):
                found[one.table] = found.get(one.table, retention.Pruned(one.table)) + one
        rest = [*self._blobs(**how)]
        if {state for states in policy.values() for state in states} == set(ENDED):
            rest += _latest(retention.deliveries(now - max(policy), **how))
        return [*found.values(), *rest]

    def _blobs(self, **how: Any) -> Iterable[retention.Pruned]:
        try:
            return _latest(retention.blobs(**how))
        except BeingCopied:
            self.stderr.write("a backup is being made: no blob was deleted; prune again when it is done")
            return [retention.Pruned(retention.BLOBS)]

    def _tell(
        self, done: list[retention.Pruned], before: dict[str, int], after: dict[str, int], options: dict[str, Any]
    ) -> None:
        printing.use_utf8(as_json=options["as_json"])
        rows = [(one.table, one.rows, one.before, one.after, before[one.table], after[one.table]) for one in done]
        if options["as_json"]:
            names = [head.lower().replace(" ", "_") for head in HEADS]
            shown = [{**dict(zip(names, row, strict=True)), "dry_run": options["dry_run"]} for row in rows]
            printing.json_lines(self.stdout, shown)
            return
        printing.table(self.stdout, HEADS, [(name, *(f"{figure:,}" for figure in row)) for name, *row in rows])
        if options["dry_run"]:
            self.stdout.write("nothing was changed")


def _latest(steps: Iterable[retention.Pruned]) -> Iterable[retention.Pruned]:
    """Return how far each table came in the end."""
    return {step.table: step for step in steps}.values()


def _policy(given: list[str], states: list[str] | None) -> dict[timedelta, list[str]]:
    """Return which goals' calls are taken, by the age from which they are; raises InvalidInput."""
    ages: dict[str, timedelta] = {}
    for text in given:
        state, named, rest = text.rpartition("=")
        if named and state not in ENDED:
            raise InvalidInput({"--older": f"{state[:40]!a} is none of {', '.join(ENDED)}"})
        if state in ages:
            raise InvalidInput({"--older": f"was given twice for {state or 'all states'}"})
        ages[state] = age("--older", rest) or timedelta(0)
    everything = ages.pop("", None)
    if states and ages:
        raise InvalidInput({"--state": "name states here or as STATE=AGE, not both"})
    if everything is not None:
        ages = {**dict.fromkeys(states or ENDED, everything), **ages}
    policy: dict[timedelta, list[str]] = {}
    for state, older in ages.items():
        policy.setdefault(older, []).append(state)
    return policy
