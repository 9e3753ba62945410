"""The page's views: who may see and do what, and how refusals are told."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from goals import services
from goals.chat import conversations, examples, results, timeline
from goals.effects.making import add_message, ask_person
from goals.models import Conversation, Goal, Question, Role
from goals.states import QuestionKind
from goals.transitions import writing

pytestmark = pytest.mark.django_db(transaction=True)
SCRIPT = {"X-Requested-With": "goalsite"}


@pytest.fixture
def question(goal) -> Question:
    with writing(goal.pk) as writer:
        return ask_person(writer, QuestionKind.CONFIRMATION, "Shall I?", key="ok")


def addresses(conversation, goal) -> list[str]:
    return [
        reverse("conversation", args=[conversation.pk]),
        reverse("timeline", args=[conversation.pk]),
        reverse("panel", args=[conversation.pk]),
        reverse("goal_file", args=[goal.pk, "report.md"]),
    ]


def test_nobody_sees_what_belongs_to_another(eve, conversation, goal):
    for address in addresses(conversation, goal):
        assert eve.get(address).status_code == 404
        assert eve.get(address, headers=SCRIPT).json()["message"]
        assert Client().get(address).status_code == 302
        assert Client().get(address, headers=SCRIPT).status_code == 401


def test_nobody_moves_what_belongs_to_another(eve, conversation, goal, question):
    posts = [
        (reverse("say", args=[conversation.pk]), {"content": "hello"}),
        (reverse("retry", args=[conversation.pk, 1]), {}),
        (reverse("answer", args=[question.pk]), {"value": "true"}),
        *((reverse("act", args=[goal.pk, act]), {"text": "x"}) for act in ("pause", "resume", "cancel", "steer")),
        (reverse("act", args=[goal.pk, "limits"]), {"resource": "cost_usd", "limit": "9"}),
    ]
    for address, data in posts:
        assert eve.post(address, data, headers=SCRIPT).status_code == 404, address
        assert Client().post(address, data, headers=SCRIPT).status_code == 401, address
    goal.refresh_from_db()
    question.refresh_from_db()
    assert (goal.status, question.status, goal.steering) == ("planning", "open", [])


def test_a_post_from_elsewhere_is_refused(owner, goal):
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    assert client.post(reverse("act", args=[goal.pk, "cancel"])).status_code == 403


def test_a_get_changes_nothing(ada, goal):
    assert ada.get(reverse("act", args=[goal.pk, "cancel"])).status_code == 405


@pytest.mark.parametrize(
    ("action", "data", "status", "field"),
    [
        ("resume", {}, 409, None),
        ("steer", {"text": " "}, 400, "text"),
        ("steer", {}, 400, "text"),
        ("limits", {"resource": "gold", "limit": "1"}, 400, None),
        ("limits", {"resource": "cost_usd", "limit": "-1"}, 400, None),
        ("explode", {}, 404, None),
    ],
)
def test_a_refused_act_is_told_with_its_field(ada, goal, action, data, status, field):
    response = ada.post(reverse("act", args=[goal.pk, action]), data, headers=SCRIPT)
    assert response.status_code == status
    assert response.json()["message"]
    assert field is None or field in response.json()["errors"]


def test_limits_are_raised_from_the_page(ada, goal):
    assert (
        ada.post(reverse("act", args=[goal.pk, "limits"]), {"resource": "cost_usd", "limit": "+1"}).status_code == 200
    )
    assert services.budget_of(goal)["cost_usd"]["limit"] == 6.0


def test_a_button_answers_a_question_once(ada, question):
    address = reverse("answer", args=[question.pk])
    assert ada.post(address, {"value": "maybe"}, headers=SCRIPT).json()["errors"] == {"value": "must be JSON"}
    assert ada.post(address, {"value": '"perhaps"'}, headers=SCRIPT).status_code == 400
    assert ada.post(address, {"value": "true"}, headers=SCRIPT).status_code == 200
    assert ada.post(address, {"value": "false"}, headers=SCRIPT).status_code == 409
    question.refresh_from_db()
    assert (question.answer, question.channel) == (True, "page")


@pytest.mark.parametrize("content", [None, "", " ", "a\x00", "x" * 20_001])
def test_a_message_that_cannot_be_said_begins_no_conversation(ada, content):
    data = {} if content is None else {"content": content}
    response = ada.post(reverse("conversation_begin"), data, headers=SCRIPT)
    assert (response.status_code, list(response.json()["errors"])) == (400, ["content"])
    assert not Conversation.objects.exists()


@pytest.mark.parametrize("example", examples.EXAMPLES, ids=lambda example: example.slug)
def test_every_example_runs_until_it_is_done_or_asks(ada, endpoint, library, settle, example):
    response = ada.post(reverse("example", args=[example.slug]))
    assert response.status_code == 201
    goal = settle(Goal.objects.get())
    assert goal.status == ("completed" if example.folder else "waiting"), goal.reason
    shown = ada.get(response.json()["url"]).content.decode()
    assert ("Done, and checked" in shown) == bool(example.folder)
    for path in results.files_of(goal):
        page = ada.get(reverse("goal_file", args=[goal.pk, path]))
        assert page.status_code == 200
        assert path in page.content.decode()


def test_an_unknown_example_is_refused_by_name(ada):
    response = ada.post(reverse("example", args=["nothing"]), headers=SCRIPT)
    assert "train, inventory, logs" in response.json()["message"]


@pytest.mark.parametrize("path", ["lying-there.txt", "secret_key", "../secret_key", "/etc/passwd", "report.md"])
def test_only_files_that_the_goal_made_are_shown(ada, goal, path):
    (Path(goal.workspace) / "lying-there.txt").write_text("not the goal's")
    assert ada.get(reverse("goal_file", args=[goal.pk, "x"]).removesuffix("x") + path).status_code == 404


def test_long_conversations_are_read_a_page_at_a_time(owner, conversation):
    for number in range(timeline.PAGE + 5):
        add_message(conversation.pk, role=Role.ASSISTANT, content=f"word {number}")
    latest = timeline.timeline(conversation)
    assert [latest[0].id, latest[1].id, len(latest)] == ["earlier", "m-6", timeline.PAGE + 1]
    assert [one.id for one in timeline.timeline(conversation, before=6)] == [f"m-{n}" for n in range(1, 6)]


def test_a_conversation_in_which_nothing_was_said_says_so_until_something_is(owner, conversation):
    assert [one.id for one in timeline.timeline(conversation)] == ["nothing"]
    conversations.post(owner, conversation.pk, "/help")
    assert [one.id for one in timeline.timeline(conversation)] == ["m-1", "m-2"]


def test_all_from_a_number_on_is_read_at_once_and_has_an_end(owner, conversation, monkeypatch):
    monkeypatch.setattr(timeline, "MOST", 150)
    for number in range(1, 201):
        add_message(conversation.pk, role=Role.ASSISTANT, content=f"line {number}")
    conversation.refresh_from_db()
    shown = [one.id for one in timeline.timeline(conversation, first=101)]
    assert shown == [f"m-{number}" for number in range(101, 201)]
    shown = [one.id for one in timeline.timeline(conversation, first=11)]
    assert shown == ["earlier", *(f"m-{number}" for number in range(51, 201))]


@pytest.mark.parametrize("before", ["x", "-1", "1.5", "9" * 30])
def test_a_page_before_nonsense_is_refused_by_its_field(ada, conversation, before):
    address = reverse("timeline", args=[conversation.pk])
    assert "before" in ada.get(address, {"before": before}, headers=SCRIPT).json()["errors"]


def test_a_piece_keeps_its_version_as_long_as_it_looks_the_same(ada, conversation, goal, question):
    address = reverse("timeline", args=[conversation.pk])
    first = ada.get(address).content
    assert ada.get(address).content == first
    ada.post(reverse("answer", args=[question.pk]), {"value": "true"})
    assert ada.get(address).content != first


def test_the_list_shows_only_a_persons_own(ada, eve, owner, conversation):
    conversations.post(owner, conversation.pk, "/help")
    address = reverse("conversation_list")
    assert "/help" in ada.get(address).content.decode()
    assert eve.get(address).content == b""


def test_an_unknown_address_a_missing_right_and_an_old_form_are_told_on_pages_of_their_own(owner, goal):
    assert "Nothing is here" in Client().get("/no/such/page/").content.decode()
    careful = Client(enforce_csrf_checks=True)
    careful.force_login(owner)
    refused = careful.post(reverse("act", args=[goal.pk, "pause"]))
    assert refused.status_code == 403
    assert "This form is too old" in refused.content.decode()
    owner.is_staff = True
    owner.save()
    refused = careful.get("/admin/auth/user/")
    assert refused.status_code == 403
    assert "You may not see this page" in refused.content.decode()
