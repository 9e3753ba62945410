"""The platform's rows in the admin: to look at, not to change."""

from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from goalsite.models import Canary, LiveMessage, LoginLink


class ReadOnly(ModelAdmin):
    """Nobody adds, changes or deletes these rows by hand."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """No."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """No."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """No."""
        return False


@admin.register(Canary)
class CanaryAdmin(ReadOnly):
    """Whether the workers work."""

    list_display = ("id", "number", "sent_at", "number_run", "run_at")


@admin.register(LoginLink)
class LoginLinkAdmin(ReadOnly):
    """Who may still log in by a link, and who did."""

    list_display = ("user", "expires_at", "used_at")
    exclude = ("token_hash",)


@admin.register(LiveMessage)
class LiveMessageAdmin(ReadOnly):
    """Long live messages on their way."""

    list_display = ("id", "created_at")
