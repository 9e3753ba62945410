"""What a goal is made of, over HTTP."""

import hashlib

import pytest
from django.utils import timezone

from goals import events, services, sharing
from goals.models import Goal, ModelCall, Verification
from goals.transitions import writing
from tests.goals.api.conftest import work_on

pytestmark = pytest.mark.django_db


def test_the_tree_nests_subgoals_under_their_checkpoints(api, worked):
    tree = api.get(f"/api/goals/{worked.pk}/tree/").json()
    (checkpoint,) = tree["checkpoints"]
    (child,) = checkpoint["root"]["children"]
    assert (checkpoint["title"], checkpoint["root"]["gloss"], child["gloss"]) == ("Phase 0", "All", "Part")
    assert child["depends_on"] == [checkpoint["root"]["id"]]
    assert (tree["last_seq"], tree["cut"]) == (worked.seq, False)


def test_the_tree_shows_the_latest_round(api, worked):
    checkpoint = worked.checkpoints.get()
    worked.subgoals.create(checkpoint=checkpoint, round=2, gloss="Again", predicate="execute")
    tree = api.get(f"/api/goals/{worked.pk}/tree/").json()
    assert tree["checkpoints"][0]["root"]["gloss"] == "Again"
    assert tree["checkpoints"][0]["root"]["children"] == []


def test_events_are_read_from_a_number_on(api, goal, ada, django_assert_num_queries):
    for number in range(5):
        services.steer(ada, goal.pk, f"word {number}")
    path = f"/api/goals/{goal.pk}/events/"
    assert [row["seq"] for row in api.get(path).json()["results"]] == [1, 2, 3, 4, 5, 6]
    page = api.get(path, {"after": 2, "limit": 2}).json()
    assert ([row["seq"] for row in page["results"]], page["more"], page["last_seq"]) == ([3, 4], True, 6)
    with django_assert_num_queries(1):
        assert page["results"] == [events.frame(event) for event in events.since(goal.pk, 2, limit=2)]
    assert [row["actor"] for row in page["results"]] == ["ada", "ada"]
    assert api.get(path, {"after": 2}, HTTP_LAST_EVENT_ID="5").json()["results"][0]["seq"] == 6
    for query, last, field in (({"after": "x"}, "5", "after"), ({}, "x", "Last-Event-ID"), ({}, "", "Last-Event-ID")):
        refused = api.get(path, query, HTTP_LAST_EVENT_ID=last)
        assert (refused.status_code, list(refused.json()["errors"])) == (400, [field])
    for limit in (0, events.PAGE + 1):
        assert list(api.get(path, {"limit": limit}).json()["errors"]) == ["limit"]
    end = api.get(path, {"after": 6}).json()
    assert (end["results"], end["more"]) == ([], False)


@pytest.mark.parametrize(
    ("part", "key", "value"),
    [
        ("artifacts", "name", "part0"),
        ("questions", "prompt", "Where from?"),
        ("model-calls", "purpose", "act"),
        ("tool-calls", "tool", "list_files"),
        ("verifications", "met", True),
        ("progress", "score", 0.5),
    ],
)
def test_each_part_is_listed(api, worked, part, key, value):
    page = api.get(f"/api/goals/{worked.pk}/{part}/").json()
    assert len(page["results"]) == 1
    assert page["results"][0][key] == value


def test_of_artifacts_a_page_is_read_and_no_value(api, worked, django_assert_max_num_queries):
    work_on(worked, times=3)
    page = f"/api/goals/{worked.pk}/artifacts/?page_size=2"
    with django_assert_max_num_queries(12) as asked:
        listed = api.get(page).json()
    assert [row["name"] for row in listed["results"]] == ["part0", "part1"]
    assert [row["name"] for row in api.get(listed["next"]).json()["results"]] == ["part2", "part3"]
    assert not [query["sql"] for query in asked.captured_queries if '"value"' in query["sql"] or ".*" in query["sql"]]


def test_progress_is_a_curve_from_the_oldest_on_and_only_read(api, worked):
    work_on(worked, times=3)
    path = f"/api/goals/{worked.pk}/progress/"
    points = api.get(path).json()["results"]
    assert [(point["position"], point["cost_usd"]) for point in points][1:] == [
        (1, "0.000000"),
        (2, "1.000000"),
        (3, "2.000000"),
    ]
    assert api.post(path, {"score": 1}).status_code == 405


def test_what_was_said_in_a_call_is_shown_when_asked_for(api, worked):
    ModelCall.objects.update(request={"messages": ["hi"]}, response={"text": "ho"})
    path = f"/api/goals/{worked.pk}/model-calls/"
    assert "request" not in api.get(path).json()["results"][0]
    assert api.get(path, {"full": "true"}).json()["results"][0]["response"] == {"text": "ho"}
    refused = api.get(path, {"full": "perhaps"})
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["full"])


