"""How fast the console and the API are over a full database: `python -m tests.benchmarks.console [--goals 100000]`.

Fills a data folder (`tests.benchmarks.full`: for 100,000 goals a few minutes and 4 GB; `--data` keeps it for the next
time) and asks this process for every list of the admin at its first, middle and last page, for pages of goals, and for
every list of the API, as an operator and as the person with most goals. Prints for each how many statements it took,
the median and the worst time, how much of it this process computed and awaited statements (a busy machine adds to the
rest), and the ratio of the median to the aim: 300 ms for a page, 50 ms for the API.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PAGE, API = 300.0, 50.0
SLOW = 20.0  # ms; statements above it are told with --explain


@dataclass
class Asked:
    """One address and what asking for it took: statements, and milliseconds at each asking."""

    name: str
    url: str
    aim: float
    code: int = 0
    statements: set[int] = field(default_factory=set)
    took: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    database: list[float] = field(default_factory=list)
    slow: dict[str, float] = field(default_factory=dict)

    @property
    def ratio(self) -> float:
        return statistics.median(self.took) / self.aim


@contextmanager
def prepared(folder: Path, goals: int) -> Iterator[None]:
    """The site's settings on the data folder's own database, filled when it is empty."""
    from tests import session

    for name in session.FOREIGN:
        os.environ.pop(name, None)
    os.environ["GOALSITE_DATA_DIR"] = str(folder)
    os.environ["DJANGO_SETTINGS_MODULE"] = "goalsite.settings"
    from goalsite import embedded

    with embedded.database_in_use(folder):
        import django

        django.setup()
        from django.core.management import call_command

        from goals.models import Goal

        call_command("migrate", verbosity=0)
        if not Goal.objects.exists():
            _fill(goals)
        yield


def _fill(goals: int) -> None:
    from django.contrib.auth.models import User
    from django.core.management import call_command

    from tests.benchmarks.full import HEAVY, fill
    from tests.goals.big_goal import big_goal

    call_command("load_sops", verbosity=0)
    User.objects.create_superuser("operator", password="!")
    fill(goals)
    big_goal(User.objects.get(username=HEAVY))


def pages_of_the_admin() -> Iterator[Asked]:
    """Every list at three places, and the page of one row of each."""
    from django.contrib import admin
    from django.urls import reverse

    from goals.admin.paging import MOST_COUNTED, BoundedPaginator

    yield Asked("admin: first page", reverse("admin:index"), PAGE)
    for model, shown in sorted(admin.site._registry.items(), key=lambda item: item[0]._meta.label):
        names = model._meta.app_label, model._meta.model_name
        url = reverse("admin:{}_{}_changelist".format(*names))
        title = f"admin: {model._meta.verbose_name_plural}"
        count = model.objects.count()
        counted = min(count, MOST_COUNTED) if issubclass(shown.paginator, BoundedPaginator) else count
        last = max(1, -(-counted // shown.list_per_page))
        yield Asked(f"{title} ({count:,})", url, PAGE)
        if last > 2:
            yield Asked(f"{title}, middle", f"{url}?p={last // 2}", PAGE)
            yield Asked(f"{title}, last", f"{url}?p={last}", PAGE)
        row = model.objects.order_by().first()
        if row is not None:
            yield Asked(f"{title}, one", reverse("admin:{}_{}_change".format(*names), args=[row.pk]), PAGE)


def chosen_pages_of_the_admin() -> Iterator[Asked]:
    """What people narrow the great lists to."""
    from django.contrib.auth.models import User
    from django.urls import reverse

    from tests.benchmarks.full import HEAVY

    heavy, light = (User.objects.get(username=name).pk for name in (HEAVY, "person7"))
    goals, events = reverse("admin:goals_goal_changelist"), reverse("admin:goals_event_changelist")
    calls = reverse("admin:goals_modelcall_changelist")
    for told, query in {
        "paused": "status__exact=paused",
        "completed": "status__exact=completed",
        "of one person of many goals": f"owner__id__exact={heavy}",
        "of one person of few goals": f"owner__id__exact={light}",
        "found by a frequent word": "q=archive",
        "found by a rare word": "q=missing+nowhere",
        "by an order that nobody offers": "o=-4",
    }.items():
        yield Asked(f"admin: goals, {told}", f"{goals}?{query}", PAGE)
    yield Asked("admin: events of a kind", f"{events}?kind__exact=verifier.ran", PAGE)
    yield Asked("admin: events of a kind that never was", f"{events}?kind__exact=goal.rearmed", PAGE)
    yield Asked("admin: model calls that failed", f"{calls}?status__exact=failed", PAGE)


def pages_of_goals() -> Iterator[Asked]:
    """The page and the admin's page of an ordinary goal and of a large one, and where a person begins."""
    from django.urls import reverse

    from goals.models import Goal

    yield Asked("page: home", reverse("chat"), PAGE)
    yield Asked("page: conversations", reverse("conversation_list"), PAGE)
    yield Asked("page: conversations with a word", reverse("conversation_list") + "?q=archive", PAGE)
    yield Asked("page: what waits", reverse("tray"), PAGE)
    plain = Goal.objects.filter(status="completed").order_by("created_at")[10]
    for told, goal in {"a goal": plain, "a large goal": Goal.objects.order_by("-seq")[0]}.items():
        yield Asked(f"admin: {told}", reverse("admin:goals_goal_change", args=[goal.pk]), PAGE)
        for name in ("goal_page", "goal_graph_data", "goal_timeline", "goal_moments", "goal_events", "goal_artifacts"):
            yield Asked(f"page: {told}, {name[5:]}", reverse(name, args=[goal.pk]), PAGE)
    yield Asked("metrics", "/metrics", PAGE)
    yield Asked("readyz", "/readyz", PAGE)


