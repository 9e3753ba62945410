"""Rows that the admin shows and never writes."""

from django.http import HttpRequest
from unfold.admin import ModelAdmin, TabularInline


class Unwritable:
    """No adding, changing or deleting, whatever the user's permissions."""

    def has_add_permission(self, request: HttpRequest, obj=None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj=None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj=None) -> bool:
        return False


class ReadOnlyAdmin(Unwritable, ModelAdmin):
    """A page to read."""


class ReadOnlyInline(Unwritable, TabularInline):
    """Rows beneath their parent, to read."""

    extra = 0
    show_change_link = True
