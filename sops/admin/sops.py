"""SOPs: which are offered to goals, and which version."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from sops.admin.read_only import ReadOnlyAdmin, ReadOnlyInline
from sops.models import Sop, SopStatus, SopVersion


class VersionInline(ReadOnlyInline):
    model = SopVersion
    fields = ["number", "is_current", "title", "origin", "created_at"]
    readonly_fields = fields


@admin.register(Sop)
class SopAdmin(ReadOnlyAdmin):
    list_display = ["slug", "status", "title", "created_at"]
    list_filter = ["status"]
    search_fields = ["slug", "versions__title", "versions__intent"]
    inlines = [VersionInline]
    actions = ["activate", "retire"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Sop]:
        return super().get_queryset(request).with_current()

    @admin.display(description="Title", ordering="current_title")
    def title(self, sop: Sop) -> str:
        return sop.current_title or ""

    def has_manage_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("sops.change_sop")

    @admin.action(description="Offer to goals (activate)", permissions=["manage"])
    def activate(self, request: HttpRequest, queryset: QuerySet[Sop]) -> None:
        self.put(request, queryset, SopStatus.ACTIVE)

    @admin.action(description="Offer no longer (retire)", permissions=["manage"])
    def retire(self, request: HttpRequest, queryset: QuerySet[Sop]) -> None:
        self.put(request, queryset, SopStatus.RETIRED)

    def put(self, request: HttpRequest, queryset: QuerySet[Sop], status: str) -> None:
        changed = 0
        for sop in queryset.exclude(status=status).order_by("pk"):
            if Sop.objects.filter(pk=sop.pk).exclude(status=status).update(status=status):
                self.log_change(request, sop, f"{sop.status} before, {status} now")
                changed += 1
        self.message_user(request, f"{changed} SOPs are {status} now.", messages.SUCCESS)
