"""Words of guidance: the last of them are kept, and what a message has said can be taken back while the goal lives."""

import uuid

import pytest
from django.contrib.auth.models import User

from goals import services
from goals.models import Goal

pytestmark = pytest.mark.django_db


@pytest.fixture
def goal(settings, tmp_path):
    settings.GOALSITE_DATA_DIR = tmp_path
    return services.submit(owner=User.objects.create_user("ada"), objective="Write an inventory")


def words(goal):
    return [entry["text"] for entry in Goal.objects.get(pk=goal.pk).steering]


def test_the_last_words_are_kept_and_all_of_them_are_events(goal, monkeypatch):
    monkeypatch.setattr("goals.services.steering.KEPT_STEERING", 2)
    for text in ("Be brief", "Be kind", "Be done"):
        services.steer(goal.owner, goal.pk, text)
    assert words(goal) == ["Be kind", "Be done"]
    assert goal.events.filter(kind="goal.steered").count() == 3


def test_what_was_said_is_taken_back_once_and_not_from_a_goal_that_has_ended(goal):
    first, second = uuid.uuid4(), uuid.uuid4()
    for message in (first, second):
        services.steer(goal.owner, goal.pk, "Be brief", message=message)
    assert services.take_back_steering(goal.owner, goal.pk, first)
    assert not services.take_back_steering(goal.owner, goal.pk, first)
    services.cancel(goal.owner, goal.pk)
    assert not services.take_back_steering(goal.owner, goal.pk, second)
    assert [entry.get("taken_back") for entry in Goal.objects.get(pk=goal.pk).steering] == [None, True]
