"""What the dashboard's template is given (the setting `UNFOLD["DASHBOARD_CALLBACK"]`)."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from goals import patience, tally
from goals.admin.dashboard import standing
from goals.admin.dashboard.sections import sections
from goals.admin.dashboard.spend import spent_today
from goals.api.access import is_operator
from goals.exceptions import TookTooLong


def context(request: HttpRequest, given: dict[str, Any]) -> dict[str, Any]:
    """Add all that the dashboard shows. What takes too long is left out and said: the page must open in an outage."""
    user, everybody = request.user, is_operator(request.user)
    tally.flush()
    try:
        with patience.at_most(settings.GOALSITE_SEARCH_SECONDS):
            found: dict[str, Any] = {
                "sections": sections(user),
                "living": standing.living(user),
                "ended": standing.ended(user),
                "spent": spent_today(user),
                "machinery": standing.machinery() if everybody else [],
                "breakers": standing.breakers() if everybody else [],
            }
    except TookTooLong as late:
        found = {"too_long": str(late)}
    return {
        **given,
        **found,
        "title": "What needs me?",
        "everybody": everybody,
        "breakers_list": standing.breakers_list(),
        "spend_list": reverse("admin:goals_spend_changelist"),
        "now": timezone.now(),
    }
