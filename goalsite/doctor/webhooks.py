"""Webhooks: whether they get through, and can be signed."""

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from goals.models import Delivery, Webhook
from goals.webhooks import signing
from goalsite.doctor.finding import Finding, fail, warn, well

LATE = timedelta(minutes=1)


def webhooks() -> Finding:
    """Whether webhooks get through, their deliveries are made in time, and their secrets are still known."""
    rows = Webhook.objects.filter(removed_at=None)
    marks = {signing.mark_of(key) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)}
    if lost := rows.filter(active=True).exclude(key_mark__in=marks).count():
        remedy = "Put the earlier key into DJANGO_SECRET_KEY_FALLBACKS, or rotate their secrets."
        return fail(f"the secrets of {lost} webhooks are lost with the key they were made with", remedy)
    late = Delivery.objects.open().filter(due_at__lt=timezone.now() - LATE, webhook__active=True)
    if late[:1].count():
        return warn("deliveries are due for over a minute", "Start workers, or look at the receivers' slowness.")
    if troubled := list(Webhook.objects.troubled()[:5]):
        shown = "; ".join(f"{row}: {row.disabled_because or 'it fails'}"[:200] for row in troubled)
        return warn(shown, "Mend the receivers; activate the disabled ones in the admin, and deliver once more.")
    earlier = rows.exclude(key_mark=signing.mark_of(settings.SECRET_KEY)).count()
    if earlier:
        remedy = "Rotate their secrets before you take the key out of DJANGO_SECRET_KEY_FALLBACKS."
        return warn(f"{earlier} webhooks sign by an earlier secret key", remedy)
    return well(f"{rows.filter(active=True).count()} are active, and none fails")
