"""Nothing is sent twice that has not changed, and a change is made to what its asker saw, or not at all."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction

from goals import answers, services
from goals.api import etags
from goals.api.views.conversations import ConversationViewSet
from goals.api.views.goals import GoalViewSet
from goals.api.views.questions import QuestionViewSet
from goals.chat import conversations
from goals.models import Budget, Goal, Question
from tests.goals.api.conftest import client_of


def tag_of(api, path):
    return api.get(path)["ETag"]


@pytest.mark.django_db
def test_what_has_not_changed_is_not_sent_again(api, ada, worked, question, conversation):
    for path in (
        f"/api/goals/{worked.pk}/",
        f"/api/goals/{worked.pk}/limits/",
        f"/api/goals/{worked.pk}/tree/",
        f"/api/goals/{worked.pk}/model-calls/",
        f"/api/questions/{question.pk}/",
        f"/api/conversations/{conversation.pk}/",
        "/api/goals/",
        "/api/tools/",
    ):
        tag = tag_of(api, path)
        again = api.get(path, HTTP_IF_NONE_MATCH=f'"other", W/{tag}')
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", tag), path
        assert api.get(path, HTTP_IF_NONE_MATCH='"other"').status_code == 200


@pytest.mark.django_db
def test_a_figure_that_moves_without_an_event_is_sent_and_holds_up_no_change(api, goal):
    path = f"/api/goals/{goal.pk}/"
    tag = tag_of(api, path)
    Budget.objects.filter(resource="tokens").update(reserved=5)
    assert api.get(path, HTTP_IF_NONE_MATCH=tag).json()["budget"]["tokens"]["reserved"] == 5
    assert api.post(f"{path}pause/", HTTP_IF_MATCH=tag).status_code == 200


@pytest.mark.django_db
def test_a_change_is_refused_when_the_goal_has_moved_on_and_told_how(api, ada, goal):
    path = f"/api/goals/{goal.pk}/"
    tag = tag_of(api, path)
    paused = api.post(f"{path}pause/", {"reason": "lunch"}, HTTP_IF_MATCH=tag)
    assert paused["ETag"] == tag_of(api, path) != tag
    checkpoint = goal.checkpoints.create(position=0, title="First", predicate="composite")
    for method, below, body in (
        ("post", "steer/", {"text": "Hurry"}),
        ("post", "cancel/", {}),
        ("patch", "limits/", {"tokens": 5}),
        ("patch", f"checkpoints/{checkpoint.pk}/", {"title": "Other"}),
        ("delete", "", None),
    ):
        refused = getattr(api, method)(f"{path}{below}", body, HTTP_IF_MATCH=tag)
        said = refused.json()
        assert (refused.status_code, said["code"], said["version"]) == (412, "changed", 2), below
        assert [(row["seq"], row["kind"], row["payload"]["reason"]) for row in said["changed"]] == [
            (2, "goal.paused", "lunch")
        ]
    goal.refresh_from_db()
    assert (goal.seq, goal.status, goal.steering) == (2, "paused", [])
    changed = api.patch(f"{path}limits/", {"tokens": 5}, HTTP_IF_MATCH=paused["ETag"])
    assert changed.status_code == 200
    assert api.post(f"{path}cancel/", HTTP_IF_MATCH=changed["ETag"]).status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("tag", ['"1"', '"7-0123456789abcdef"', '"x-0123456789abcdef"', '"0123456789abcdef"'])
def test_a_tag_that_is_none_of_the_goals_matches_nothing(api, goal, tag):
    refused = api.post(f"/api/goals/{goal.pk}/pause/", HTTP_IF_MATCH=tag)
    assert (refused.status_code, refused.json()["changed"]) == (412, [])


@pytest.mark.django_db
@pytest.mark.parametrize("tag", ["*", 'W/"1-0123456789abcdef"', '"9-0123456789abcdef", "1-0123456789abcdef"'])
def test_any_of_several_tags_may_match_weakened_by_compression_or_not(api, goal, tag):
    assert api.post(f"/api/goals/{goal.pk}/pause/", HTTP_IF_MATCH=tag).status_code == 200


@pytest.mark.django_db
def test_without_the_header_changes_go_on_as_before(api, ada, goal):
    services.steer(ada, goal.pk, "Hurry")
    assert api.post(f"/api/goals/{goal.pk}/pause/").status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("tag", ["", "17", "x" * 3000, ", ".join(['"1-0123456789abcdef"'] * 100)])
def test_a_tag_that_cannot_be_is_refused_by_name(api, goal, tag):
    for path in (f"/api/goals/{goal.pk}/pause/", "/api/goals/"):
        answer = api.post(path, {}, HTTP_IF_MATCH=tag)
        assert (answer.status_code, list(answer.json()["errors"])) == (400, ["If-Match"])
    assert list(api.post("/api/goals/", {"objective": "x"}, HTTP_IF_MATCH="*").json()["errors"]) == ["If-Match"]


@pytest.mark.django_db
def test_what_has_become_of_somebody_elses_is_not_told(others, ada, question, conversation):
    answers.answer(ada, question.pk, "Milan", channel="chat")
    conversations.post(ada, conversation.pk, "Hush")
    for below in (
        f"goals/{question.goal_id}/pause/",
        f"questions/{question.pk}/answer/",
        f"conversations/{conversation.pk}/messages/",
    ):
        assert others.post(f"/api/{below}", {}, HTTP_IF_MATCH='"0-0123456789abcdef"').status_code == 404, below


@pytest.mark.django_db
def test_an_answer_is_given_to_the_question_as_it_was_seen(api, ada, question):
    path = f"/api/questions/{question.pk}/"
    tag = tag_of(api, path)
    Question.objects.update(reminded_at=question.created_at)
    assert api.post(f"{path}answer/", {"answer": "Rome"}, HTTP_IF_MATCH=tag).json()["changed"][0]["kind"] == (
        "question.reminded"
    )
    tag = tag_of(api, path)
    answers.answer(ada, question.pk, "Milan", channel="chat")
    refused = api.post(f"{path}answer/", {"answer": "Rome"}, HTTP_IF_MATCH=tag)
    assert (refused.status_code, refused.json()["changed"]) == (
        412,
        [{"kind": "question.answered", "answer": "Milan", "answered_by": "ada", "channel": "chat"}],
    )


@pytest.mark.django_db
def test_a_message_is_said_after_the_last_one_that_was_read(api, conversation):
    path = f"/api/conversations/{conversation.pk}/"
    tag = tag_of(api, path)
    assert api.post(f"{path}messages/", {"content": "One"}, HTTP_IF_MATCH=tag).status_code == 201
    refused = api.post(f"{path}messages/", {"content": "Two"}, HTTP_IF_MATCH=tag)
    assert [(row["number"], row["content"]) for row in refused.json()["changed"]] == [(1, "One")]
    assert conversation.messages.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize(("act", "body"), [("pause", {}), ("messages", {"content": "Two"})])
def test_a_refusal_tells_of_few_changes_only(api, ada, goal, conversation, monkeypatch, act, body):
    monkeypatch.setattr(etags, "MOST_TOLD", 1)
    path = f"/api/goals/{goal.pk}/" if act == "pause" else f"/api/conversations/{conversation.pk}/"
    tag = tag_of(api, path)
    for _ in range(2):
        services.steer(ada, goal.pk, "Hurry")
        conversations.post(ada, conversation.pk, "One")
    refused = api.post(f"{path}{act}/", body, HTTP_IF_MATCH=tag)
    assert (refused.status_code, len(refused.json()["changed"])) == (412, 1)


@pytest.mark.django_db
def test_what_has_no_versions_takes_no_tag(api):
    made = api.post("/api/webhooks/", {"address": "https://example.org/in"}).json()
    path = f"/api/webhooks/{made['id']}/"
    refused = api.patch(path, {"active": False}, HTTP_IF_MATCH=tag_of(api, path))
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["If-Match"])
    assert api.get(path).json()["active"]


@pytest.mark.django_db
def test_the_same_request_again_is_answered_alike_although_it_has_moved_the_goal(api, goal):
    path = f"/api/goals/{goal.pk}/"
    headers = {"HTTP_IF_MATCH": tag_of(api, path), "HTTP_IDEMPOTENCY_KEY": "once"}
    first, again = (api.post(f"{path}pause/", **headers) for _ in range(2))
    assert (first.status_code, again.status_code, again.json()) == (200, 200, first.json())


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("what", "act", "body", "done"),
    [
        ("goals", "steer", {"text": "Hurry"}, 200),
        ("questions", "answer", {"answer": "Rome"}, 200),
        ("conversations", "messages", {"content": "Hurry"}, 201),
    ],
)
def test_of_many_at_once_who_saw_the_same_one_changes_it(what, act, body, done):
    user = User.objects.create_user("ada")
    goal = services.submit(owner=user, objective="Count to ten")
    rows = {
        "goals": goal,
        "questions": Question.objects.create(goal=goal, kind="information", key="origin", prompt="Where from?"),
        "conversations": conversations.start(user),
    }
    path = f"/api/{what}/{rows[what].pk}/"
    tag, together = tag_of(client_of(user), path), Barrier(6)

    def change(_):
        together.wait()
        try:
            return client_of(user).post(f"{path}{act}/", body, HTTP_IF_MATCH=tag).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        codes = list(pool.map(change, range(6)))
    assert sorted(codes) == [done, 412, 412, 412, 412, 412]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("view", "write"),
    [
        (GoalViewSet, lambda rows: Question.objects.create(goal=rows[GoalViewSet], kind="confirmation", prompt="Go?")),
        (QuestionViewSet, lambda rows: Budget.objects.create(goal=rows[GoalViewSet], resource="tokens", limit=None)),
        (ConversationViewSet, lambda rows: Goal.objects.update(conversation=rows[ConversationViewSet])),
    ],
)
def test_who_compares_keeps_nobody_from_writing_rows_of_what_is_compared(view, write):
    """A driver that has reserved budget writes its call's row next: who waits for the budget must not keep it back."""
    user = User.objects.create_user("ada")
    goal = services.submit(owner=user, objective="Count to ten")
    Budget.objects.filter(goal=goal, resource="tokens").delete()
    asked = Question.objects.create(goal=goal, kind="information", key="origin", prompt="Where from?")
    rows = {GoalViewSet: goal, QuestionViewSet: asked, ConversationViewSet: conversations.start(user)}

    def beside():
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout = '1s'")
                write(rows)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        view(request=SimpleNamespace(user=user)).hold(["*"], pk=rows[view].pk)
        pool.submit(beside).result()
