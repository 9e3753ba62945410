"""A worker's turn: what it takes of what waits."""

import threading

from goals import lease
from goals.models import Goal
from goals.tasks import HANDFUL, Slice
from tests import planner
from tests.goals.test_model_goals import plan, step


def test_of_a_heap_a_worker_takes_a_handful_at_a_look_and_leaves_the_others_their_share(submit):
    for number in range(HANDFUL + 3):
        submit(f"Do thing {number}")
    looked = []

    def over_once_it_drives():
        looked.append(Goal.objects.exclude(lease_expires_at=None).exists())
        return any(looked)

    assert Slice(over_once_it_drives, linger=5.0).run() == HANDFUL


def test_no_more_goals_are_claimed_than_asked_for_whatever_the_planner_believes(submit):
    for number in range(5):
        submit(f"Do thing {number}")
    planner.believes_it_almost_empty("goals_goal")
    assert len(lease.claim(3)) == 3


def test_a_worker_takes_all_of_a_heap_in_time(endpoint, submit):
    held = threading.Event()
    endpoint.script.update(plan_checkpoints={"reply": plan(step())["reply"], "hold": held.is_set})
    goals = [submit(f"Do thing {number}") for number in range(HANDFUL + 3)]
    in_hand = []

    def over_once_all_are_in_hand():
        in_hand.append(Goal.objects.exclude(lease_expires_at=None).count())
        if max(in_hand) == len(goals):
            held.set()
        return held.is_set()

    Slice(over_once_all_are_in_hand, linger=5.0).run()
    assert max(in_hand) == len(goals)
