"""Links to ended goals: who makes and withdraws them, what they show, and to whom they show nothing."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse
from django.utils import timezone

from artifacts.services import create_artifact
from goals import services, sharing
from goals.chat import conversations
from goals.exceptions import InvalidInput, NotAllowed, NotFound, StaleGoal
from goals.models import Checkpoint, Event, Goal, Question, Share

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ended(owner, submit):
    goal = submit("Write a report", conversation=conversations.start(owner, title="Hush"))
    return services.cancel(owner, goal.pk, reason="Not needed after all")


def made(goal, path, data):
    """A file that one of the goal's tools says it has made."""
    (Path(goal.workspace) / path).write_bytes(data)
    name = path.replace(".", "_")
    create_artifact(
        context=goal.artifact_context_id,
        name=name,
        type="file",
        value=path,
        description="a file",
        metadata={"files": [path]},
    )


@pytest.fixture
def stranger(django_user_model):
    return django_user_model.objects.create_user("eve")


@pytest.fixture
def operator(stranger):
    stranger.user_permissions.add(Permission.objects.get(codename="operate"))
    return type(stranger).objects.get(pk=stranger.pk)


def test_a_link_shows_the_goal_and_its_token_is_kept_by_nobody(owner, ended):
    link, token = sharing.share(owner, ended.pk, days=7)
    assert sharing.opened(token) == ended
    assert token not in repr(list(Share.objects.values())) + repr(list(Event.objects.values()))
    assert link.expires_at - link.created_at == timedelta(days=7)


def test_making_and_withdrawing_are_events_of_who_did_it(owner, ended):
    link, token = sharing.share(owner, ended.pk)
    sharing.withdraw(owner, ended.pk, link.pk)
    acts = ended.events.filter(kind__in=["goal.shared", "goal.unshared"]).order_by("seq")
    assert [(act.kind, act.actor, act.payload["share"]) for act in acts] == [
        ("goal.shared", owner, str(link.pk)),
        ("goal.unshared", owner, str(link.pk)),
    ]
    with pytest.raises(NotFound):
        sharing.opened(token)
    with pytest.raises(StaleGoal, match="withdrawn already"):
        sharing.withdraw(owner, ended.pk, link.pk)


def test_only_its_owner_shares_a_goal_and_an_operator_may_withdraw(owner, ended, stranger):
    link, _ = sharing.share(owner, ended.pk)
    for act in (sharing.share, lambda user, goal: sharing.withdraw(user, goal, link.pk)):
        with pytest.raises(NotFound):
            act(stranger, ended.pk)
    stranger.user_permissions.add(Permission.objects.get(codename="operate"))
    operator = type(stranger).objects.get(pk=stranger.pk)
    with pytest.raises(NotAllowed):
        sharing.share(operator, ended.pk)
    assert sharing.withdraw_all(operator, ended.pk) == 1
    assert sharing.shares_of(ended) == []


def test_only_an_ended_goal_is_shared(owner, submit):
    with pytest.raises(StaleGoal, match="only an ended goal"):
        sharing.share(owner, submit().pk)


@pytest.mark.parametrize("days", [0, 366, -1, "x", "1.5", True, [], "９", 10**30])
def test_days_that_make_no_sense_are_refused(owner, ended, days):
    with pytest.raises(InvalidInput) as refused:
        sharing.share(owner, ended.pk, days=days)
    assert "days" in refused.value.errors


def test_a_goal_has_not_more_links_than_a_person_can_oversee(owner, ended):
    for _ in range(sharing.MOST_LIVE):
        sharing.share(owner, ended.pk)
    with pytest.raises(StaleGoal, match="withdraw one first"):
        sharing.share(owner, ended.pk)


def test_a_link_of_another_goal_is_not_withdrawn_over_this_one(owner, submit, ended):
    other = services.cancel(owner, submit().pk)
    link, _ = sharing.share(owner, ended.pk)
    for foreign in (link.pk, "x", "0" * 400):
        with pytest.raises(NotFound):
            sharing.withdraw(owner, other.pk, foreign)


def nothing(client, token, path=""):
    answer = client.get(f"/s/{token}/{path}")
    assert answer.status_code == 404
    return answer.content


