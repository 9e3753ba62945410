"""What one person owns does not exist for another, on any route (DESIGN rule 8)."""

import re

import pytest
from django.urls import get_resolver
from django.utils import timezone

from artifacts.services import lookup
from goals.api.access import visible_contexts
from goals.models import Event, Goal, Question, Share
from goals.webhooks import acts
from tests.goals.api.conftest import client_of

pytestmark = pytest.mark.django_db

GETS = [
    "",
    "tree/",
    "events/",
    "artifacts/",
    "questions/",
    "model-calls/",
    "tool-calls/",
    "verifications/",
    "progress/",
    "limits/",
]
POSTS = {
    "pause": {},
    "resume": {},
    "cancel": {},
    "rearm": {},
    "steer": {"text": "x"},
    "revise": {"reason": "x"},
    "fork": {},
}


@pytest.fixture
def routes(worked, question, conversation):
    """Every route that names something of ada's, as (method, path, body)."""
    base, said = f"/api/goals/{worked.pk}", f"/api/conversations/{conversation.pk}"
    artifact = f"/api/artifacts/{artifact_of(worked).pk}"
    share = Share.objects.create(goal=worked, token_hash="0" * 64, created_at=timezone.now())
    checkpoint = f"{base}/checkpoints/{worked.checkpoints.first().pk}"
    webhook, delivery = webhook_of(worked)
    hook = f"/api/webhooks/{webhook.pk}"
    return [
        *(("get", f"{base}/{part}", None) for part in [*GETS, "certificate/"]),
        *(("post", f"{base}/{act}/", body) for act, body in POSTS.items()),
        ("patch", f"{base}/limits/", {"cost_usd": 9}),
        ("patch", f"{base}/verifier/", {"verifier": {"type": "llm"}, "reason": "x"}),
        ("patch", f"{base}/watch/", {"interval": 9}),
        ("post", f"{base}/look/", {}),
        ("patch", f"{checkpoint}/", {"title": "Mine"}),
        ("patch", f"{base}/subgoals/{worked.subgoals.first().pk}/", {"gloss": "Mine"}),
        ("post", f"{checkpoint}/skip/", {"reason": "x"}),
        ("post", f"{checkpoint}/retry/", {}),
        ("get", f"{base}/shares/", None),
        ("post", f"{base}/shares/", {"days": 7}),
        ("delete", f"{base}/shares/{share.pk}/", None),
        ("delete", f"{base}/", None),
        ("get", f"/api/questions/{question.pk}/", None),
        ("post", f"/api/questions/{question.pk}/answer/", {"answer": "Rome"}),
        ("get", f"{said}/", None),
        ("get", f"{said}/messages/", None),
        ("post", f"{said}/messages/", {"content": "Hello"}),
        ("get", f"/api/goal/{conversation.pk}/", None),
        ("delete", f"/api/goal/{conversation.pk}/", None),
        ("get", f"{hook}/", None),
        ("patch", f"{hook}/", {"name": "Mine"}),
        ("get", f"{hook}/deliveries/", None),
        ("post", f"{hook}/deliveries/{delivery.pk}/redeliver/", {}),
        ("post", f"{hook}/rotate/", {}),
        ("post", f"{hook}/test/", {}),
        ("delete", f"{hook}/", None),
        ("get", f"{artifact}/", None),
        ("get", f"{artifact}/content/", None),
    ]


def webhook_of(goal):
    made, _ = acts.make(goal.owner, {"address": "https://example.org/in"})
    return made, acts.test(goal.owner, made.pk)


def artifact_of(goal):
    return lookup(goal.artifact_context_id, "part0")


def test_what_is_somebody_elses_is_not_found_and_not_moved(others, routes, worked):
    before = (Goal.objects.values().get(), Event.objects.count(), list(Question.objects.values()))
    for method, path, body in routes:
        answer = getattr(others, method)(path, body)
        assert answer.status_code == 404, (method, path)
        assert answer.json()["code"] == "not_found"
    assert (Goal.objects.values().get(), Event.objects.count(), list(Question.objects.values())) == before


def test_a_stranger_gets_nowhere(routes):
    for method, path, body in routes:
        assert getattr(client_of(None), method)(path, body).status_code == 401, (method, path)


def test_every_route_is_there_for_its_owner(api, routes):
    for method, path, body in routes:
        answer = getattr(api, method)(path, body)
        assert answer.status_code < 500, (method, path)
        assert answer.status_code != 404, (method, path)


def test_every_route_with_an_id_is_among_those_tried(routes):
    def below(patterns, prefix=""):
        for entry in patterns:
            if hasattr(entry, "url_patterns"):
                yield from below(entry.url_patterns, f"{prefix}{entry.pattern}")
            else:
                yield f"{prefix}{entry.pattern}"

    named = [p for p in below(get_resolver("goals.api.urls").url_patterns) if "<uuid:pk>" in p]
    tried = {path.removeprefix("/api/") for _, path, _ in routes}
    missing = [p for p in named if not any(_fits(p, path) for path in tried)]
    assert named
    assert missing == []


def _fits(pattern, path):
    return re.fullmatch(re.sub(r"<\w+:\w+>", "[0-9a-f-]{36}", pattern), path)


def test_lists_hold_ones_own_only(others, api, operator, worked, conversation):
    webhook_of(worked)
    for path in ("/api/goals/", "/api/questions/", "/api/conversations/", "/api/webhooks/"):
        assert len(others.get(path).json()["results"]) == 0
        assert len(api.get(path).json()["results"]) == 1
    assert len(client_of(operator).get("/api/goals/").json()["results"]) == 1
    assert len(client_of(operator).get("/api/questions/").json()["results"]) == 1


def test_an_operator_sees_and_steers_every_goal_but_reads_nobodys_conversations(operator, routes, conversation):
    for method, path, body in routes:
        code = getattr(client_of(operator), method)(path, body).status_code
        assert (code == 404) == (str(conversation.pk) in path), (method, path)
        owners_alone = method == "post" and path.endswith("/shares/")
        assert (code == 403) == owners_alone, (method, path)
        assert code != 401, (method, path)


def test_an_operators_conversations_are_their_own_too(operator, conversation):
    assert len(client_of(operator).get("/api/conversations/").json()["results"]) == 0


def test_the_artifacts_room_is_told_which_contexts_are_ones_own(ada, bob, operator, worked):
    context = worked.artifact_context_id
    assert [row["artifact_context_id"] for row in visible_contexts(ada)] == [context]
    assert not visible_contexts(bob)
    assert visible_contexts(operator) is None


def test_a_retired_operator_is_a_stranger_to_others_goals(operator, worked):
    operator.is_active = False
    assert list(visible_contexts(operator)) == []


@pytest.mark.parametrize("bad", ["1", "nonsense", "0" * 32 + "x", "%00", "dcce80ac-4dce-4279-af6f-5ad6f8ad5a9e"])
@pytest.mark.parametrize("noun", ["goals", "questions", "conversations", "goal", "artifacts", "webhooks"])
def test_an_id_that_is_none_is_not_found(api, noun, bad):
    answer = api.get(f"/api/{noun}/{bad}/")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("path", ["/api/", "/api/nothing/", "/api/goals/x/y/z/", "/api/questions/a%0Ab/"])
def test_an_address_that_nobody_answers_is_a_problem_too(api, path):
    answer = api.get(path)
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")
