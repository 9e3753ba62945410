"""Bad input is refused with the field and what is allowed, and nothing half-made is left behind."""

import json

import pytest

from artifacts.models import Context
from goals.api.parsers import MAX_BYTES, BoundedJSONParser
from goals.api.problems import Problem
from goals.models import Budget, Event, Goal, Message

pytestmark = pytest.mark.django_db

OBJECTIVE = {"objective": "Do it"}


def refused(answer, field, *words, code="invalid_input"):
    body = answer.json()
    assert (answer.status_code, body["code"]) == (400, code), body
    assert answer["Content-Type"] == "application/problem+json"
    assert list(body["errors"]) == [field]
    for word in words:
        assert word in body["errors"][field]


def nothing_is_made():
    return not any(row.objects.exists() for row in (Goal, Budget, Event, Context))


@pytest.mark.parametrize(
    ("body", "field", "words"),
    [
        ({}, "objective", ["required"]),
        ({"objective": ""}, "objective", ["empty"]),
        ({"objective": " \n "}, "objective", ["empty"]),
        ({"objective": None}, "objective", []),
        ({"objective": 7}, "objective", ["text"]),
        ({"objective": ["x"]}, "objective", ["text"]),
        ({"objective": "x" * 100_000}, "objective", ["100000", "20000"]),
        ({"objective": "a\x00b"}, "objective", ["NUL"]),
        ({"objective": "a\ud800b"}, "objective", ["surrogate"]),
        ({**OBJECTIVE, "context": "\udfff"}, "context", ["surrogate"]),
        ({**OBJECTIVE, "mode": "fly"}, "mode", ["drive", "monitor"]),
        ({**OBJECTIVE, "mode": {}}, "mode", ["drive"]),
        ({**OBJECTIVE, "mode": "monitor"}, "verifier", ["needs one"]),
        ({**OBJECTIVE, "limits": {"cost_usd": -1}}, "limits.cost_usd", ["above 0"]),
        ({**OBJECTIVE, "limits": {"cost_usd": 0}}, "limits.cost_usd", ["above 0"]),
        ({**OBJECTIVE, "limits": {"tokens": "many"}}, "limits.tokens", ["whole number"]),
        ({**OBJECTIVE, "limits": {"tokens": 1.5}}, "limits.tokens", ["whole number"]),
        ({**OBJECTIVE, "limits": {"tokens": True}}, "limits.tokens", ["whole number"]),
        ({**OBJECTIVE, "limits": {"cost_usd": "NaN"}}, "limits.cost_usd", ["above 0"]),
        ({**OBJECTIVE, "limits": {"cost_usd": "Infinity"}}, "limits.cost_usd", ["above 0"]),
        ({**OBJECTIVE, "limits": {"euros": 1}}, "limits.euros", ["cost_usd", "tokens"]),
        ({**OBJECTIVE, "limits": [1]}, "limits", ["object"]),
        ({**OBJECTIVE, "limits": 5}, "limits", ["object"]),
        ({**OBJECTIVE, "verifier": "llm"}, "verifier", ["object"]),
        ({**OBJECTIVE, "verifier": {"type": "magic"}}, "verifier.type", ["magic", "artifact", "llm"]),
        ({**OBJECTIVE, "verifier": {"type": "llm", "fee": 1}}, "verifier.fee", ["unknown field", "condition"]),
        ({**OBJECTIVE, "verifier": {}}, "verifier.type", ["is missing", "allowed are"]),
        (
            {**OBJECTIVE, "verifier": {"type": "data", "path": "/etc/passwd", "contains": "root"}},
            "verifier.path",
            ["outside the workspace"],
        ),
        (
            {**OBJECTIVE, "verifier": {"type": "any", "of": [{"type": "data", "path": "../x", "contains": "root"}]}},
            "verifier.path",
            ["'..' is not allowed"],
        ),
        ({**OBJECTIVE, "verifier": {"type": "data", "path": "x"}}, "verifier", ["contains"]),
        ({**OBJECTIVE, "sop": "no-such"}, "sop", ["no active procedure"]),
        ({**OBJECTIVE, "sop": 5}, "sop", ["no active procedure"]),
        ({**OBJECTIVE, "answers": {"nobody": 1}}, "answer.nobody", ["nobody asks"]),
        ({**OBJECTIVE, "conversation": "mine"}, "conversation", ["UUID"]),
        ({**OBJECTIVE, "limits": []}, "limits", ["object"]),
        ({**OBJECTIVE, "answers": 0}, "answers", ["object"]),
        ({**OBJECTIVE, "limit": {}}, "limit", ["unknown field", "limits"]),
        ({**OBJECTIVE, "status": "completed"}, "status", ["unknown field"]),
        ([], "body", ["object"]),
        ("text", "body", ["object"]),
    ],
)
def test_a_bad_goal_is_refused_by_its_field(api, body, field, words):
    refused(api.post("/api/goals/", json.dumps(body), content_type="application/json"), field, *words)
    assert nothing_is_made()


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        (b'{"objective": "a\\u0000b"}', "objective"),
        (b'{"objective": "a\\ud800b"}', "objective"),
        (b'{"objective": "x", "limits": {"cost_usd": NaN}}', "limits.cost_usd"),
        (b'{"objective": "x", "limits": {"cost_usd": -Infinity}}', "limits.cost_usd"),
        (b'{"objective": "x", "limits": {"cost_usd": 1e999}}', "limits.cost_usd"),
        (b'{"objective": "x", "limits": {"tokens": ' + b"9" * 5000 + b"}}", "limits.tokens"),
        (b'{"objective": "x", "limits": {"a\\u0000": 1}}', "limits"),
        (b'{"objective": "x", "verifier": {"type": "llm", "condition": "\\u0000"}}', "verifier.condition"),
        (
            b'{"objective": "x", "verifier": {"type": "artifact", "name": "a", "json_schema": {"const": NaN}}}',
            "verifier.json_schema.const",
        ),
        (
            b'{"objective": "x", "verifier": {"type": "artifact", "name": "a", "json_schema": '
            + b'{"not":' * 60
            + b"{}"
            + b"}" * 62,
            "verifier",
        ),
        (b'{"objective": "x", "verifier": ' + b'{"type":"all","of":[' * 60 + b"]}" * 60 + b"}", "verifier"),
    ],
)
def test_what_json_can_say_but_no_row_can_hold_is_refused_by_its_field(api, raw, field):
    refused(api.post("/api/goals/", raw, content_type="application/json"), field)
    assert nothing_is_made()


