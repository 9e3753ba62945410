"""Specs are strict, sealed, and need a permission where they reach the host."""

import pytest

from goals.verifiers.errors import InvalidVerifier
from goals.verifiers.spec import HOST_PERMISSION, catalogue, digest, dump, parse, required_permission

DATA = {"type": "data", "path": "report.md", "contains": "# Python"}


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("x", "a verifier is an object with a type"),
        ({}, "allowed are data, artifact, llm, command, test, all, any"),
        ({"type": "magic"}, "verifier.type: 'magic' is unknown; allowed are data"),
        ({"type": ["data"]}, "is unknown"),
        ({**DATA, "regex": "x"}, "verifier.regex: unknown field; data has type, path, artifact, contains, expr"),
        ({"type": "data", "path": "x"}, "either contains or expr"),
        ({"type": "data", "contains": "x"}, "either path or artifact"),
        ({"type": "data", "path": "x", "expr": "__import__('os')"}, "expr: '__import__' is not known"),
        ({"type": "command"}, "verifier.command: Field required"),
        ({"type": "command", "command": "x", "timeout": -1}, "greater than 0"),
        ({"type": "all", "of": []}, "verifier.of"),
        ({"type": "all", "of": [DATA, {"type": "magic"}]}, "verifier.of.1.type: 'magic' is unknown"),
        ({"type": "artifact", "name": "x", "json_schema": {"type": "nonsense"}}, "not a JSON schema"),
        ({"type": "artifact", "name": "x", "json_schema": {"pattern": "(a+)+$"}}, "must not use pattern"),
        ({"type": "artifact", "name": "x", "json_schema": {"$ref": "#"}}, "must not use"),
        ({"type": "data", "path": "x", "contains": "y" * 30_000}, "at most 20,000 characters"),
    ],
)
def test_what_is_no_verifier_is_refused_with_what_is_allowed(spec, says):
    with pytest.raises(InvalidVerifier) as caught:
        parse(spec)
    assert says in str(caught.value)


def test_nesting_is_bounded():
    spec = DATA
    for _ in range(6):
        spec = {"type": "all", "of": [spec]}
    with pytest.raises(InvalidVerifier, match="at most 5 levels"):
        parse(spec)
    with pytest.raises(InvalidVerifier, match="50 verifiers"):
        parse({"type": "all", "of": [{"type": "any", "of": [DATA] * 20}] * 3})


def test_the_digest_is_of_the_meaning():
    assert digest(DATA) == digest(dict(reversed(DATA.items())))
    assert digest({"type": "command", "command": "x"}) == digest({"type": "command", "command": "x", "cwd": "."})
    assert digest(DATA) != digest({**DATA, "contains": "# python"})
    assert parse(dump(DATA)) == parse(DATA)


@pytest.mark.parametrize(
    ("spec", "needed"),
    [
        (DATA, None),
        ({"type": "llm"}, None),
        ({"type": "artifact", "name": "x"}, None),
        ({"type": "data", "path": "x", "expr": "data"}, HOST_PERMISSION),
        ({"type": "command", "command": "true"}, HOST_PERMISSION),
        ({"type": "test", "command": "true"}, HOST_PERMISSION),
        ({"type": "any", "of": [DATA, {"type": "all", "of": [{"type": "command", "command": "x"}]}]}, HOST_PERMISSION),
    ],
)
def test_what_reaches_the_host_needs_the_permission(spec, needed):
    assert required_permission(spec) == needed


def test_the_catalogue_names_every_type():
    assert [kind["type"] for kind in catalogue()] == ["data", "artifact", "llm", "command", "test", "all", "any"]
