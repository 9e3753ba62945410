"""What a forked child must leave behind: the parent's connections and pools, whose sockets it shares."""

import os

from django.db import connections
from django.db.backends.postgresql.base import DatabaseWrapper

_left_behind: list[object] = []


def forget_connections() -> None:
    """Drop inherited connections unclosed (closing them would speak on the parent's sockets)."""
    _left_behind.extend(DatabaseWrapper._connection_pools.values())
    DatabaseWrapper._connection_pools.clear()
    for wrapper in connections.all(initialized_only=True):
        _left_behind.append(wrapper.connection)
        wrapper.connection = None


def install() -> None:
    """Run the hook in every child that is forked from now on."""
    os.register_at_fork(after_in_child=forget_connections)
