"""`manage.py prune --older 90d`: replace what calls of goals that ended long ago said by its digest."""

from typing import Any

from django.utils import timezone

from goals import retention
from goals.exceptions import InvalidInput
from goals.management import printing
from goals.management.base import GoalsiteCommand
from goals.management.selecting import age
from goals.models.goal import ENDED

MOST = 10_000
HEADS = ("TABLE", "ROWS", "BYTES BEFORE", "BYTES AFTER", "ON DISK BEFORE", "ON DISK AFTER")


class Command(GoalsiteCommand):
    help = "Replace what model calls and tool calls of goals that ended long ago said by its digest, in batches."

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("--older", metavar="AGE", required=True, help="ended longer ago: 12h, 90d, 52w")
        parser.add_argument("--state", action="append", choices=ENDED, help="only goals that ended so (several: again)")
        parser.add_argument("--batch", type=int, default=retention.BATCH, metavar="N", help="rows of one transaction")
        parser.add_argument("--dry-run", action="store_true", help="count, and change nothing")
        parser.add_argument("--json", action="store_true", dest="as_json", help="one JSON object a table")

    def handle(self, **options: Any) -> None:
        if not 1 <= options["batch"] <= MOST:
            raise InvalidInput({"--batch": f"must be from 1 to {MOST}"})
        before = timezone.now() - age("--older", options["older"])
        sizes = retention.table_sizes()
        states = options["state"] or list(ENDED)
        done: dict[str, retention.Pruned] = {}
        for so_far in retention.prune(before, states, dry_run=options["dry_run"], batch=options["batch"]):
            done[so_far.table] = so_far
        if not options["dry_run"]:
            retention.reclaim()
        self._tell(list(done.values()), sizes, retention.table_sizes(), options)

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
