"""The parent of the running site: web server, workers and rehearsal model, over the embedded Postgres.

`manage.py up` prepares the site and then becomes this process (by `exec`, so that Django's memory is given back); it
imports the standard library only. A child that dies, with whatever exit code, or falls silent, has its whole process
group ended and is started again after a growing pause. SIGINT or SIGTERM stops the site in order: web, workers, model,
database; a second one hurries.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

from goalsite import embedded, locks, places
from goalsite.children import Child
from goalsite.site_errors import PostgresError

LOOK_EVERY = 0.2
LONGEST_SILENCE = 60.0
DATABASE_GRACE = 20.0
READY_WITHIN = 90.0


class Supervisor:
    """Keeps the children running until it is told to stop. `signals` counts how often."""

    def __init__(self, children: list[Child], data_dir: Path | None) -> None:
        self.children = children
        self.data_dir = data_dir  # None: the database is not ours to run
        self.signals = 0

    def told(self, *_: object) -> None:
        """A signal came."""
        self.signals += 1
        if self.signals == 2:
            say("Hurrying.")

    def run(self, announcement: str) -> int:
        """Start all, announce the site once it answers, keep it running, stop it in order. Returns the exit code."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.told)
        for child in self.children:
            child.start()
        give_up_at = time.monotonic() + READY_WITHIN
        announced = False
        while not self.signals:
            self.look_after_database()
            self.look_after_children()
            if not announced and (announced := self.all_ready()):
                say(announcement)
                say("READY")
            if not announced and time.monotonic() > give_up_at:
                late = ", ".join(child.name for child in self.children if not child.is_ready())
                complain(f"Not ready within {READY_WITHIN:.0f} s: {late}; the lines above say why.")
                self.stop()
                return 1
            time.sleep(LOOK_EVERY)
        self.stop()
        return 0

    def all_ready(self) -> bool:
        """Whether every child does its work."""
        return all(child.is_ready() for child in self.children)

    def look_after_children(self) -> None:
        """Start dead children again, and end those that fell silent."""
        for child in self.children:
            if child.process is None:
                if time.monotonic() >= child.start_again_at:
                    child.start()
            elif not child.is_alive:
                code = child.process.returncode
                pause = child.bury()
                say(f"{child.name} died (exit {code}); starting it again in {pause:.1f} s.")
            elif child.is_silent(LONGEST_SILENCE):
                say(f"{child.name} is silent; ending it.")
                child.kill_group()

    def look_after_database(self) -> None:
        """Start the embedded Postgres again when its keeper is gone."""
        if self.data_dir is None or locks.is_taken(places.keeper_lock(self.data_dir)):
            return
        say("The database's keeper died; starting it again.")
        try:
            embedded.ensure_running(self.data_dir)
        except PostgresError as error:
            complain(str(error))
            time.sleep(1)

    def stop(self) -> None:
        """End the children in the order in which they are listed."""
        say("Stopping.")
        for child in self.children:
            child.ask_to_stop()
            deadline = time.monotonic() + child.grace
            while child.is_alive and time.monotonic() < deadline and self.signals < 2:
                time.sleep(0.02)
            if child.is_alive and self.signals < 2:
                say(f"{child.name} did not stop within {child.grace:.0f} s; ending it.")
            child.kill_group()


def release_database(data_dir: Path, handle: int) -> None:
    """Let the embedded Postgres go and wait until it has stopped, unless somebody else uses it."""
    locks.release(handle)
    deadline = time.monotonic() + DATABASE_GRACE
    while locks.is_taken(places.keeper_lock(data_dir)) and time.monotonic() < deadline:
        time.sleep(0.05)
        if time.monotonic() > deadline - DATABASE_GRACE + 2 and not locks.is_taken(places.users_lock(data_dir)):
            return say("The database stays up: another command uses it.")
    return None


def say(line: str) -> None:
    """A line for the operator."""
    print(line, flush=True)


def complain(line: str) -> None:
    """A line about something that is wrong."""
    print(line, file=sys.stderr, flush=True)


def main(plan: dict) -> int:
    """Run the site as planned by `manage.py up`."""
    for handle in plan["locks"].values():
        locks.adopt(handle)
    embedded_in = Path(plan["data_dir"]) if "users" in plan["locks"] else None
    supervisor = Supervisor([Child(**child) for child in plan["children"]], embedded_in)
    code = supervisor.run(plan["announcement"])
    if embedded_in is not None:
        release_database(embedded_in, plan["locks"]["users"])
    say("Stopped.")
    return code


if __name__ == "__main__":
    with os.fdopen(int(sys.argv[1])) as planned:  # a pipe: the plan holds the login link, which `ps` must not show
        written = json.load(planned)
    sys.exit(main(written))
