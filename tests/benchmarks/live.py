"""How soon a change is seen: `python -m tests.benchmarks.live [--sockets 1000] [--seconds 10] [--rate 200]`.

Starts `manage.py up` on a fresh data folder. Prints, from the commit of an event: to the frame on each of many sockets
of one web process (with its memory and CPU), and to what a browser shows, idle and under a load of events. Then what a
page weighs over the wire, and how soon it can be used. Without chromium the browser's part is left out.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.benchmarks.site import free_port, processes_of, pss

WATCH = """() => {
  window.shown = [];
  const look = () => {
    const found = [...document.querySelectorAll('#panel .steered li')].map((li) => li.textContent.match(/^n-(\\d+)$/));
    const last = Math.max(-1, ...found.map((match) => (match ? Number(match[1]) : -1)));
    if (last > (window.shown.at(-1)?.[0] ?? -1)) window.shown.push([last, Date.now()]);
  };
  new MutationObserver(look).observe(document.getElementById('panel'), { childList: true, subtree: true });
}"""


class Writer:
    """Writes events, and when each was committed."""

    def __init__(self, owner: Any) -> None:
        from goals import services

        self.owner, self.steer = owner, services.steer
        self.commits: dict[str, float] = {}

    def write(self, goal: Any, text: str) -> float:
        seq = self.steer(self.owner, goal.pk, text).seq
        now = self.commits[f"{goal.pk} {seq}"] = time.time()
        return now

    def load(self, goals: list[Any], rate: float, seconds: float) -> float:
        """Write at a rate, on a thread for each goal; returns the rate that was kept."""
        from django.db import connection

        before = len(self.commits)

        def run(goal: Any) -> None:
            began = time.monotonic()
            for number in range(int(rate / len(goals) * seconds)):
                time.sleep(max(0.0, began + number * len(goals) / rate - time.monotonic()))
                self.write(goal, "load")
            connection.close()

        threads = [threading.Thread(target=run, args=(goal,)) for goal in goals]
        began = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return (len(self.commits) - before) / (time.monotonic() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sockets", type=int, default=1000)
    parser.add_argument("--conversations", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rate", type=float, default=200)
    options = parser.parse_args()
    with site() as (port, web):
        cookie, writer, conversations, goals = prepare(options.conversations)
        sockets(port, web, cookie, writer, conversations, goals, options)
        if chromium := shutil.which("chromium"):
            browser(port, chromium, cookie, writer, conversations[0], goals[0], options)


@contextmanager
def site() -> Iterator[tuple[int, int]]:
    """A running site, and Django set up on its database; gives its port and its web process."""
    folder, port = Path(tempfile.mkdtemp(prefix="goalsite-live-")), free_port()
    os.environ.update({"GOALSITE_DATA_DIR": str(folder / "data"), "DJANGO_SETTINGS_MODULE": "goalsite.settings"})
    os.environ.pop("DATABASE_URL", None)
    arguments = [sys.executable, "manage.py", "up", "--port", str(port), "--workers", "1"]
    running = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    try:
        while running.stdout.readline().strip() != "READY":
            assert running.poll() is None, "the site did not start"
        import django

        django.setup()
        (web,) = [
            pid for pid in processes_of(running.pid) if b"goalsite.asgi" in Path(f"/proc/{pid}/cmdline").read_bytes()
        ]
        yield port, web
    finally:
        from django.db import connections

        connections.close_all()
        running.send_signal(signal.SIGTERM)
        running.wait(60)
        shutil.rmtree(folder, ignore_errors=True)


def prepare(number: int) -> tuple[str, Writer, list[Any], list[Any]]:
    """A person who is signed in, with paused goals, each in a conversation of its own."""
    from django.contrib.auth import get_user_model
    from django.test import Client

    from goals.chat import conversations

    owner = get_user_model().objects.create_user("bench")
    client = Client()
    client.force_login(owner)
    talks = [conversations.start(owner, title=f"Talk {n}") for n in range(number)]
    goals = [resting_goal(owner, talk) for talk in talks]
    return client.cookies["sessionid"].value, Writer(owner), talks, goals


def resting_goal(owner: Any, talk: Any) -> Any:
    """A goal that no worker sees but paused."""
    from django.db import transaction

    from goals import services

    with transaction.atomic():
        return services.pause(owner, services.submit(owner=owner, objective="Write", conversation=talk).pk)


def sockets(port: int, web: int, cookie: str, writer: Writer, talks: list, goals: list, options: Any) -> None:
    """Delivery to many sockets, one change a tenth of a second and then under load."""
    alone = pss([web])
    arguments = [str(port), cookie, str(options.sockets), *(str(talk.pk) for talk in talks)]
    command = [sys.executable, "-m", "tests.benchmarks.live_clients", *arguments]
    clients = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    began = time.monotonic()
    assert clients.stdout.readline().strip() == "READY"
    print(f"{options.sockets} sockets opened in {time.monotonic() - began:.1f} s")
    idle = cpu(web)
    time.sleep(5)
    idle = (cpu(web) - idle) / 5
    with_all = pss([web])
    print(f"web process: {alone:.0f} MB alone, {with_all:.0f} MB with them; idle {idle:.1%} of a core")
    for number in range(100):
        writer.write(goals[number % len(goals)], "calm")
        time.sleep(0.1)
    calm = set(writer.commits)
    busy, began = cpu(web), time.monotonic()
    kept = writer.load(goals[:8], options.rate, options.seconds)
    busy = (cpu(web) - busy) / (time.monotonic() - began)
    time.sleep(3)
    told = json.loads(clients.communicate("\n", timeout=60)[0])
    each = options.sockets // len(talks)
    for name, wanted in (("one at a time", calm), (f"at {kept:.0f} events a second", writer.commits.keys() - calm)):
        late = [at - writer.commits[key] for key in wanted for at in told.get(key, [])]
        missed = sum(each - len(told.get(key, [])) for key in wanted)
        print(
            f"commit to frame, {each} sockets a change, {name}: {spread(late)}; {missed} of {each * len(wanted)} missed"
        )
    print(f"web process under that load: {busy:.0%} of a core, {pss([web]):.0f} MB")


def browser(port: int, chromium: str, cookie: str, writer: Writer, talk: Any, goal: Any, options: Any) -> None:
    """What a person sees."""
    from playwright.sync_api import sync_playwright

    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    address = f"http://127.0.0.1:{port}"
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
        opened = playwright.chromium.launch(executable_path=chromium, args=arguments)
        context = opened.new_context(base_url=address)
        context.add_cookies([{"name": "sessionid", "value": cookie, "url": address}])
        page = context.new_page()
        weigh(context, page, f"/c/{talk.pk}/", "first visit")
        weigh(context, page, f"/c/{talk.pk}/", "second visit")
        page.locator("#app[data-live=up]").wait_for()
        page.evaluate(WATCH)
        print(f"commit to shown, one at a time: {spread(shown(page, writer, goal, 0, 40))}")
        loaded = others(writer, talk, 4)
        loading = threading.Thread(target=writer.load, args=(loaded, options.rate, options.seconds))
        loading.start()
        late = shown(page, writer, goal, 40, int(options.seconds * 4))
        loading.join()
        print(f"commit to shown, under {options.rate:.0f} events a second in its conversation: {spread(late)}")
        opened.close()


def others(writer: Writer, talk: Any, number: int) -> list[Any]:
    """More goals of a conversation, older than the one that the panel shows."""
    from goals.models import Goal

    made = [resting_goal(writer.owner, talk) for _ in range(number)]
    Goal.objects.filter(pk__in=[goal.pk for goal in made]).update(created_at="2020-01-01T00:00Z")
    return made


def shown(page: Any, writer: Writer, goal: Any, first: int, count: int) -> list[float]:
    """Write some, a fifth of a second apart; return how long after its commit each, or a later one, was on the page."""
    commits = {}
    for number in range(first, first + count):
        commits[number] = writer.write(goal, f"n-{number}")
        page.wait_for_timeout(200)
    page.wait_for_timeout(2000)
    seen = page.evaluate("window.shown")
    return [
        next((at / 1000 for last, at in seen if last >= number), float("inf")) - at for number, at in commits.items()
    ]


def weigh(context: Any, page: Any, path: str, what: str) -> None:
    """Print what comes over the wire for a page, and how soon it is painted and can be used."""
    devtools = context.new_cdp_session(page)
    devtools.send("Network.enable")
    sizes: list[int] = []
    devtools.on("Network.loadingFinished", lambda told: sizes.append(told["encodedDataLength"]))
    began = time.monotonic()
    page.goto(path)
    page.locator("#app[data-live=up]").wait_for()
    usable = time.monotonic() - began
    page.wait_for_timeout(1000)
    painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1")
    print(f"{what}: {sum(sizes) / 1024:.0f} KB in {len(sizes)} requests")
    print(f"{what}: painted after {painted:.0f} ms, usable after {usable * 1000:.0f} ms")
    devtools.detach()


def cpu(pid: int) -> float:
    """Seconds of CPU that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def spread(late: list[float]) -> str:
    found = sorted(late)
    at = lambda share: found[min(len(found) - 1, int(len(found) * share))] * 1000  # noqa: E731
    return f"p50 {at(0.5):.0f} ms, p99 {at(0.99):.0f} ms ({len(found)})" if found else "nothing came"


if __name__ == "__main__":
    main()
