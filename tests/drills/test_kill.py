"""Workers killed before, after and past each kind of effect: nothing external twice, nothing recorded paid again.

In full (GOALSITE_DRILL=full) each of the 18 places is struck 20 times, else twice.
"""

from collections import Counter

import pytest
from django.db import connection

from goals import answers
from goals.models import Goal, ModelCall, Question
from goals.states import GoalStatus
from tests.drills.conftest import FULL, gone
from tests.goals import rules
from tests.goalsite.processes import eventually

pytestmark = pytest.mark.drill
ROUNDS = 20 if FULL else 2
KINDS = ("drill_pure", "drill_idempotent", "drill_transactional", "drill_external", "drill_blind", "summarise_context")
POINTS = ("before", "after", "recorded")
TRUTH = {"before": "did_not_happen", "after": "happened"}


class Case:
    """One goal, struck at one place, and how it must end."""

    def __init__(self, planned, kind, point, gives_up):
        self.kind, self.point = kind, point
        self.tool = "drill_pure" if kind == "summarise_context" else kind
        self.goal = planned(self.tool, "drill_pure")
        self.asks = kind == "drill_blind" and point != "recorded"
        self.gives_up = gives_up and self.asks

    def answer(self, owner):
        """Say what became of a lost call, when that is asked; whether it was."""
        question = Question.objects.open().filter(goal=self.goal).first()
        if question is None:
            return
        assert self.asks, f"{self.kind} {self.point} asked: {question.prompt}"
        assert question.kind == "recovery"
        answers.answer(owner, question.pk, "give_up" if self.gives_up else TRUTH[self.point])

    def check(self, received, asked):
        goal = Goal.objects.get(pk=self.goal.pk)
        where = f"{self.kind} {self.point} {goal.reason}"
        assert goal.status == (GoalStatus.FAILED if self.gives_up else GoalStatus.COMPLETED), where
        first = [line for line in received if line["goal"] == str(goal.pk) and line["tool"] == self.tool]
        keys = Counter(line["key"] for line in first)
        if self.kind in {"drill_external", "drill_blind"}:
            expected = 0 if self.gives_up and self.point == "before" else 1
            assert len(first) == expected, where
            assert all(count == 1 for count in keys.values()), where
        elif self.kind == "drill_idempotent":
            assert list(keys.values()) == [2 if self.point == "after" else 1], where
        elif self.kind == "drill_transactional":
            assert not first
            assert self.ledger() == 1, where
        assert Question.objects.filter(goal=goal, kind="recovery").count() == int(self.asks), where
        for call in ModelCall.objects.filter(goal=goal, status="succeeded"):
            times = [line["at"] for line in asked if line["key"] == call.key]
            # A worker that was only slow may record what its successor has adopted, and is about to ask for, already.
            assert call.late or max(times) < call.finished_at.timestamp(), f"paid again after its record: {where}"
            paid_twice = (self.kind, self.point) == ("summarise_context", "after") and call.purpose == self.kind
            assert len(times) == (2 if paid_twice else 1) or call.late, where
        assert not ModelCall.objects.filter(goal=goal).exclude(status="succeeded").exists(), where

    def ledger(self):
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM drill_ledger WHERE goal = %s", [str(self.goal.pk)])
            return cursor.fetchone()[0]


@pytest.mark.parametrize("number", range(ROUNDS))
def test_a_worker_killed_anywhere_around_an_effect_loses_and_repeats_nothing(site, planned, owner, number):
    cases = [Case(planned, kind, point, gives_up=number % 2 == 1) for kind in KINDS for point in POINTS]
    gone([site.worker(case.goal, strike=(case.kind, case.point)) for case in cases], 60)
    assert Goal.objects.filter(status=GoalStatus.ACTIVE).count() == len(cases)
    rescuers = [site.worker(), site.worker()]

    def all_ended():
        for case in cases:
            case.answer(owner)
        return not Goal.objects.filter(finished_at=None).exists()

    eventually(all_ended, 180, "every goal ends")
    site.kill(*rescuers)
    received, asked = site.received(), site.asked()
    for case in cases:
        case.check(received, asked)
    rules.hold()
