"""A goal shown to a person: they see all of it, move nothing of it, and see it no longer than its owner wants."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from artifacts.api.access import visible_artifacts
from goals import answers, reassigning, seeing, services, sharing
from goals.exceptions import InvalidInput, NotAllowed, NotFound, StaleGoal
from goals.models import Event, Question, Share
from tests.goals.api.conftest import *  # noqa: F403
from tests.goals.api.conftest import permitted

pytestmark = pytest.mark.django_db
FRAGMENT = {"X-Requested-With": "goalsite"}


@pytest.fixture
def shown(ada, bob, worked):
    sharing.share_with(ada, worked.pk, "bob")
    return worked


def browser(user):
    client = Client()
    client.force_login(user)
    return client


def test_a_person_sees_the_goal_its_questions_and_its_artifacts_and_nobody_else_does(ada, bob, shown, question):
    eve = type(bob).objects.create_user("eve")
    assert services.find(bob, shown.pk) == shown
    assert list(seeing.visible_goals(bob)) == [shown]
    assert [one.pk for one in seeing.visible_questions(bob)] == [question.pk]
    assert set(visible_artifacts(bob)) == set(visible_artifacts(ada)) != set()
    assert not seeing.visible_goals(eve).exists()
    assert not visible_artifacts(eve).exists()


def test_who_is_shown_one_goal_sees_no_other_of_its_owner(ada, bob, shown):
    other = services.submit(owner=ada, objective="Keep it to yourself")
    asked = Question.objects.create(goal=other, kind="information", prompt="What for?")
    for look in (lambda: services.find(bob, other.pk), lambda: answers.find(bob, asked.pk)):
        with pytest.raises(NotFound):
            look()


def test_of_much_that_is_shown_the_latest_is_listed(ada, bob, shown, monkeypatch):
    later = services.submit(owner=ada, objective="Sweep the yard")
    sharing.share_with(ada, later.pk, "bob")
    assert seeing.latest_shown_to(bob) == [later, shown]
    monkeypatch.setattr(seeing, "MOST_SHOWN", 1)
    assert seeing.latest_shown_to(bob) == [later]


def test_who_is_shown_a_fork_sees_what_it_began_with_as_the_fork_does(ada, bob, worked):
    fork = services.fork(ada, worked.pk)
    sharing.share_with(ada, fork.pk, "bob")
    assert set(visible_artifacts(bob)) == set(visible_artifacts(ada))
    assert list(seeing.visible_goals(bob)) == [fork]


def test_a_person_who_is_shown_a_goal_moves_nothing_of_it(bob, shown, question):
    before = Event.objects.count()
    for act in (
        lambda: services.steer(bob, shown.pk, "Faster"),
        lambda: services.raise_limits(bob, shown.pk, {"cost_usd": 9}),
        lambda: services.fork(bob, shown.pk),
        lambda: answers.answer(bob, question.pk, "Rome"),
        lambda: sharing.share_with(bob, shown.pk, "ada"),
        lambda: sharing.withdraw(bob, shown.pk, Share.objects.get().pk),
        lambda: sharing.withdraw_all(bob, shown.pk),
    ):
        with pytest.raises(NotAllowed):
            act()
    assert Event.objects.count() == before


def test_a_file_for_a_question_is_not_taken_from_who_only_looks(bob, shown, question, data_dir):
    question.schema = {"type": "string", "format": "binary"}
    question.save()
    sent = {"answer": SimpleUploadedFile("evil.txt", b"x")}
    assert browser(bob).post(f"/q/{question.pk}/answer/", sent, headers=FRAGMENT).status_code == 403
    assert not list(data_dir.rglob("evil.txt"))


def test_showing_and_withdrawing_are_events_of_who_did_it_and_end_at_once(ada, bob, shown):
    share = Share.objects.get()
    sharing.withdraw(ada, shown.pk, share.pk)
    acts = shown.events.filter(kind__in=["goal.shared", "goal.unshared"]).order_by("seq")
    assert [(act.kind, act.actor, act.payload["with"]) for act in acts] == [
        ("goal.shared", ada, "bob"),
        ("goal.unshared", ada, "bob"),
    ]
    with pytest.raises(NotFound):
        services.find(bob, shown.pk)
    assert not visible_artifacts(bob).exists()


def test_what_was_shown_for_some_days_ends_with_them(ada, bob, worked):
    made = sharing.share_with(ada, worked.pk, "bob", days=2)
    assert made.expires_at - made.created_at == timedelta(days=2)
    past = timezone.now() - timedelta(days=3)
    Share.objects.update(created_at=past, expires_at=past + timedelta(days=2))
    with pytest.raises(NotFound):
        services.find(bob, worked.pk)


def test_only_its_owner_shows_a_goal_and_only_to_somebody_else_who_may_sign_in(ada, bob, operator, worked):
    with pytest.raises(NotFound):
        sharing.share_with(bob, worked.pk, "nobody")
    with pytest.raises(NotAllowed):
        sharing.share_with(operator, worked.pk, "bob")
    type(bob).objects.create_user("gone", is_active=False)
    for name in ("ada", "nobody", "gone", "", None, 7, "x" * 200):
        with pytest.raises(InvalidInput) as refused:
            sharing.share_with(ada, worked.pk, name)
        assert "person" in refused.value.errors
    sharing.share_with(ada, worked.pk, "bob")
    with pytest.raises(StaleGoal, match="already"):
        sharing.share_with(ada, worked.pk, "bob")


def test_a_goal_is_not_shown_to_more_people_than_its_owner_can_oversee(ada, shown, monkeypatch):
    monkeypatch.setattr(sharing, "MOST_LIVE", 1)
    User.objects.create_user("eve")
    with pytest.raises(StaleGoal, match="shared 1 times already"):
        sharing.share_with(ada, shown.pk, "eve")


def test_whoever_is_shut_out_is_shown_nothing(bob, shown):
    bob.is_active = False
    bob.save()
    assert browser(bob).get(f"/g/{shown.pk}/").status_code == 302


def test_a_goal_that_is_given_to_another_is_shown_to_nobody_any_more(bob, operator, shown):
    type(bob).objects.create_user("heir")
    reassigning.reassign(operator, shown.pk, "heir")
    with pytest.raises(NotFound):
        services.find(bob, shown.pk)


def test_over_the_api_it_is_shown_listed_read_and_withdrawn(api, others, worked):
    path = f"/api/goals/{worked.pk}/"
    assert others.get(path).status_code == 404
    made = api.post(f"{path}shares/", {"person": "bob", "days": 3}).json()
    assert (made["person"], made["url"].endswith(f"/g/{worked.pk}/")) == ("bob", True)
    assert [row["person"] for row in api.get(f"{path}shares/").json()] == ["bob"]
    assert [row["id"] for row in others.get("/api/goals/").json()["results"]] == [str(worked.pk)]
    assert others.get(path).json()["owner"] == "ada"
    refused = others.post(f"{path}pause/", {})
    assert (refused.status_code, refused.json()["code"]) == (403, "not_allowed")
    assert api.delete(f"{path}shares/{made['id']}/").status_code == 204
    assert others.get(path).status_code == 404


def test_the_page_shows_a_person_the_goal_without_a_way_to_move_it(ada, bob, shown, question, conversation):
    page = browser(bob)
    assert "Write an inventory" in page.get("/").content.decode()
    for path in ("", f"questions/{question.pk}/", f"checkpoints/{shown.checkpoints.get().pk}/"):
        text = page.get(f"/g/{shown.pk}/{path}").content.decode()
        assert "you can look, and change nothing" in text
        assert f"/q/{question.pk}/" not in text
    step = page.get(f"/g/{shown.pk}/steps/{shown.checkpoints.get().pk}/").content.decode()
    assert "<form" not in step
    assert "<form" in browser(ada).get(f"/g/{shown.pk}/steps/{shown.checkpoints.get().pk}/").content.decode()


def test_the_panel_shows_and_withdraws(ada, bob, conversation):
    goal = services.submit(owner=ada, objective="Write", conversation=conversation)
    page = browser(ada)
    assert page.post(f"/g/{goal.pk}/people/", {"person": "bob"}, headers=FRAGMENT).status_code == 201
    panel = page.get(f"/c/{conversation.pk}/panel/").content.decode()
    assert "bob will not see this goal any more" in panel
    page.post(f"/g/{goal.pk}/share/{Share.objects.get().pk}/withdraw/", headers=FRAGMENT)
    assert not seeing.visible_goals(bob).exists()


def test_an_operator_needs_no_share_and_a_lost_permission_ends_it(bob, worked):
    able = permitted(bob, "operate")
    assert services.to_move(able, worked.pk) == worked
    able.user_permissions.clear()
    with pytest.raises(NotFound):
        services.find(type(bob).objects.get(pk=bob.pk), worked.pk)


def test_looking_for_ones_own_goal_takes_one_statement(ada, worked, django_assert_num_queries):
    with django_assert_num_queries(1):
        services.to_move(ada, worked.pk)


def test_the_list_of_who_is_shown_much_takes_no_more_statements(others, shown, ada, django_assert_num_queries):
    others.get("/api/goals/")
    with CaptureQueriesContext(connection) as few:
        others.get("/api/goals/")
    for number in range(5):
        sharing.share_with(ada, services.submit(owner=ada, objective=f"More {number}").pk, "bob")
    with django_assert_num_queries(len(few.captured_queries)):
        assert len(others.get("/api/goals/").json()["results"]) == 6
