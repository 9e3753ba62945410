"""With whom goals are shared, and the links to ended ones: who made them, and until when; nobody reads a token."""

from typing import Any

from django.contrib import admin

from goals.admin.base import OwnRows
from goals.admin.filters import owned_over
from goals.admin.show import link
from goals.models import Share


@admin.register(Share)
class ShareAdmin(OwnRows):
    list_display = ["created_at", "goal", "viewer", "created_by", "expires_at", "revoked_at"]
    list_select_related = ["goal", "viewer", "created_by"]
    list_filter = [owned_over("goal__owner")]
    search_fields = ["goal__objective", "=goal__id"]
    ordering = ["-id"]
    fields = ["of_goal", "viewer", ("created_by", "created_at"), ("expires_at", "revoked_at")]
    readonly_fields = ["of_goal"]

    @admin.display(description="goal")
    def of_goal(self, row: Share) -> Any:
        return link(row.goal)
