"""Contexts and artifacts in the admin, to look at, each by whom it may be: nothing here can be changed."""

import json

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from unfold.admin import ModelAdmin

from artifacts.api.access import seen_by
from artifacts.kinds import Storage
from artifacts.models import Artifact, Context, Derivation

SHOWN_CHARACTERS = 20_000
SHOWN_LINEAGE = 50


class ReadOnlyAdmin(ModelAdmin):
    """Rows that are looked at and never touched; a person sees those of the contexts that are theirs to see."""

    context_path = "context"
    show_full_result_count = False

    def get_queryset(self, request):
        return seen_by(request.user, super().get_queryset(request), self.context_path)

    def has_module_permission(self, request):
        return self.has_view_permission(request)

    def has_view_permission(self, request, obj=None):
        return request.user.is_active and request.user.is_staff

    def has_add_permission(self, request):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    def has_delete_permission(self, request, obj=None):
        return False


@admin.register(Context)
class ContextAdmin(ReadOnlyAdmin):
    context_path = "pk"
    list_display = ["id", "parent", "created_at"]
    ordering = ["-id"]
    search_fields = ["=id"]
    fields = ["id", "parent", "path", "created_at"]


@admin.register(Artifact)
class ArtifactAdmin(ReadOnlyAdmin):
    list_display = ["name", "version", "type", "trust", "shape", "size", "description", "created_at"]
    list_filter = ["type", "trust", "storage"]
    search_fields = ["name", "description", "=context__id", "=blob_sha256"]
    ordering = ["-id"]
    fields = [
        "id",
        "context",
        "name",
        "version",
        "type",
        "trust",
        "description",
        "purpose",
        "shown_value",
        "storage",
        "media_type",
        "size",
        "shape",
        "blob_sha256",
        "shown_metadata",
        "made_from",
        "made_into",
        "created_at",
    ]
    readonly_fields = ["shown_value", "shown_metadata", "made_from", "made_into"]

    def get_queryset(self, request):
        queryset = super().get_queryset(request)
        is_list = request.resolver_match and request.resolver_match.url_name.endswith("_changelist")
        return queryset.defer("value", "metadata") if is_list else queryset

    @admin.display(description="value")
    def shown_value(self, artifact):
        return _pre(artifact.value) if artifact.storage == Storage.INLINE else f"{artifact.shape}, in a blob"

    @admin.display(description="metadata")
    def shown_metadata(self, artifact):
        return _pre(artifact.metadata)

    @admin.display(description="derived from")
    def made_from(self, artifact):
        return _links(artifact.derived_from)

    @admin.display(description="derived into")
    def made_into(self, artifact):
        return _links(artifact.derived)


@admin.register(Derivation)
class DerivationAdmin(ReadOnlyAdmin):
    context_path = "artifact__context"
    list_display = ["artifact", "source"]
    list_select_related = ["artifact", "source"]
    ordering = ["-id"]
    fields = ["artifact", "source"]


def _pre(value):
    text = json.dumps(value, ensure_ascii=False, indent=2)
    shown = text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "\n…"
    return format_html('<pre style="white-space: pre-wrap">{}</pre>', shown)


def _links(artifacts):
    rows = artifacts.order_by("-id").only("id", "name", "version")[:SHOWN_LINEAGE]
    links = ((reverse("admin:artifacts_artifact_change", args=[row.pk]), row) for row in rows)
    return format_html_join(" ", '<a href="{}">{}</a>', links) or "–"
