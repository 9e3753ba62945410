"""The work: whether workers take it, and how much of it waits."""

from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from goals import attention, policy
from goals.models import Breaker, Goal
from goals.states import Permission, Risk
from goals.tools import registry
from goals.tools.base import Tool
from goalsite import items, queueing
from goalsite.doctor.finding import Finding, fail, warn, well

MANY_MESSAGES = 1000
LATE = timedelta(minutes=1)


def workers() -> Finding:
    """Whether a worker has run the queue's canary lately."""
    lives, found = items.queue()
    return well(found) if lives else fail(found, "Start the site with `manage.py up`, or look at its workers' log.")


def queue() -> Finding:
    """How many wake-ups wait, and whether goals are due that nobody drives."""
    waiting = queueing.waiting()
    late_since = timezone.now() - LATE
    awake = Q(wake_at=None, last_at__lt=late_since)  # it is due since its history was last written
    due = Goal.objects.runnable().alias(last_at=attention.last_at())
    if late := due.filter(Q(wake_at__lt=late_since) | awake).count():
        return fail(f"{late} goals are due for over a minute, driven by nobody", "Start workers, or more of them.")
    if waiting > MANY_MESSAGES:
        return warn(f"{waiting} messages wait", "Start more workers, if this does not fall.")
    return well(f"{waiting} messages wait; no goal is late")


def breakers() -> Finding:
    """Which endpoints and tools are left alone because they fail."""
    rows = list(Breaker.objects.open()[:20])
    if rows:
        return warn("; ".join(map(str, rows)), "See why they fail; calls go through again then, or in the admin.")
    return well("all are closed")


def tools() -> Finding:
    """What the site's tool policy says of each tool, and whether a rule speaks of nothing or lets danger through."""
    lost = sorted({rule.tool for rule in policy.rules.get() if rule.tool and rule.tool not in registry.names()})
    said: dict[str, list[Tool]] = {permission: [] for permission in Permission.values}
    for tool in registry.all_tools():
        said[policy.ruling(tool).permission].append(tool)
    unasked = [tool.name for tool in said[Permission.AUTO] if tool.risk == Risk.DANGEROUS]
    shown = "; ".join(f"{word}: {', '.join(tool.name for tool in found)}" for word, found in said.items() if found)
    if lost:
        return warn(
            f"{shown}; there are rules for unknown tools: {', '.join(lost)}", "Correct these rules in the admin."
        )
    if unasked:
        return warn(f"{shown}; dangerous: {', '.join(unasked)}", "See whether these shall be used without an approval.")
    return well(shown)
