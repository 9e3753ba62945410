"""What people do with webhooks: make, change, rotate the secret, remove, test, and deliver once more."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from goals import services
from goals.door.asking import allowed, read_address
from goals.door.dialling import literal
from goals.door.errors import BadAddress
from goals.exceptions import GoalError, InvalidInput, NotAllowed, NotFound, StaleGoal
from goals.models import Delivery, Goal, Webhook
from goals.models.delivery import TEST, DeliveryStatus
from goals.models.event import KINDS, NOUNS
from goals.models.webhook import NOUN
from goals.webhooks import signing

MOST = 20  # of one person
LONGEST_NAME = 100
KNOWN = KINDS | {f"{noun}{NOUN}" for noun in NOUNS}


def find(user: Any, webhook_id: Any) -> Webhook:
    """Return a webhook of this person's, or anybody's for an operator; raises NotFound."""
    try:
        return Webhook.objects.visible_to(user).select_related("owner", "goal").get(pk=webhook_id)
    except (Webhook.DoesNotExist, ValidationError, ValueError, TypeError):
        raise NotFound(f"there is no webhook {str(webhook_id)[:80]}") from None


def make(user: Any, given: Mapping[str, Any]) -> tuple[Webhook, str]:
    """Make a webhook of this person's; returns it with its secret, which is told this once."""
    columns = checked(user, user, {"address": "", **given})
    with transaction.atomic():
        if Webhook.objects.filter(owner=user, removed_at=None).count() >= MOST:
            raise InvalidInput({"webhook": f"there are {MOST} of yours already; remove one first"})
        made = Webhook.objects.create(owner_id=user.pk, **columns, **signing.fresh())
    return made, signing.secret_of(made)


def change(user: Any, webhook_id: Any, given: Mapping[str, Any]) -> Webhook:
    """Change what is given; activating one that was disabled forgets why it was."""
    found = find(user, webhook_id)
    columns = checked(user, found.owner, given, found)
    if columns.get("active"):
        columns |= {"disabled_because": "", "failing_since": None}
    Webhook.objects.filter(pk=found.pk, removed_at=None).update(**columns)
    return find(user, found.pk)


def rotate(user: Any, webhook_id: Any) -> tuple[Webhook, str]:
    """Give a webhook another secret, told this once; for a day the one before signs as well."""
    found = find(user, webhook_id)
    Webhook.objects.filter(pk=found.pk).update(**signing.rotated(found, timezone.now()))
    found = find(user, found.pk)
    return found, signing.secret_of(found)


def remove(user: Any, webhook_id: Any) -> None:
    """End a webhook for good; what was delivered stays until it is pruned."""
    found = find(user, webhook_id)
    with transaction.atomic():
        Webhook.objects.filter(pk=found.pk).update(active=False, disabled_because="", removed_at=timezone.now())
        waiting = Delivery.objects.open().filter(webhook=found)
        waiting.update(status=DeliveryStatus.GIVEN_UP, taken_by=None, error="the webhook was removed")


def test(user: Any, webhook_id: Any) -> Delivery:
    """Have a message about nothing delivered, within a second or so; returns its row, where the outcome will stand."""
    found = _active(find(user, webhook_id))
    return Delivery.objects.create(webhook=found, kind=TEST)


def redeliver(user: Any, webhook_id: Any, delivery_id: Any) -> Delivery:
    """Have one delivery tried again, from its first attempt on, under the id that it had."""
    found = _active(find(user, webhook_id))
    with transaction.atomic():
        row = delivery(found, delivery_id, lock=True)
        now = timezone.now()
        if row.taken_by is not None and row.due_at > now:
            raise StaleGoal("the delivery is being made just now")
        row.status, row.attempts, row.due_at = DeliveryStatus.PENDING, 0, now
        row.taken_by = row.delivered_at = None
        row.save(update_fields=["status", "attempts", "due_at", "taken_by", "delivered_at"])
    return row


def delivery(webhook: Webhook, delivery_id: Any, *, lock: bool = False) -> Delivery:
    """Return one of a webhook's deliveries; raises NotFound."""
    rows = Delivery.objects.select_for_update(no_key=True) if lock else Delivery.objects.all()
    try:
        return rows.get(webhook=webhook, pk=delivery_id)
    except (Delivery.DoesNotExist, ValidationError, ValueError, TypeError):
        raise NotFound(f"the webhook has no delivery {str(delivery_id)[:80]}") from None


def _active(webhook: Webhook) -> Webhook:
    if not webhook.active:
        raise StaleGoal(webhook.disabled_because or "the webhook is not active")
    return webhook


def checked(user: Any, owner: Any, given: Mapping[str, Any], old: Webhook | None = None) -> dict[str, Any]:
    """Return the columns that are given, checked; raises InvalidInput that names each that is wrong."""
    readers = {
        "name": lambda value: _text("name", value),
        "address": _address,
        "kinds": _kinds,
        "goal": lambda value: _goal(user, value),
        "site_wide": lambda value: _flag("site_wide", value),
        "active": lambda value: _flag("active", value),
    }
    columns, errors = {}, {}
    for name in given:
        try:
            columns[name] = readers[name](given[name])
        except InvalidInput as error:
            errors |= error.errors
    if errors:
        raise InvalidInput(errors)
    _within_reach(user, owner, columns, old)
    return columns


def _within_reach(user: Any, owner: Any, columns: dict[str, Any], old: Webhook | None) -> None:
    """Refuse what the webhook's owner may not read of: its deliveries would be given up."""
    site_wide = columns.get("site_wide", old.site_wide if old else False)
    goal: Goal | None = columns.get("goal", old.goal if old else None)
    if columns.get("site_wide") and not (user.has_perm("goals.operate") and owner.has_perm("goals.operate")):
        raise NotAllowed("to be told of everybody's goals you need the permission goals.operate")
    if goal is not None and goal.owner_id != owner.pk and not site_wide:
        raise InvalidInput({"goal": "is not its owner's; only a site-wide webhook is told of it"})


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_NAME or not (value == "" or value.isprintable()):
        raise InvalidInput({name: f"must be a line of at most {LONGEST_NAME} characters"})
    return value


def _address(value: Any) -> str:
    """Check what can be checked without asking for a name; the name is asked for at each delivery."""
    try:
        url = read_address(value)
    except BadAddress as error:
        raise InvalidInput({"address": str(error)}) from None
    place = literal(url.host)
    if place is not None and (why := allowed().refusal(url.host, place)):
        raise InvalidInput({"address": f"is not asked: {place} is {why}"})
    if url.fragment:
        raise InvalidInput({"address": "must have no part after #"})
    return str(value)


def _kinds(value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(kind, str) for kind in value):
        raise InvalidInput({"kinds": "must be a list of kinds of events"})
    unknown = sorted({kind[:60] for kind in value if kind not in KNOWN})
    if unknown:
        allowed_kinds = ", ".join(sorted(KNOWN))
        raise InvalidInput({"kinds": f"{', '.join(unknown[:5])} is no kind of event; known are {allowed_kinds}"})
    return sorted(set(value))


def _goal(user: Any, value: Any) -> Goal | None:
    if value is None:
        return None
    try:
        return services.to_move(user, value)
    except GoalError as error:
        raise InvalidInput({"goal": str(error)}) from None


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidInput({name: "must be true or false"})
    return value
