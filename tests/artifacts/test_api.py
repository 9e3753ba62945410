"""Reading artifacts over HTTP: only one's own, and never as a live document."""

import json
import uuid

import pytest
from rest_framework.test import APIClient

from artifacts.models import Context
from artifacts.services import create_context

pytestmark = [pytest.mark.django_db, pytest.mark.urls("artifacts.api.urls")]

OWNED = {}


def owned_contexts(user):
    """Stands in for the room that owns contexts."""
    return Context.objects.filter(id__in=OWNED.get(user.pk, [])).values("id")


@pytest.fixture(autouse=True)
def access(settings):
    OWNED.clear()
    settings.GOALSITE_ARTIFACT_ACCESS = f"{__name__}.owned_contexts"
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "EXCEPTION_HANDLER": "rest_framework.views.exception_handler"}


@pytest.fixture
def client(django_user_model, namespace):
    user = django_user_model.objects.create_user("owner")
    OWNED[user.pk] = [namespace.id]
    client = APIClient()
    client.force_authenticate(user)
    return client


def test_an_artifact_is_shown_with_its_value_and_lineage(client, make):
    source = make("source")
    made = make(value={"a": None}, derived_from=[source])
    found = client.get(f"/artifacts/{made.id}/").json()
    assert found["value"] == {"a": None}
    assert found["derived_from"] == [str(source.id)]
    assert (found["name"], found["version"], found["trust"], found["size"]) == ("options", 1, "trusted", 10)


def test_what_belongs_to_someone_else_does_not_exist(client, make, django_user_model):
    made = make(context=create_context())
    for path in (f"/artifacts/{made.id}/", f"/artifacts/{made.id}/content/", f"/artifacts/{uuid.uuid4()}/"):
        assert client.get(path).status_code == 404
    client.force_authenticate(django_user_model.objects.create_user("other"))
    assert client.get(f"/artifacts/{make().id}/").status_code == 404


def test_without_the_setting_nobody_sees_any(client, make, settings):
    made = make()
    assert client.get(f"/artifacts/{made.id}/").status_code == 200
    settings.GOALSITE_ARTIFACT_ACCESS = ""
    assert client.get(f"/artifacts/{made.id}/").status_code == 404


def test_a_stranger_sees_nothing(make):
    assert APIClient().get(f"/artifacts/{make().id}/").status_code in (401, 403)


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_nothing_can_be_changed(client, make, method):
    made = make()
    assert getattr(client, method)(f"/artifacts/{made.id}/", {"value": 2}).status_code == 405


@pytest.mark.parametrize("value", [None, 0, {"é": [1]}, ["x" * 100_000]])
def test_content_is_the_value_as_json(client, make, value):
    response = client.get(f"/artifacts/{make(value=value).id}/content/")
    assert response["Content-Type"] == "application/json"
    assert json_of(response) == value


def json_of(response):
    return json.loads(response.getvalue() if response.streaming else response.content)


@pytest.mark.parametrize(
    ("media_type", "sent"),
    [
        ("image/png", "image/png"),
        ("text/html", "application/octet-stream"),
        ("image/svg+xml", "application/octet-stream"),
        ("TEXT/HTML; charset=utf-8", "application/octet-stream"),
        ("", "application/octet-stream"),
    ],
)
def test_bytes_are_sent_as_a_file_to_save_and_never_as_markup(client, make, media_type, sent):
    made = make("page", blob=b"<script>", type="file", media_type=media_type)
    response = client.get(f"/artifacts/{made.id}/content/")
    assert response.getvalue() == b"<script>"
    assert response["Content-Type"] == sent
    assert response["Content-Disposition"] == 'attachment; filename="page-1"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in response["Content-Security-Policy"]
