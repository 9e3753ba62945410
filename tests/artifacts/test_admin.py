"""The admin shows contexts, artifacts and lineage, and changes none of them."""

import pytest
from django.contrib import admin
from django.test import RequestFactory

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


def test_values_are_shown_as_text_and_bounded(make):
    page = admin.site._registry[Artifact]
    shown = page.shown_value(make(value=["<script>", "x" * 30_000]))
    assert "&lt;script&gt;" in shown
    assert len(shown) < 21_000
    assert page.shown_value(make(value="x" * 70_000)) == "70000 chars, in a blob"
