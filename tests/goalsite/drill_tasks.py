"""Tasks that leave marks in a file, for the tests of the queue."""

import os
import threading
import time
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.utils.module_loading import import_string

LOG = "GOALSITE_DRILL_LOG"


def mark(word: object) -> None:
    """Append a line: the word and this process."""
    with Path(os.environ[LOG]).open("a") as log:
        log.write(f"{word} {os.getpid()}\n")


def wake() -> None:
    """A wake-up."""
    mark("wake")


def slow(word: str, seconds: float) -> None:
    """Take so long, unless asked to stop; mark the begin and the end."""
    mark(f"{word}-begun")
    asked = import_string(settings.GOALSITE_STOP_ASKED)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not asked():
        time.sleep(0.05)
    mark(f"{word}-asked" if asked() else f"{word}-done")


def many_queries(word: str) -> None:
    """Use the pool from several threads; mark when every answer was right."""
    answers = []

    def query(number: int) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT %s::int", [number])
            answers.append(cursor.fetchone()[0])
        connection.close()

    threads = [threading.Thread(target=query, args=[number]) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    mark(word if sorted(answers) == list(range(16)) else f"{word}-wrong")