@pytest.mark.parametrize("raw", [b"", b"{", b"nope", b'{"objective": "\xff"}', b"[" * 100_000, b'{"a": 1} x'])
def test_what_is_no_json_is_refused(api, raw):
    answer = api.post("/api/goals/", raw, content_type="application/json")
    assert answer.status_code == 400
    assert nothing_is_made()


def test_a_body_beyond_all_measure_is_not_read(api):
    raw = b'{"objective": "' + b"x" * MAX_BYTES + b'"}'
    answer = api.post("/api/goals/", raw, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


def test_of_a_body_no_more_is_read_than_is_allowed():
    class Endless:
        def read(self, most):
            return b"x" * most

    with pytest.raises(Problem) as refused:
        BoundedJSONParser().parse(Endless())
    assert refused.value.status_code == 413


def test_what_is_nested_too_deep_is_told_so(api):
    raw = b'{"objective": ' + b"[" * 60 + b"]" * 60 + b"}"
    refused(api.post("/api/goals/", raw, content_type="application/json"), "objective", "nested more than 50 deep")


def test_of_very_much_that_is_wrong_the_first_is_told(api):
    errors = api.post("/api/goals/", {f"field{number}": "\x00" for number in range(100)}).json()["errors"]
    assert list(errors) == [f"field{number}" for number in range(20)]


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_other_content_types_are_refused(api, kind):
    answer = api.post("/api/goals/", b"objective=x", content_type=kind)
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")
    assert nothing_is_made()


def test_all_that_is_wrong_is_told_at_once(api):
    body = {"objective": "", "limits": {"tokens": -1, "cost_usd": 0}, "verifier": {"type": "x"}, "mode": "y"}
    errors = api.post("/api/goals/", body).json()["errors"]
    assert set(errors) == {"objective", "limits.tokens", "limits.cost_usd", "verifier.type", "mode"}


@pytest.mark.parametrize(
    "verifier",
    [
        {"type": "command", "command": "true"},
        {"type": "data", "path": "x", "expr": "1"},
        {"type": "test", "command": "x"},
    ],
)
def test_a_verifier_that_touches_the_host_needs_its_permission(api, verifier):
    body = {**OBJECTIVE, "verifier": {"type": "all", "of": [verifier]}}
    answer = api.post("/api/goals/", body)
    assert (answer.status_code, answer.json()["code"]) == (403, "not_allowed")
    assert "goals.use_host_verifiers" in answer.json()["detail"]
    assert nothing_is_made()


@pytest.mark.parametrize(
    ("act", "body", "field"),
    [
        ("steer", {}, "text"),
        ("steer", {"text": ""}, "text"),
        ("steer", {"text": "x" * 10_001}, "text"),
        ("revise", {"reason": None}, "reason"),
        ("pause", {"reason": 5}, "reason"),
        ("cancel", {"why": "x"}, "why"),
        ("resume", {"now": True}, "now"),
        ("fork", {"objective": ""}, "objective"),
        ("fork", {"objective": "x" * 100_000}, "objective"),
    ],
)
def test_a_bad_act_is_refused_and_moves_nothing(api, goal, act, body, field):
    refused(api.post(f"/api/goals/{goal.pk}/{act}/", body), field)
    assert (Goal.objects.get().status, Event.objects.count()) == ("planning", 1)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "limits"),
        ([], "limits"),
        ({"cost_usd": -1}, "limits.cost_usd"),
        ({"cost_usd": "+x"}, "limits.cost_usd"),
        ({"cost_usd": "+-9"}, "limits.cost_usd"),
        ({"cost_usd": "+NaN"}, "limits.cost_usd"),
        ({"cost_usd": 10**13}, "limits.cost_usd"),
        ({"cost_usd": {}}, "limits.cost_usd"),
        ({"status": 1}, "limits.status"),
    ],
)
def test_a_bad_limit_is_refused_and_changes_nothing(api, goal, body, field):
    before = list(Budget.objects.values())
    refused(api.patch(f"/api/goals/{goal.pk}/limits/", body), field)
    assert list(Budget.objects.values()) == before


