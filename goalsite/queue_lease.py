"""The heartbeat of a running task: its message's lease is renewed until the task ends, so no one else claims it."""

import logging
import threading
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import OperationalError, connection
from django_q.signals import post_execute_in_worker, pre_execute

log = logging.getLogger(__name__)
RENEW = "UPDATE django_q_ormq SET lock = clock_timestamp() + %s WHERE id = %s"


class Heartbeat:
    """Renews one message's lease from a thread of its own, three times a lease."""

    def __init__(self, message: int) -> None:
        self.message = message
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._beat, name=f"lease-{message}", daemon=True)

    def start(self) -> "Heartbeat":
        """Begin to beat."""
        self.thread.start()
        return self

    def end(self) -> None:
        """Stop beating; a renewal under way ends by itself."""
        self.ended.set()

    def _beat(self) -> None:
        lease = settings.GOALSITE_LEASE_SECONDS
        while not self.ended.wait(lease / 3):
            try:
                with connection.cursor() as cursor:
                    cursor.execute(RENEW, [timedelta(seconds=lease), self.message])
            except OperationalError as error:
                log.warning("the lease of message %s could not be renewed: %s", self.message, str(error).strip())
            finally:
                connection.close()


_running: dict[int, Heartbeat] = {}


def begin(task: dict[str, Any], **_: object) -> None:
    """A worker is about to run a task: hold its lease (a message of Redis has none)."""
    message = task.get("ack_id")
    if isinstance(message, int):
        _running[message] = Heartbeat(message).start()


def end(task: dict[str, Any], **_: object) -> None:
    """The task has ended, well or not."""
    heartbeat = _running.pop(task.get("ack_id"), None)
    if heartbeat is not None:
        heartbeat.end()


def connect() -> None:
    """Listen to django-q2's signals."""
    pre_execute.connect(begin, dispatch_uid="goalsite.queue_lease.begin")
    post_execute_in_worker.connect(end, dispatch_uid="goalsite.queue_lease.end")
