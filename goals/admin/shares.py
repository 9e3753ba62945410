"""Links to ended goals: who made them and until when they work; nobody reads their tokens."""

from typing import Any

from django.contrib import admin

from goals.admin.base import OwnRows
from goals.admin.filters import owned_over
from goals.admin.show import link
from goals.models import Share


@admin.register(Share)
class ShareAdmin(OwnRows):
    list_display = ["created_at", "goal", "created_by", "expires_at", "revoked_at"]
    list_select_related = ["goal", "created_by"]
    list_filter = [owned_over("goal__owner")]
    search_fields = ["goal__objective", "=goal__id"]
    ordering = ["-id"]
    fields = ["of_goal", ("created_by", "created_at"), ("expires_at", "revoked_at")]
    readonly_fields = ["of_goal"]

    @admin.display(description="goal")
    def of_goal(self, row: Share) -> Any:
        return link(row.goal)
