"""A procedure's plan goes through the same rules as a model's: refused with all its errors, or followed whole."""

import pytest

from artifacts.models import Artifact
from goals.models import Checkpoint
from goals.states import GoalStatus, Outcome
from sops import store
from sops.models import SopUse
from sops.schema import parse
from tests.goals.test_model_goals import DONE, MET, plan, step

TEA = {"slug": "tea", "title": "Make tea", "intent": "Make a pot of tea for a guest", "tags": ["tea", "pot of tea"]}
KETTLE = {"gloss": "Boil the water in the kettle", "predicate": "execute", "operation": "think"}
BAD_STEPS = [
    {"gloss": "Look", "predicate": "use_tool", "args": {"tool": "list_files", "input": {"folder": "."}}},
    {"gloss": "Wait", "predicate": "execute", "done_when": [{"kind": "after", "at": "2030-01-31"}]},
    {"gloss": "May I?", "predicate": "confirm"},
    {"gloss": "May I really?", "predicate": "confirm"},
]
ERRORS = [
    "checkpoints[3].evidence_key: 'confirmed' is made by checkpoints[2] already",
    "checkpoints[0].args.input.folder: unknown argument",
    "checkpoints[1].done_when[0].at: needs an offset",
]


@pytest.fixture
def procedure(transactional_db):
    """Load one procedure as it is."""

    def load(**changes):
        store.store_all([parse({**TEA, "steps": [KETTLE], **changes})])

    return load


def fits(endpoint, **inputs):
    said = {"sop": "tea", "confidence": 0.9, "missing_prerequisites": [], "inputs": inputs, "reasoning": "it fits"}
    endpoint.script["judge_applicability"] = {"reply": said}


def test_one_that_was_asked_for_and_is_invalid_fails_with_all_its_errors(endpoint, submit, settle, procedure):
    procedure(steps=BAD_STEPS)
    goal = settle(submit(sop="tea"))
    assert (goal.status, goal.outcome) == (GoalStatus.FAILED, Outcome.ERROR)
    assert all(error in goal.reason for error in ERRORS), goal.reason
    assert endpoint.requests == []
    assert not Checkpoint.objects.filter(goal=goal).exists()
    assert not SopUse.objects.exists()


def test_one_that_was_found_gives_way_to_the_models_plan_and_the_notes_say_why(endpoint, submit, settle, procedure):
    procedure(steps=BAD_STEPS, inputs=[{"name": "guest"}])
    fits(endpoint, guest="Ada")
    endpoint.script.update(plan_checkpoints=[plan(step())], act=[DONE], judge_outcome=MET)
    goal = settle(submit("Make a pot of tea for Ada"))
    assert goal.status == GoalStatus.COMPLETED
    assert [c.provenance["source"] for c in goal.checkpoints.all()] == ["model"]
    assert all(error in goal.plan_notes for error in ERRORS)
    assert not Artifact.objects.filter(name="guest").exists(), "of a plan that is refused nothing is kept"
    assert not SopUse.objects.exists()


def test_one_with_more_steps_than_a_plan_may_have_is_refused(endpoint, submit, settle, procedure):
    procedure(steps=[{**KETTLE, "gloss": f"Fill cup {n}"} for n in range(4)])
    goal = settle(submit(sop="tea", options={"max_checkpoints": 3}))
    assert goal.status == GoalStatus.FAILED
    assert "checkpoints: 4 given; 1 to 3 are allowed" in goal.reason


def test_steps_whose_glosses_begin_alike_are_told_apart(endpoint, submit, settle, procedure):
    long = "Pour the water slowly over the leaves and wait until the colour is that of chestnut honey"
    procedure(steps=[{**KETTLE, "gloss": f"{long}, cup {n}"} for n in (1, 2)])
    endpoint.script.update(act=DONE, judge_outcome=MET)
    goal = settle(submit(sop="tea"))
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    first, second = goal.checkpoints.order_by("position").values_list("title", flat=True)
    assert second == f"{first} (2)"