def test_unknown_withdrawn_run_out_and_living_again_are_all_the_same_nothing(client, owner, ended, operator):
    unknown = nothing(client, "A" * 43)
    link, withdrawn = sharing.share(owner, ended.pk)
    sharing.withdraw(owner, ended.pk, link.pk)
    link, old = sharing.share(owner, ended.pk, days=1)
    past = timezone.now() - timedelta(days=2)
    Share.objects.filter(pk=link.pk).update(created_at=past, expires_at=past + timedelta(days=1))
    _, token = sharing.share(owner, ended.pk)
    assert client.get(f"/s/{token}/").status_code == 200
    operator.user_permissions.add(Permission.objects.get(codename="rearm"))
    services.rearm(type(operator).objects.get(pk=operator.pk), ended.pk)
    for gone in (withdrawn, old, token, "x", "é", "A" * 5000):
        assert nothing(client, gone) == unknown
    assert nothing(client, token, "files/report.md") == unknown
    assert nothing(client, token, "graph/data/") == unknown


def test_what_is_shared_says_nothing_of_people_and_conversations_and_stays_out_of_indexes(client, owner, ended):
    conversations.post(owner, ended.conversation_id, "/help")
    _, token = sharing.share(owner, ended.pk)
    answer = client.get(f"/s/{token}/")
    text = answer.content.decode()
    assert "Write a report" in text
    assert "Not needed after all" in text
    assert not any(word in text for word in ("ada", "Hush", "List the commands", "csrfmiddlewaretoken"))
    assert "noindex" in answer["X-Robots-Tag"]
    assert '<meta name="robots" content="noindex' in text
    assert answer["Referrer-Policy"] == "no-referrer"
    assert "default-src 'none'" in answer["Content-Security-Policy"]
    assert "no-store" in answer["Cache-Control"]
    assert not answer.cookies


def test_the_graph_of_a_shared_goal_holds_titles_and_states_and_nothing_that_was_said(client, owner, ended):
    checkpoint = Checkpoint.objects.create(goal=ended, position=0, title="Survey", predicate="gather_info")
    asked = {"kind": "information", "prompt": "Hush hush?", "status": "answered", "answer": "Whisper"}
    Question.objects.create(goal=ended, closed_at=timezone.now(), **asked)
    _, token = sharing.share(owner, ended.pk)
    page = client.get(f"/s/{token}/graph/")
    assert (page.status_code, "noindex" in page["X-Robots-Tag"]) == (200, True)
    assert "/g/" not in page.content.decode()
    told = client.get(f"/s/{token}/graph/data/").json()
    assert [(node["id"], node["title"]) for node in told["nodes"]] == [(str(checkpoint.pk), "Survey")]
    assert not any(word in str(told) for word in ("Hush", "Whisper", "ada"))


def test_files_that_the_goal_made_are_read_over_the_link_and_no_others(client, owner, submit):
    goal = submit()
    made(goal, "report.md", b"# Findings\n\nAll is **well**.")
    made(goal, "data.bin", b"\0\1")
    services.cancel(owner, goal.pk)
    _, token = sharing.share(owner, goal.pk)
    assert "<strong>well</strong>" in client.get(f"/s/{token}/files/report.md").content.decode()
    assert client.get(f"/s/{token}/files/report.md?download").content.startswith(b"# Findings")
    assert client.get(f"/s/{token}/files/data.bin")["Content-Disposition"].startswith("attachment")
    for path in ("secret.md", "../report.md", "%2e%2e/etc/passwd"):
        nothing(client, token, f"files/{path}")


def test_an_unknown_link_costs_one_statement(client, django_assert_num_queries, owner):
    with django_assert_num_queries(1):
        client.get("/s/" + "B" * 43 + "/")


def test_a_share_costs_no_more_for_a_long_goal(client, owner, ended, django_assert_max_num_queries):
    _, token = sharing.share(owner, ended.pk)
    with django_assert_max_num_queries(8):
        client.get(f"/s/{token}/")


def test_the_page_makes_a_link_shows_it_once_and_withdraws_it(client, owner, ended):
    client.force_login(owner)
    told = client.post(reverse("share", args=[ended.pk]), {"days": "30"}, headers={"X-Requested-With": "goalsite"})
    assert told.status_code == 201
    address = told.json()["share"]
    panel = client.get(reverse("panel", args=[ended.conversation_id])).content.decode()
    assert "Withdraw" in panel
    assert address not in panel
    link = Share.objects.get()
    client.post(reverse("withdraw", args=[ended.pk, link.pk]))
    assert client.get(address).status_code == 404


def test_a_goal_under_way_offers_no_link(client, owner, submit):
    goal = submit(conversation=conversations.start(owner))
    client.force_login(owner)
    assert "p-share" not in client.get(reverse("panel", args=[goal.conversation_id])).content.decode()
    assert Goal.objects.get().status == "planning"