def test_a_limit_below_what_is_used_is_refused(api, goal):
    Budget.objects.filter(resource="tokens").update(used=500, reserved=100)
    refused(api.patch(f"/api/goals/{goal.pk}/limits/", {"tokens": 599}), "limits.tokens", "600")


@pytest.mark.parametrize(
    ("kind", "body", "words"),
    [
        ("information", {}, "required"),
        ("information", {"answer": ""}, "empty"),
        ("information", {"answer": None}, "empty"),
        ("information", {"answer": "x" * 200_000}, "100000"),
        ("confirmation", {"answer": "perhaps"}, "yes or no"),
        ("approval", {"answer": 1.5}, "yes or no"),
        ("recovery", {"answer": "maybe"}, "give_up"),
    ],
)
def test_a_bad_answer_leaves_the_question_open(api, question, kind, body, words):
    type(question).objects.update(kind=kind)
    refused(api.post(f"/api/questions/{question.pk}/answer/", body), "answer", words)
    question.refresh_from_db()
    assert question.status == "open"


@pytest.mark.parametrize("answer", [[], {}, [[]], {"a": {"b": []}}])
@pytest.mark.parametrize("kind", ["confirmation", "approval", "recovery"])
def test_an_answer_of_another_kind_is_refused(api, question, kind, answer):
    type(question).objects.update(kind=kind)
    refused(api.post(f"/api/questions/{question.pk}/answer/", {"answer": answer}), "answer")


@pytest.mark.parametrize("content", ["", "  ", None, 5, "x" * 20_001, "a\x00"])
def test_a_bad_message_is_not_stored(api, conversation, content):
    refused(api.post(f"/api/conversations/{conversation.pk}/messages/", {"content": content}), "content")
    assert not Message.objects.exists()


def test_a_title_has_a_length(api):
    refused(api.post("/api/conversations/", {"title": "x" * 201}), "title", "200")


@pytest.mark.parametrize("after", ["-1", "x", "1.5", "9" * 25])
def test_events_after_nothing_sensible_are_refused(api, goal, after):
    refused(api.get(f"/api/goals/{goal.pk}/events/", {"after": after}), "after")


@pytest.mark.parametrize(
    ("query", "field", "words"),
    [
        ("status=paused&status=50%25", "status", "'50%' is none of planning, active, waiting, paused"),
        ("created_after=yesterday", "created_after", "such as 2026-11-22T09:30:00Z"),
    ],
)
@pytest.mark.django_db
def test_a_refused_filter_tells_what_is_allowed(api, query, field, words):
    refused(api.get(f"/api/goals/?{query}"), field, words)
