"""The schema is one of OpenAPI 3.1 that tools can read: whole, with an example for every body that is true to it."""

import re
from pathlib import Path

import pytest
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema
from jsonschema import Draft202012Validator, FormatChecker

from goals.api.problems import CODES, TITLES
from goals.exceptions import GoalError

HOME = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def schema():
    return SchemaGenerator().get_schema(request=None, public=True)


def operations(schema):
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            yield f"{method} {path}", operation


def bodies(operation):
    answers = [answer for code, answer in operation["responses"].items() if code.startswith("2")]
    for part in [operation.get("requestBody", {}), *answers]:
        yield from ((kind, media) for kind, media in part.get("content", {}).items())


def test_it_is_openapi_3_1_and_each_of_its_schemas_is_one(schema):
    assert schema["openapi"].startswith("3.1")
    validate_schema(schema)
    for name, part in schema["components"]["schemas"].items():
        Draft202012Validator.check_schema(part), name


def test_every_body_has_an_example_that_is_true_to_its_schema(schema):
    wrong, seen = {}, 0
    for name, operation in operations(schema):
        for kind, media in bodies(operation):
            if kind != "application/json":
                continue
            assert "example" in media, name
            whole = {**media["schema"], "components": schema["components"]}
            checked = Draft202012Validator(whole, format_checker=FormatChecker())
            seen += 1
            if errors := [f"{list(e.path)}: {e.message[:200]}" for e in checked.iter_errors(media["example"])]:
                wrong[name] = errors
    assert wrong == {}
    assert seen > 70


@pytest.mark.django_db
def test_what_is_listed_whole_is_as_the_schema_says(schema, api, conversation):
    for path, address in {
        "/api/tools/": "/api/tools/",
        "/api/verifiers/": "/api/verifiers/",
        "/api/chat/commands/": "/api/chat/commands/",
        "/api/goal/{id}/": f"/api/goal/{conversation.pk}/",
    }.items():
        operation = schema["paths"][path]["get"]
        told = operation["responses"]["200"]["content"]["application/json"]["schema"]
        checked = Draft202012Validator({**told, "components": schema["components"]})
        assert [error.message[:300] for error in checked.iter_errors(api.get(address).json())] == [], path
        assert "cursor" not in [parameter["name"] for parameter in operation["parameters"]]


def test_every_operation_says_what_it_does_and_how_it_refuses(schema):
    for name, operation in operations(schema):
        assert operation["description"], name
        for code in ("400", "401", "403", "404", "429"):
            assert "application/problem+json" in operation["responses"][code]["content"], (name, code)
    held = {
        name for name, operation in operations(schema) if any(p["name"] == "If-Match" for p in operation["parameters"])
    }
    assert "post /api/goals/{id}/pause/" in held
    assert "post /api/goals/" not in held


def test_every_code_is_in_the_readme_and_has_a_title():
    codes = {code for _, _, code in CODES} | set(TITLES)
    told = set(re.findall(r"^\| `([a-z_]+)` \| \d{3}", (HOME / "README.md").read_text(), re.M))
    assert told == codes
    assert set(TITLES) == codes
    assert all(issubclass(kind, GoalError) or kind.__module__.startswith("rest_framework") for kind, _, _ in CODES)
