"""An address that holds a NUL, which no text in Postgres does, is refused before any view sees it."""

import pytest

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["/%00", "/s/a%00b/", "/admin/sops/sop/%00/change/"])
def test_an_address_with_a_nul_is_refused(admin_client, path):
    answer = admin_client.get(path)
    assert (answer.status_code, "NUL" in answer.content.decode()) == (400, True)


def test_the_api_says_so_itself(admin_client):
    answer = admin_client.get("/api/sops/%00/")
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")
