"""What the site can do, its schema and its pages."""

import pytest
from django.core.management import call_command

from goals.tools import registry
from tests.goals.api.conftest import client_of

pytestmark = pytest.mark.django_db


def test_tools_are_listed_with_what_they_take_and_risk(api):
    tools = api.get("/api/tools/").json()["results"]
    assert [tool["name"] for tool in tools] == list(registry.names())
    booking = next(tool for tool in tools if tool["name"] == "train_book")
    assert (booking["effect_class"], booking["input"]["type"]) == ("external", "object")


def test_verifiers_say_whether_one_may_set_them(api, operator):
    def allowed(client):
        return {row["type"]: row["allowed"] for row in client.get("/api/verifiers/").json()["results"]}

    assert allowed(api)["command"] is False
    assert allowed(api)["llm"] is True
    assert all(allowed(client_of(operator)).values())


def test_the_chats_commands_are_listed(api):
    names = {row["name"] for row in api.get("/api/chat/commands/").json()["results"]}
    assert {"/goal", "/goal clear"} <= names


def test_procedures_and_search_are_served(api):
    call_command("load_sops", verbosity=0)
    assert len(api.get("/api/sops/").json()["results"]) >= 12
    found = api.get("/api/sops/search/", {"q": "inventory of python modules", "k": 3}).json()["results"]
    assert found[0]["slug"] == "python-inventory"


def test_the_schema_is_whole(tmp_path):
    call_command("spectacular", "--validate", "--file", str(tmp_path / "schema.yml"))
    text = (tmp_path / "schema.yml").read_text()
    for path in ("/api/goals/{id}/limits/", "/api/questions/{id}/answer/", "/api/sops/search/", "/api/artifacts/{id}/"):
        assert f"  {path}:" in text


def test_the_schema_and_its_page_are_served(client, ada):
    client.force_login(ada)
    assert client.get("/api/schema/").status_code == 200
    page = client.get("/api/docs/").content.decode()
    assert "swagger-ui" in page
    assert "cdn" not in page
    assert "//unpkg" not in page
