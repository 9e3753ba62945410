"""The library over HTTP."""

import pytest
from django.contrib.auth.models import User
from django.urls import include, path
from rest_framework.test import APIClient

from sops.models import Sop, SopStatus
from sops.schema import parse

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.sops.test_api")]
urlpatterns = [path("api/", include("sops.api.urls"))]


@pytest.fixture
def client(settings):
    api = APIClient()
    api.force_authenticate(User.objects.create_user("reader"))
    return api


def test_one_must_be_logged_in(library):
    assert APIClient().get("/api/sops/").status_code in (401, 403)
    assert APIClient().get("/api/sops/search/?q=x").status_code in (401, 403)


def test_the_list_names_the_current_versions(client, library):
    page = client.get("/api/sops/").json()
    assert len(page["results"]) == 13
    assert page["results"][0] == {
        "slug": "book-train",
        "status": "active",
        "version": 1,
        "title": "Book a train ticket",
        "intent": page["results"][0]["intent"],
    }


def test_a_procedure_is_shown_in_the_form_that_files_have(client, library):
    shown = client.get("/api/sops/log-triage/").json()
    assert parse(shown["procedure"]).digest() == shown["digest"]


def test_readers_see_active_procedures_and_staff_all(client, library):
    Sop.objects.filter(slug="log-triage").update(status=SopStatus.RETIRED)
    assert client.get("/api/sops/log-triage/").status_code == 404
    assert len(client.get("/api/sops/").json()["results"]) == 12
    client.force_authenticate(User.objects.create_user("boss", is_staff=True))
    assert client.get("/api/sops/log-triage/").status_code == 200
    assert len(client.get("/api/sops/?status=retired").json()["results"]) == 1


def test_search_gives_the_best_first_with_its_fit(client, library):
    results = client.get("/api/sops/search/", {"q": "book me a train", "k": 2}).json()["results"]
    assert results[0]["slug"] == "book-train"
    assert len(results) == 2
    assert results[0]["plausible"] is True


@pytest.mark.parametrize(
    ("query", "field"), [({}, "q"), ({"q": ""}, "q"), ({"q": "x", "k": 0}, "k"), ({"q": "x", "k": "many"}, "k")]
)
def test_a_wrong_query_is_refused_naming_the_field(client, library, query, field, settings):
    answer = client.get("/api/sops/search/", query)
    assert answer.status_code == 400
    assert field in answer.content.decode()


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_nothing_can_be_written(client, library, method):
    assert getattr(client, method)("/api/sops/log-triage/", {}).status_code == 405
