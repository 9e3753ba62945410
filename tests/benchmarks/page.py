"""The page of a large goal in a browser: `python -m tests.benchmarks.page [--subgoals 500] [--events 10000]`.

Starts a whole site on a fresh data folder, writes such a goal as rows, and opens each tab in Debian's Chromium. Prints
how long it takes from asking for the page to its content being painted (median and worst), the longest task of the
page's script meanwhile and while it is scrolled from top to bottom, the frames of that, and what went over the wire.
"""

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.benchmarks.site import free_port

PASSWORD = "a-long-enough-password"
TABS = {
    "": "#graph[data-ready]",
    "timeline/": "#moments[data-ready]",
    "events/": "#events .event",
    "artifacts/": "#things",
}
# Notes the moment at which the wanted element is there and painted, and every task of 50 ms and more.
WATCH = """(selector) => {
  window.tasks = [];
  new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((one) => one.duration)))
    .observe({ type: "longtask", buffered: true });
  const look = () => document.querySelector(selector)
    ? requestAnimationFrame(() => setTimeout(() => (window.painted = performance.now())))
    : requestAnimationFrame(look);
  look();
}"""
PAINTED = """() => new Promise((done) => {
  const look = () => (window.painted ? done(window.painted) : setTimeout(look, 20));
  look();
})"""
SCROLL = """async () => {
  const view = document.getElementById("view");
  const frames = [];
  window.tasks.length = 0;
  let last = performance.now();
  const steps = 180;
  for (let step = 0; step <= steps; step += 1) {
    view.scrollTop = ((view.scrollHeight - view.clientHeight) * step) / steps;
    const now = await new Promise(requestAnimationFrame);
    frames.push(now - last);
    last = now;
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
  return { frames: frames.slice(1), tasks: window.tasks, height: view.scrollHeight };
}"""
WEIGHT = """() => performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))
  .reduce((sum, one) => sum + one.transferSize, 0)"""


def inside(subgoals: int, events: int) -> None:
    """In a process with the site's settings: write the goal, print its id."""
    import django

    django.setup()
    from django.contrib.auth import get_user_model

    from tests.goals.big_goal import big_goal

    owner = get_user_model().objects.create_user("ada", password=PASSWORD)
    print(big_goal(owner, subgoals=subgoals, events=events).pk)


def open_tab(page: Page, address: str, selector: str) -> dict[str, Any]:
    """Open a page; return when it was painted (ms), its longest task (ms) and its weight (bytes)."""
    page.add_init_script(f"({WATCH})({json.dumps(selector)})")
    page.goto(address, wait_until="commit")
    painted = page.evaluate(PAINTED)
    page.wait_for_timeout(300)
    longest = page.evaluate("Math.max(0, ...window.tasks)")
    return {"painted": painted, "longest": longest, "weight": page.evaluate(WEIGHT)}


def measure(url: str, goal: str, runs: int) -> None:
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=arguments)
        context = browser.new_context(base_url=url, viewport={"width": 1440, "height": 900})
        page = context.new_page()
        page.goto("/login/")
        page.get_by_label("Name").fill("ada")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url("**/")
        state = context.storage_state()
        for tab, selector in TABS.items():
            found = []
            for _ in range(runs):
                fresh = browser.new_context(base_url=url, viewport={"width": 1440, "height": 900}, storage_state=state)
                found.append(open_tab(fresh.new_page(), f"/g/{goal}/{tab}", selector))
                fresh.close()
            tell(tab or "graph", found)
        scrolled(context.new_page(), f"/g/{goal}/", "#graph[data-ready]", "graph, all unfolded", unfold=True)
        scrolled(context.new_page(), f"/g/{goal}/timeline/", "#moments[data-ready]", "timeline")
        scrolled(context.new_page(), f"/g/{goal}/events/", "#events .event", "events")
        browser.close()


def tell(name: str, found: list[dict[str, Any]]) -> None:
    painted = sorted(one["painted"] for one in found)
    longest = statistics.median(one["longest"] for one in found)
    weight = found[0]["weight"] / 1024
    print(f"{name.strip('/')}: painted after {statistics.median(painted):.0f} ms (worst {painted[-1]:.0f}), "
          f"longest task {longest:.0f} ms, {weight:.0f} KB over the wire")  # fmt: skip


def scrolled(page: Page, address: str, selector: str, name: str, *, unfold: bool = False) -> None:
    open_tab(page, address, selector)
    if unfold:
        page.evaluate("window.tasks.length = 0")
        page.get_by_role("button", name="Unfold all").click()
        page.wait_for_timeout(300)
        print(f"unfolding all of it: longest task {page.evaluate('Math.max(0, ...window.tasks)'):.0f} ms")
    found = page.evaluate(SCROLL)
    frames = sorted(found["frames"])
    print(f"scrolling {name}, {found['height']} px: frames p50 {statistics.median(frames):.0f} ms, "
          f"p95 {frames[int(len(frames) * 0.95)]:.0f} ms, worst {frames[-1]:.0f} ms; "
          f"longest task {max([0, *found['tasks']]):.0f} ms")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subgoals", type=int, default=500)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        inside(options.subgoals, options.events)
        return
    folder = Path(tempfile.mkdtemp(prefix="goalsite-page-"))
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "goalsite.settings",
        "GOALSITE_DATA_DIR": str(folder / "data"),
        "PYTHONPATH": os.getcwd(),
    }
    environment.pop("DATABASE_URL", None)
    port = free_port()
    site = subprocess.Popen(
        [sys.executable, "manage.py", "up", "--port", str(port), "--workers", "1"],
        env=environment, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        while site.stdout.readline().strip() != "READY":
            assert site.poll() is None, "the site did not start"
        wanted = ["--subgoals", str(options.subgoals), "--events", str(options.events)]
        command = [sys.executable, "-m", "tests.benchmarks.page", "--inside", *wanted]
        made = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
        print(f"a goal with {options.subgoals} subgoals and {options.events} events")
        measure(f"http://127.0.0.1:{port}", made.stdout.split()[-1], options.runs)
    finally:
        site.send_signal(signal.SIGTERM)
        site.wait(60)


if __name__ == "__main__":
    main()
