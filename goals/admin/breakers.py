"""Circuit breakers: which far sides are left alone, and letting calls through again."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from unfold.decorators import action, display
from unfold.enums import ActionVariant

from goals import operating
from goals.admin.acts import done
from goals.admin.base import OwnRows
from goals.api.access import is_operator
from goals.models import Breaker
from goals.states import BreakerState

COLOURS = {"closed": "success", "open": "danger", "half_open": "warning"}


@admin.register(Breaker)
class BreakerAdmin(OwnRows):
    """They are the whole site's: operators see them, and nobody else."""

    list_display = ["name", "kind", "stands", "failures", "retry_at", "failed_at", "error"]
    list_filter = ["state", "kind"]
    search_fields = ["name", "error"]
    ordering = ["state", "kind", "name"]
    actions_detail = ["close_breaker"]
    fields = [
        ("kind", "name"),
        ("state", "failures", "openings"),
        ("opened_at", "retry_at"),
        ("probe", "probe_until"),
        ("failed_at", "error"),
        ("closed_by", "closed_at"),
    ]

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_view_permission(request, obj) and is_operator(request.user)

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return Breaker.objects.all() if is_operator(request.user) else Breaker.objects.none()

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> list[Any]:
        row = self.get_object(request, object_id)
        is_open = row is not None and row.state != BreakerState.CLOSED
        return super().get_actions_detail(request, object_id) if is_open else []

    @action(
        description="Close now",
        url_path="close",
        icon="play_arrow",
        variant=ActionVariant.PRIMARY,
        dialog={
            "title": "Close this breaker",
            "description": "Calls go through again at once, and the goals that sleep because of it wake.",
            "form_class": None,
            "form_submit_text": "Close it",
        },
    )
    def close_breaker(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        row = self.get_object(request, object_id)
        if row is None:
            raise Http404(f"there is no breaker {object_id}")
        return done(request, row, lambda: operating.close_breaker(request.user, row.pk), "The breaker is closed.")

    @display(description="State", ordering="state", label=COLOURS)
    def stands(self, row: Breaker) -> str:
        return row.state