def lists_of_the_api() -> Iterator[Asked]:
    """Lists at their first, middle and last page, and the history of the large goal from three places."""
    from goals.models import Conversation, Goal, ModelCall, Question
    from tests.benchmarks.full import HEAVY

    large = Goal.objects.order_by("-seq")[0]
    mine = {"owner__username": HEAVY}
    calls = ModelCall.objects.filter(goal=large)
    yield from _paged("goals", "/api/goals/", Goal.objects.filter(**mine), "created_at")
    yield from _paged(
        "questions", "/api/questions/", Question.objects.filter(goal__owner__username=HEAVY), "created_at"
    )
    yield from _paged("conversations", "/api/conversations/", Conversation.objects.filter(**mine), "updated_at")
    yield from _paged("calls of a large goal", f"/api/goals/{large.pk}/model-calls/", calls, "created_at")
    for told, query in {
        "paused": "status=paused",
        "completed": "status=completed",
        "with a frequent word": "q=archive",
        "with a rare word": "q=nowhere",
    }.items():
        yield Asked(f"api: goals, {told}", f"/api/goals/?{query}", API)
    yield Asked("api: questions, open", "/api/questions/?status=open", API)
    for told, seq in {"first": 0, "middle": large.seq // 2, "last": large.seq - 200}.items():
        yield Asked(f"api: events, {told}", f"/api/goals/{large.pk}/events/?after={seq}&limit=200", API)
    yield Asked("api: a large goal", f"/api/goals/{large.pk}/", API)
    for part in ("tree", "tool-calls", "verifications", "artifacts", "questions", "limits"):
        yield Asked(f"api: a large goal, {part}", f"/api/goals/{large.pk}/{part}/", API)


def _paged(name: str, url: str, rows: Any, column: str) -> Iterator[Asked]:
    """The first page, and those that begin in the middle and near the end."""
    from goals.api.cursors import Order, cursor_of

    order = Order(f"-{column}", (column, "id"))
    count = rows.count()
    yield Asked(f"api: {name} ({count:,})", f"{url}?page_size=50", API)
    for told, place in {"middle": count // 2, "last": max(0, count - 51)}.items():
        row = order.sort(rows)[place]
        cursor = cursor_of(url, order, row, backwards=False)
        yield Asked(f"api: {name}, {told}", f"{url}?page_size=50&cursor={cursor}", API)


def ask(client: Any, asked: Asked, runs: int) -> None:
    """Ask once to warm up, then `runs` times."""
    from django.db import connection

    def counted(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        began = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            took = 1000 * (time.perf_counter() - began)
            statements.append(took)
            if took > SLOW:
                asked.slow[sql] = max(took, asked.slow.get(sql, 0.0))

    for run in range(runs + 1):
        statements: list[float] = []
        began, processor = time.perf_counter(), time.process_time()
        with connection.execute_wrapper(counted):
            answer = client.get(asked.url, headers={"accept-encoding": "gzip"})
            for _ in answer.streaming_content if answer.streaming else ():
                pass
        took = 1000 * (time.perf_counter() - began)
        if run:
            asked.took.append(took)
            asked.processor.append(1000 * (time.process_time() - processor))
            asked.database.append(sum(statements))
            asked.statements.add(len(statements))
        if took > 5000:  # nothing is learnt from waiting for it again
            asked.took, asked.database = asked.took or [took], asked.database or [sum(statements)]
            break
    asked.code = answer.status_code


def measure(runs: int, only: str, explain: bool) -> list[Asked]:
    """Ask for everything, pages as an operator and lists of the API as the person of most goals, too."""
    from django.contrib.auth.models import User
    from django.test import Client

    from tests.benchmarks.full import HEAVY

    operator, heavy = Client(SERVER_NAME="localhost"), Client(SERVER_NAME="localhost")
    operator.force_login(User.objects.get(username="operator"))
    heavy.force_login(User.objects.get(username=HEAVY))
    everything = [
        *((operator, one) for one in pages_of_the_admin()),
        *((operator, one) for one in chosen_pages_of_the_admin()),
        *((operator, one) for one in pages_of_goals()),
        *((heavy, one) for one in lists_of_the_api()),
        *((operator, Asked(f"{one.name} (operator)", one.url, one.aim)) for one in lists_of_the_api()),
    ]
    operator.get("/")  # the process's first answer loads every face
    done = []
    print(f"{'':58}{'code':>5}{'statements':>12}{'median':>9}{'worst':>8}{'own':>7}{'sql':>7}{'ratio':>8}")
    for client, one in everything:
        if only not in one.name:
            continue
        ask(client, one, runs)
        tell(one, explain)
        done.append(one)
    return done


def tell(one: Asked, explain: bool) -> None:
    statements = "-".join(map(str, sorted({min(one.statements, default=0), max(one.statements, default=0)})))
    own, sql = (statistics.median(taken or [0.0]) for taken in (one.processor, one.database))
    print(
        f"{one.name[:58]:58}{one.code:>5}{statements:>12}{statistics.median(one.took):>9.0f}{max(one.took):>8.0f}"
        f"{own:>7.0f}{sql:>7.0f}{one.ratio:>8.2f}{'  <<<' if one.ratio > 1 or one.code != 200 else ''}",
        flush=True,
    )
    if explain:
        for text, took in one.slow.items():
            print(f"      {took:.0f} ms: {' '.join(text.split())[:4000]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--goals", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--data", type=Path, help="a data folder to keep")
    parser.add_argument("--only", default="", help="what the name of a page must contain")
    parser.add_argument("--explain", action="store_true", help="tell the slow statements")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="goalsite-bench-", dir="/tmp") as scratch:
        folder = options.data or Path(scratch) / "data"
        with prepared(folder, options.goals):
            done = measure(options.runs, options.only, options.explain)
        late = [one for one in done if one.ratio > 1]
        print(f"{len(done) - len(late)} of {len(done)} within their aims")


if __name__ == "__main__":
    main()