@pytest.mark.parametrize(
    "path",
    [
        "/api/goals/",
        "/api/goals/{goal}/",
        "/api/goals/{goal}/tree/",
        "/api/goals/{goal}/events/",
        "/api/goals/{goal}/artifacts/",
        "/api/goals/{goal}/questions/",
        "/api/goals/{goal}/model-calls/",
        "/api/goals/{goal}/tool-calls/",
        "/api/goals/{goal}/verifications/",
        "/api/goals/{goal}/progress/",
        "/api/questions/",
        "/api/conversations/",
    ],
)
def test_a_longer_list_takes_no_more_statements(
    api, ada, worked, conversation, path, django_assert_max_num_queries, django_assert_num_queries
):
    address = path.format(goal=worked.pk)
    ada.has_perm("goals.operate")  # remembered by the user from here on
    with django_assert_max_num_queries(9) as few:
        api.get(address)
    work_on(worked, times=4)
    for number in range(4):
        work_on(services.submit(owner=ada, objective=f"More {number}", conversation=conversation))
        worked.questions.create(kind="information", key=f"k{number}", prompt="?", answered_by=ada)
        type(conversation).objects.create(owner=ada)
    with django_assert_num_queries(len(few.captured_queries)):
        assert api.get(address).status_code == 200


def test_a_question_says_what_may_be_answered_and_is_answered_once(api, question):
    path = f"/api/questions/{question.pk}/"
    assert api.get(path).json()["allowed"] is None
    done = api.post(f"{path}answer/", {"answer": " Rome "}).json()
    assert (done["status"], done["answer"], done["answered_by"], done["channel"]) == ("answered", "Rome", "ada", "api")
    late = api.post(f"{path}answer/", {"answer": "Milan"})
    assert (late.status_code, late.json()["code"]) == (409, "already_answered")
    assert len(api.get("/api/questions/", {"status": "open"}).json()["results"]) == 0


@pytest.mark.parametrize(("value", "stored"), [(True, True), ("No.", False), ("yes", True), (False, False)])
def test_a_confirmation_takes_yes_and_no(api, question, value, stored):
    type(question).objects.update(kind="confirmation")
    assert api.get(f"/api/questions/{question.pk}/").json()["allowed"] == ["yes", "no"]
    assert api.post(f"/api/questions/{question.pk}/answer/", {"answer": value}).json()["answer"] is stored


@pytest.mark.parametrize("value", [0, False, {"a": [1, None]}, [0]])
def test_an_answer_may_be_any_json(api, question, value):
    assert api.post(f"/api/questions/{question.pk}/answer/", {"answer": value}).json()["answer"] == value


def test_an_answer_is_shown_in_the_conversation(api, ada, conversation):
    goal = services.submit(owner=ada, objective="Book", conversation=conversation)
    asked = goal.questions.create(kind="confirmation", prompt="Sure?")
    api.post(f"/api/questions/{asked.pk}/answer/", {"answer": True})
    said = api.get(f"/api/conversations/{conversation.pk}/messages/").json()["results"]
    assert [(row["role"], row["content"], row["author"]) for row in said if row["question"]] == [("user", "yes", "ada")]


def test_there_is_no_certificate_before_the_end(api, worked):
    answer = api.get(f"/api/goals/{worked.pk}/certificate/")
    assert (answer.status_code, answer.json()["code"]) == (409, "stale_goal")


def proved(goal, **columns):
    """Seal a judge as the goal's verifier, which finds it met."""
    Goal.objects.filter(pk=goal.pk).update(verifier={"type": "llm"}, verifier_digest="sealed")
    return Verification.objects.create(goal=goal, verifier={"type": "llm"}, digest="sealed", met=True, **columns)


def complete(goal, proof):
    with writing(goal.pk) as writer:
        writer.event("goal.completed", {})
    completed = {"status": "completed", "outcome": "achieved", "proof": proof, "finished_at": timezone.now()}
    Goal.objects.filter(pk=goal.pk).update(**completed)


def test_a_completed_goal_has_a_certificate(api, ada, worked):
    proof = proved(worked, evidence="seen", details={"isolation": "none"})
    with writing(worked.pk) as writer:
        writer.event("goal.planned", {"checkpoints": []})
    complete(worked, proof)
    found = api.get(f"/api/goals/{worked.pk}/certificate/").json()
    assert found["proof"]["verification"] == str(proof.pk)
    assert found["proof"]["evidence_sha256"] == hashlib.sha256(b"seen").hexdigest()
    assert found["proof"]["details"] == {"isolation": "none"}
    assert [row["name"] for row in found["artifacts"]] == ["part0"]
    assert found["artifacts"][0]["sha256"] == hashlib.sha256(b'{"n":1}').hexdigest()
    assert found["calls"]["model"]["by_status"] == {"succeeded": 1}
    assert found["history"]["whole"] is True
    assert len(found["digest"]) == 64
    assert api.get(f"/api/goals/{worked.pk}/certificate/").json() == found


def test_what_is_done_to_an_ended_goal_changes_no_certificate(api, ada, worked):
    complete(worked, proved(worked))
    before = api.get(f"/api/goals/{worked.pk}/certificate/").json()
    sharing.share(ada, worked.pk)
    assert api.get(f"/api/goals/{worked.pk}/certificate/").json() == before


def test_a_certificate_tells_a_history_that_was_tampered_with(api, ada, worked):
    complete(worked, proved(worked))
    worked.events.filter(seq=1).update(payload={"objective": "Something else"})
    assert api.get(f"/api/goals/{worked.pk}/certificate/").json()["history"]["whole"] is False
