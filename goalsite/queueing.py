"""Sending the platform's own messages through the queue: cheap, unsaved, harmless to lose or repeat."""

from django.db import connections, transaction
from django_q.brokers import Broker, get_broker
from django_q.conf import Conf
from django_q.tasks import async_task

from goalsite.broker import PostgresBroker


class Recorder:
    """Stands before a broker and keeps the id of the message that went through."""

    def __init__(self, broker: Broker) -> None:
        self.broker = broker
        self.list_key = broker.list_key
        self.message: int | None = None

    def enqueue(self, package: str) -> int | None:
        """Pass the message on."""
        sent = self.broker.enqueue(package)
        if isinstance(self.broker, PostgresBroker):
            self.message = sent
        return sent


def send(function: str, *arguments: object) -> int | None:
    """Put a call on the queue, its result not kept; returns its row in the queue, None when the queue is no table."""
    recorder = Recorder(get_broker())
    with transaction.atomic(using=Conf.ORM or "default"):
        with connections[Conf.ORM or "default"].cursor() as cursor:
            cursor.execute("SET LOCAL synchronous_commit = off")
        async_task(function, *arguments, save=False, broker=recorder)
    return recorder.message


def waiting() -> int:
    """How many messages no worker has claimed yet."""
    return get_broker().queue_size()
