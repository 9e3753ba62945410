"""A subgoal that has not begun is edited while its sibling is at work; what is wrong with an edit is refused."""

import pytest

from goals import subgoal_acts
from goals.exceptions import InvalidInput, NotFound, StaleGoal
from goals.models import Subgoal
from goals.states import GoalStatus
from tests.goals import rules
from tests.goals import test_trees as trees
from tests.goals.effects.meanwhile import calling


@pytest.fixture
def family(endpoint, submit, meanwhile):
    """A goal of two children, of which the second waits for the first one's call, which is held."""
    drafts = [
        trees.child("gather the facts", args={"instructions": "gather"}),
        trees.child("draw a conclusion", args={"instructions": "conclude"}, depends_on=[0]),
    ]
    endpoint.script.update(
        plan_checkpoints=[trees.plan(trees.step(predicate="composite"))],
        atomize=trees.PLAN,
        plan_subgoals=[trees.children("AND", *drafts)],
        act=[{**trees.DONE, "hold": meanwhile.over}, trees.DONE],
        judge_outcome=trees.MET,
        aggregate={"reply": {"result": "all of it", "outputs": []}},
    )
    return submit()


def test_what_is_edited_is_what_is_done(endpoint, family, meanwhile, settle):
    def act():
        pending = Subgoal.objects.get(goal=family, gloss="draw a conclusion")
        subgoal_acts.edit(
            family.owner, family.pk, pending.pk, {"gloss": "doubt it all", "args": {"instructions": "doubt"}}
        )

    goal = settle(meanwhile(family, calling(family, "act"), act))
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    _, second = endpoint.named("act")
    assert "doubt it all" in str(second["body"])
    assert "draw a conclusion" not in str(second["body"])
    told = goal.events.get(kind="subgoal.edited")
    assert (told.actor, told.payload["before"]["gloss"]) == (goal.owner, "draw a conclusion")
    rules.hold()


def test_what_cannot_be_edited_is_refused_and_changes_nothing(family, meanwhile, settle, django_user_model):
    def edit(row, changes, user=family.owner):
        return subgoal_acts.edit(user, family.pk, row.pk, changes)

    def act():
        pending, at_work = (
            Subgoal.objects.get(goal=family, gloss=gloss) for gloss in ("draw a conclusion", "gather the facts")
        )
        for bad in ({"gloss": ""}, {"gloss": "x" * 2001}, {"args": []}, {"status": "achieved"}, {}, 7):
            with pytest.raises(InvalidInput):
                edit(pending, bad)
        with pytest.raises(InvalidInput, match="moon"):
            edit(pending, {"args": {"instructions": "@moon"}})
        with pytest.raises(StaleGoal, match="not begun"):
            edit(at_work, {"gloss": "stop"})
        with pytest.raises(StaleGoal, match="checkpoint"):
            edit(Subgoal.objects.get(goal=family, parent=None), {"gloss": "stop"})
        with pytest.raises(NotFound):
            edit(family, {"gloss": "stop"})
        with pytest.raises(NotFound):
            edit(pending, {"gloss": "mine"}, django_user_model.objects.create_user("mallory"))

    goal = settle(meanwhile(family, calling(family, "act"), act))
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert not goal.events.filter(kind="subgoal.edited").exists()
    rules.hold()
