"""A plan is approved over HTTP: submitted with the wish, read in the question, answered by whoever owns the goal."""

import pytest

from goals.effects.making import ask_person
from goals.models import Checkpoint, Goal
from goals.states import QuestionKind
from goals.transitions import writing

pytestmark = pytest.mark.django_db

STEP = {
    "title": "Gather",
    "description": "Gather what is known.",
    "success_criteria": "The text names three sources.",
    "predicate": "execute",
    "args": {"instructions": "gather"},
    "operation": "think",
}


@pytest.fixture
def question(goal):
    """A plan of the goal that waits for its owner."""
    details = {
        "plans": [{"checkpoints": [STEP], "notes": "so", "source": {"source": "model"}}],
        "revision": False,
        "reason": "",
        "words": 0,
        "note": "",
    }
    with writing(goal.pk) as writer:
        writer.facts(writer.goal, plan_due=True, plan_asked=True)
        return ask_person(writer, QuestionKind.APPROVAL, "May I?", key="plan", details=details)


def test_the_wish_is_part_of_a_goals_submission(api):
    wish = {"objective": "Do it", "plan_approval": True, "alternatives": 3}
    made = api.post("/api/goals/", wish, format="json")
    assert made.status_code == 201, made.json()
    assert Goal.objects.get(pk=made.json()["id"]).options == {"plan_approval": True, "alternatives": 3}
    for bad in ({"alternatives": 9}, {"plan_approval": "perhaps"}, {"plan_approval": False}):
        refused = api.post("/api/goals/", {**wish, **bad}, format="json")
        assert refused.status_code == 400, bad
        assert refused.json()["errors"].keys() <= {"alternatives", "plan_approval"}


def test_a_plan_is_read_and_answered(api, question):
    path = f"/api/questions/{question.pk}/"
    shown = api.get(f"/api/goals/{question.goal_id}/questions/").json()["results"][0]
    assert shown["allowed"] is None
    assert shown["details"]["plans"][0]["checkpoints"] == [STEP]
    refused = api.post(f"{path}answer/", {"answer": {"plan": [{**STEP, "predicate": "fly"}]}}, format="json")
    assert refused.status_code == 400
    assert refused.json()["errors"].keys() == {"answer.plan[0].predicate"}
    edited = api.post(f"{path}answer/", {"answer": {"plan": [{**STEP, "title": "Look"}]}}, format="json")
    assert edited.status_code == 200, edited.json()
    assert Checkpoint.objects.filter(goal=question.goal_id, title="Look").exists()
    assert api.post(f"{path}answer/", {"answer": True}, format="json").status_code == 409


def test_nobody_elses_plan_is_answered(others, question):
    assert others.post(f"/api/questions/{question.pk}/answer/", {"answer": True}, format="json").status_code == 404
