"""Changes of several rows in one statement."""

import pytest
from django.db import transaction

from goals import together
from goals.exceptions import StaleGoal
from goals.models import Checkpoint
from goals.together import Change

END = "UPDATE goals_checkpoint SET status = 'skipped', finished_at = now() WHERE id = %s AND status = %s"
BEGIN = "UPDATE goals_checkpoint SET status = 'active' WHERE id = %s AND status = %s"
NOTE = "UPDATE goals_goal SET plan_notes = %s WHERE id = %s"


@pytest.fixture
def checkpoints(submit):
    goal = submit()
    return [
        Checkpoint.objects.create(goal=goal, position=n, title="A step", predicate="execute", status=status)
        for n, status in enumerate(["active", "pending"])
    ]


def ends(row, stale="the first is elsewhere"):
    return Change("goals_checkpoint", END, [row.pk, "active"], stale)


def begins(row, stale=""):
    return Change("goals_checkpoint", BEGIN, [row.pk, "pending"], stale)


def notes(goal, text="noted"):
    return Change("goals_goal", NOTE, [text, goal.pk])


def statuses(goal):
    return list(goal.checkpoints.order_by("position").values_list("status", flat=True))


def test_the_place_of_the_one_active_checkpoint_is_left_before_it_is_taken(checkpoints, django_assert_num_queries):
    first, second = checkpoints
    with transaction.atomic(), django_assert_num_queries(3):  # Postgres promises no order within a statement
        together.write([ends(first, stale=""), begins(second), notes(first.goal)])
    assert statuses(first.goal) == ["skipped", "active"]


def test_changes_of_several_tables_are_one_statement(checkpoints, django_assert_num_queries):
    first, _ = checkpoints
    with transaction.atomic(), django_assert_num_queries(1):
        together.write([ends(first), notes(first.goal)], [("a_channel", "a word")])
    first.goal.refresh_from_db()
    assert (statuses(first.goal)[0], first.goal.plan_notes) == ("skipped", "noted")


def test_a_change_that_finds_its_row_elsewhere_undoes_all(checkpoints):
    first, second = checkpoints
    goal = first.goal
    with pytest.raises(StaleGoal, match="the second is elsewhere"), transaction.atomic():
        together.write([Change("goals_checkpoint", END, [second.pk, "active"], "the second is elsewhere"), notes(goal)])
    goal.refresh_from_db()
    assert (statuses(goal), goal.plan_notes) == (["active", "pending"], "")


def test_nothing_to_write_is_no_statement(transactional_db, django_assert_num_queries):
    with django_assert_num_queries(0):
        together.write([])
