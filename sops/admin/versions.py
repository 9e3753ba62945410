"""Versions with their steps and perspectives."""

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from unfold.decorators import action

from sops.admin.editor import Editor
from sops.admin.read_only import ReadOnlyAdmin, ReadOnlyInline
from sops.exporter import spec_of, to_yaml
from sops.models import Perspective, SopStep, SopVersion


class StepInline(ReadOnlyInline):
    model = SopStep
    fields = ["position", "title", "gloss", "predicate", "evidence_key", "tools"]
    readonly_fields = fields


@admin.register(SopVersion)
class SopVersionAdmin(Editor, ReadOnlyAdmin):
    list_display = ["sop", "number", "is_current", "title", "origin", "created_at"]
    list_filter = ["is_current", "origin", "sop__status"]
    search_fields = ["sop__slug", "title", "intent"]
    list_select_related = ["sop"]
    fields = ["sop", "number", "is_current", "origin", "digest", "created_at", "text"]
    readonly_fields = fields
    inlines = [StepInline]
    actions_detail = ["edit_version"]

    @action(description="New version from this", url_path="begin", icon="edit", permissions=["manage"])
    def edit_version(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return redirect(reverse("admin:sops_sopversion_edit", args=[object_id]))

    @admin.display(description="Procedure")
    def text(self, version: SopVersion) -> str:
        return format_html("<pre>{}</pre>", to_yaml(spec_of(version)))


@admin.register(SopStep)
class SopStepAdmin(ReadOnlyAdmin):
    list_display = ["version", "position", "title", "predicate", "evidence_key"]
    list_filter = ["predicate"]
    search_fields = ["gloss", "title", "version__sop__slug"]
    list_select_related = ["version__sop"]


@admin.register(Perspective)
class PerspectiveAdmin(ReadOnlyAdmin):
    list_display = ["version", "kind", "text", "embedder"]
    list_filter = ["kind", "embedder"]
    search_fields = ["text"]
    list_select_related = ["version__sop"]
    fields = ["version", "kind", "text", "embedder"]
    readonly_fields = fields
