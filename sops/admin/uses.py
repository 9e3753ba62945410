"""How versions fared."""

from django.contrib import admin

from sops.admin.read_only import ReadOnlyAdmin
from sops.models import SopUse


@admin.register(SopUse)
class SopUseAdmin(ReadOnlyAdmin):
    list_display = ["version", "goal_id", "outcome", "cost", "seconds", "created_at"]
    list_filter = ["outcome", "version__sop"]
    search_fields = ["goal_id", "version__sop__slug"]
    list_select_related = ["version__sop"]
