"""The thread that sees to it that what was settled is sent: at least once, by one process of the whole site.

How far each goal was sent stands in the database, and is moved on only after the receiver has taken the spans; so what
a killed process did not send, the next one does. A goal's events are numbered without gaps, so none can be missed.
"""

import logging
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg
from django.conf import settings
from django.db import Error, connection
from django.utils import timezone

from goals.models import Goal
from goalsite import plain_connection
from goalsite.models import Traced
from goalsite.traces import settled

log = logging.getLogger(__name__)
LOCK = 0x60A17E  # the advisory lock of whoever sends
EVERY, LONGEST_PAUSE = 2.0, 60.0
FIRST_LOOK, OVERLAP = timedelta(days=1), timedelta(minutes=2)
BEHIND = """
SELECT e.goal_id FROM goals_event e LEFT JOIN goalsite_traced t ON t.goal_id = e.goal_id
WHERE e.id >= %s GROUP BY e.goal_id, t.seq
HAVING max(e.seq) > coalesce(t.seq, 0) ORDER BY max(e.at)"""


class Tracing:
    """Looks for what was settled, and sends it; `sender` takes drawn spans and says whether they arrived."""

    def __init__(self, sender: Any) -> None:
        self.sender = sender
        self._looked_at = timezone.now() - FIRST_LOOK
        self._lock: psycopg.Connection | None = None

    def run(self) -> None:
        """Go on until the process ends."""
        pause = EVERY
        while True:
            time.sleep(pause)
            pause = EVERY if self._tried() else min(2 * pause, LONGEST_PAUSE)

    def _tried(self) -> bool:
        try:
            return not self._is_first() or self.look()
        except (Error, psycopg.Error) as error:
            log.warning("traces wait for the database (%s)", str(error).strip().splitlines()[:1])
            self._lock = None
            return False
        except Exception:  # the thread's edge: it must not end
            log.exception("traces could not be drawn")
            return False
        finally:
            connection.close()

    def _is_first(self) -> bool:
        """Whether this process is the one that sends; the lock goes with its connection."""
        if self._lock is None or self._lock.closed:
            self._lock = psycopg.connect(**plain_connection.parameters(), autocommit=True)
        return self._lock.execute("SELECT pg_try_advisory_lock(%s)", [LOCK]).fetchone()[0]

    def look(self) -> bool:
        """Send what was settled since the last look; whether all of it arrived. What cannot be drawn is told, and left
        out: no goal keeps the others from being sent."""
        began = timezone.now()
        if not all(self._sent_or_told(goal_id) for goal_id in self._behind()):
            return False
        self._looked_at = began - OVERLAP
        return True

    def _behind(self) -> list[Any]:
        first = UUID(int=int(self._looked_at.timestamp() * 1000) << 80)  # keys begin with the time of their making
        with connection.cursor() as cursor:
            cursor.execute(BEHIND, [first])
            return [row[0] for row in cursor.fetchall()]

    def _sent_or_told(self, goal_id: Any) -> bool:
        try:
            return self._send(goal_id)
        except (Error, psycopg.Error):
            raise
        except Exception:  # of one goal's rows
            log.exception("goal %s: its trace could not be drawn", goal_id)
            return True

    def _send(self, goal_id: Any) -> bool:
        goal = Goal.objects.get(pk=goal_id)
        traced, _ = Traced.objects.get_or_create(goal=goal)
        for seq, drawn in self._pages(goal, traced.seq):
            if not self.sender.send(drawn):
                return False
            Traced.objects.filter(goal=goal).update(seq=seq)
        return True

    def _pages(self, goal: Goal, after: int) -> Iterator[tuple[int, list[Any]]]:
        while True:
            after, events = settled.page(goal, after)
            if not events:
                return
            yield after, list(settled.spans(goal, events, texts=settings.GOALSITE_TRACED_TEXTS))


def begin() -> None:
    """Begin to send, on a thread of this process, when OpenTelemetry's variables name a receiver."""
    if not settings.GOALSITE_TRACES:
        return
    from goalsite.traces.sending import Sender

    threading.Thread(target=Tracing(Sender()).run, name="traces", daemon=True).start()
