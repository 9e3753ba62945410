"""The admin shows contexts, artifacts and lineage, and changes none of them."""

import pytest
from django.contrib import admin
from django.test import RequestFactory
from django.urls import reverse

from artifacts.models import Artifact, Context, Derivation

pytestmark = pytest.mark.django_db


@pytest.fixture
def request_of_operator(django_user_model):
    request = RequestFactory().get("/")
    request.user = django_user_model.objects.create_superuser("operator")
    request.resolver_match = None
    return request


@pytest.mark.parametrize("model", [Context, Artifact, Derivation])
def test_every_row_can_be_seen_and_none_changed(model, request_of_operator):
    page = admin.site._registry[model]
    assert page.has_view_permission(request_of_operator)
    assert not page.has_add_permission(request_of_operator)
    assert not page.has_change_permission(request_of_operator)
    assert not page.has_delete_permission(request_of_operator)


@pytest.mark.parametrize("model", [Context, Artifact, Derivation])
def test_a_person_sees_the_rows_that_are_theirs_to_see(model, request_of_operator, make, settings):
    make("made", derived_from=[make("source")])
    page = admin.site._registry[model]
    settings.GOALSITE_ARTIFACT_ACCESS = ""
    assert not page.get_queryset(request_of_operator).exists()
    settings.GOALSITE_ARTIFACT_ACCESS = "goals.api.access.visible_contexts"
    assert page.get_queryset(request_of_operator).exists()


def test_values_are_shown_as_text_and_bounded(make):
    page = admin.site._registry[Artifact]
    shown = page.shown_value(make(value=["<script>", "x" * 30_000]))
    assert "&lt;script&gt;" in shown
    assert len(shown) < 21_000
    assert page.shown_value(make(value="x" * 70_000)) == "70000 chars, in a blob"


def test_pages_of_lists_and_rows_are_shown_and_posting_is_refused(make, admin_client):
    made = make("made", {"key": "the value"}, derived_from=[make("source")])
    for model, row in ((Context, made.context), (Artifact, made), (Derivation, Derivation.objects.get())):
        name = f"admin:artifacts_{model._meta.model_name}"
        assert admin_client.get(reverse(f"{name}_changelist")).status_code == 200
        page = reverse(f"{name}_change", args=[row.pk])
        assert admin_client.get(page).status_code == 200
        assert admin_client.post(page, {"description": "x"}).status_code == 403
        assert admin_client.post(reverse(f"{name}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403
    text = admin_client.get(reverse("admin:artifacts_artifact_change", args=[made.pk])).content.decode()
    assert "the value" in text
    assert "@source:1" in text


def test_the_list_reads_no_values(make, admin_client, django_assert_max_num_queries):
    for number in range(20):
        make(f"made_{number}", "the value")
    with django_assert_max_num_queries(8) as queries:
        page = admin_client.get(reverse("admin:artifacts_artifact_changelist"), {"q": "made"})
    assert "made_19" in page.content.decode()
    assert not [query for query in queries if '"artifacts_artifact"."value"' in query["sql"]]
