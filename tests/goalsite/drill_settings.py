"""The site's settings with wake-ups that only leave a mark, for the tests of the queue."""

from goalsite.settings import *  # noqa: F403

GOALSITE_WAKE_UP = "tests.goalsite.drill_tasks.wake"
GOALSITE_LEASE_SECONDS = 2
