"""Disabling webhooks: by the site when calls have failed for long, and after a restore. Their owners are told."""

from typing import Any
from urllib.parse import urlsplit

from goals.effects.making import add_message
from goals.models import Role, Webhook
from goals.transitions import writing


def disable(webhook_id: Any, because: str, goal_id: Any) -> bool:
    """Let a webhook rest until its owner activates it; returns whether it was active.

    An event of the goal whose delivery failed last says so, and a message in that goal's conversation. Of a site-wide
    one it is said to operators alone, by the console and the doctor: the goal may be somebody else's.
    """
    webhook = Webhook.objects.filter(pk=webhook_id).first()
    if webhook is None:
        return False
    if goal_id is None or webhook.site_wide:
        return _rest(webhook, because)
    with writing(goal_id) as writer:
        if not _rest(webhook, because):
            return False
        host = urlsplit(webhook.address).hostname or ""
        payload = {"webhook": str(webhook.pk), "name": webhook.name, "host": host, "reason": because}
        writer.event("webhook.disabled", payload)
        if writer.goal.conversation_id:
            said = f"Your webhook {webhook.name or host} is disabled: {because}. Activate it again when it is mended."
            add_message(writer.goal.conversation_id, role=Role.SYSTEM, content=said, goal=writer.goal)
    return True


def hold_all(because: str) -> int:
    """Let every active webhook rest; returns how many there were."""
    return Webhook.objects.filter(active=True).update(active=False, disabled_because=because)


def _rest(webhook: Webhook, because: str) -> bool:
    return bool(
        Webhook.objects.filter(pk=webhook.pk, active=True).update(active=False, disabled_because=because[:2000])
    )
