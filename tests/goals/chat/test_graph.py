"""The page of one goal: who may see it, and what its graph is made of."""

import pytest
from django.test import Client
from django.urls import reverse

from artifacts.services import create_artifact
from goals import services
from goals.chat.graph import deed, graph_of, origin
from goals.models import Checkpoint, Goal, ModelCall, Question, Subgoal, ToolCall, Verification
from goals.templatetags.modules import imported, script
from tests.goals.big_goal import big_goal

pytestmark = pytest.mark.django_db(transaction=True)
SCRIPT = {"X-Requested-With": "goalsite"}


@pytest.fixture
def grown(owner) -> Goal:
    """A goal with a tree, calls, checks, a question and an artifact."""
    found = big_goal(owner, checkpoints=4, subgoals=30, events=60)
    Question.objects.create(goal=found, kind="information", prompt="Which archive?")
    create_artifact(context=found.artifact_context_id, name="letters", type="text", value="Dear", description="them")
    return found


def pages(goal: Goal) -> list[str]:
    return [
        reverse(name, args=[goal.pk])
        for name in (
            "goal_page",
            "goal_head",
            "goal_graph_data",
            "goal_timeline",
            "goal_moments",
            "goal_events",
            "goal_artifacts",
        )
    ]


def inside(goal: Goal) -> list[str]:
    """The address of one of each kind inside a goal."""
    from artifacts.models import Artifact

    kinds = {
        "checkpoints": Checkpoint,
        "subgoals": Subgoal,
        "model-calls": ModelCall,
        "tool-calls": ToolCall,
        "verifications": Verification,
        "questions": Question,
    }
    found = [(kind, model.objects.filter(goal=goal).first().pk) for kind, model in kinds.items()]
    found.append(("artifacts", Artifact.objects.get(context_id=goal.artifact_context_id).pk))
    return [reverse("goal_inside", args=[goal.pk, kind, pk]) for kind, pk in found]


def test_nobody_sees_the_goal_of_another(ada, eve, grown):
    for address in [*pages(grown), *inside(grown), f"{inside(grown)[2]}reply/"]:
        assert ada.get(address).status_code == 200, address
        assert eve.get(address).status_code == 404, address
        assert eve.get(address, headers=SCRIPT).json()["message"]
        assert Client().get(address).status_code == 302
        assert Client().get(address, headers=SCRIPT).status_code == 401


def test_nobody_sees_what_is_inside_another_goal_through_their_own(eve, grown, django_user_model):
    hers = services.submit(owner=django_user_model.objects.get(username="eve"), objective="Look around")
    for address in inside(grown):
        through = address.replace(str(grown.pk), str(hers.pk))
        assert eve.get(through).status_code == 404, through
        assert eve.get(f"{through}result/").status_code == 404


def test_the_conversations_panel_leads_to_the_goals_page(ada, goal):
    panel = ada.get(reverse("panel", args=[goal.conversation_id])).content.decode()
    assert reverse("goal_page", args=[goal.pk]) in panel


def test_a_goal_without_a_plan_has_an_empty_graph(goal):
    assert graph_of(goal) == {"seq": 1, "status": "planning", "cut": False, "nodes": [], "needs": []}


def checkpoint(goal: Goal, position: int = 0, **columns) -> Checkpoint:
    wishes = {"title": f"Step {position + 1}", "predicate": "composite", **columns}
    return Checkpoint.objects.create(goal=goal, position=position, **wishes)


def subgoal(step: Checkpoint, parent: Subgoal | None = None, gloss: str = "A part", **columns) -> Subgoal:
    wishes = {"predicate": "execute", "depth": parent.depth + 1 if parent else 0, **columns}
    return Subgoal.objects.create(goal_id=step.goal_id, checkpoint=step, parent=parent, gloss=gloss, **wishes)


def by_title(goal: Goal) -> dict[str, dict]:
    return {node["title"]: node for node in graph_of(goal)["nodes"]}


def test_a_checkpoint_and_its_root_are_one_node(goal):
    step = checkpoint(goal, status="active")
    root = subgoal(step, gloss="Step 1", status="waiting", asked=True, decomposition="OR")
    subgoal(step, root, "One way")
    nodes = by_title(goal)
    assert nodes["Step 1"]["status"] == "waiting"
    assert nodes["Step 1"]["either"]
    assert nodes["One way"]["parent"] == str(step.pk)
    assert len(nodes) == 2


def test_only_the_latest_attempt_is_drawn_and_an_earlier_plan_is_told_from_the_present_one(goal):
    step = checkpoint(goal, status="active", attempts=2)
    subgoal(step, subgoal(step, round=1), "Of the first attempt", round=1)
    root = subgoal(step, round=2, replans=1)
    subgoal(step, root, "Planned first", round=2, plan=1)
    subgoal(step, root, "Planned anew", round=2, plan=2)
    nodes = by_title(goal)
    assert "Of the first attempt" not in nodes
    assert nodes["Planned first"]["old"] == 1
    assert "old" not in nodes["Planned anew"]


def test_what_waits_for_what_is_told_by_the_nodes_that_are_shown(goal):
    step = checkpoint(goal, status="active")
    root = subgoal(step)
    before, after = subgoal(step, root, "Before"), subgoal(step, root, "After")
    after.depends_on.add(before)
    other = checkpoint(goal, 1)
    hidden = subgoal(other, round=1)
    subgoal(other, round=2).depends_on.add(hidden)
    assert graph_of(goal)["needs"] == [[str(after.pk), str(before.pk)]]


def test_a_node_says_what_it_does_and_where_its_plan_comes_from(goal):
    checkpoint(
        goal, predicate="use_tool", args={"tool": "read_file"}, provenance={"sop": "find", "version": 3, "step": 0}
    )
    (node,) = graph_of(goal)["nodes"]
    assert (node["deed"], node["origin"]) == ("read_file", "find v3, step 1")
    assert deed("execute", "search") == "Search"
    assert deed("gather_info", "") == "Ask"
    assert origin({"source": "model"}) == "planned by the model"
    assert origin({}) == ""


def test_a_graph_costs_three_statements_whatever_its_size(owner, django_assert_num_queries):
    for size in (10, 120):
        goal = big_goal(owner, checkpoints=4, subgoals=size, events=10)
        with django_assert_num_queries(3):
            assert len(graph_of(goal)["nodes"]) >= size


def test_what_is_inside_costs_a_bounded_number_of_statements(ada, owner, django_assert_max_num_queries):
    for size in (10, 60):
        found = big_goal(owner, checkpoints=4, subgoals=size, events=10)
        for kind, model in (("checkpoints", Checkpoint), ("subgoals", Subgoal)):
            for row in model.objects.filter(goal=found)[:4]:
                with django_assert_max_num_queries(18):
                    ada.get(reverse("goal_inside", args=[found.pk, kind, row.pk]), headers=SCRIPT)


def test_a_script_asks_at_once_for_all_that_it_imports():
    found = imported("goals/graph.js")
    assert {"goals/goal.js", "goals/live.js", "goals/soon.js", "goals/graph_layout.js"} <= set(found)
    assert len(found) == len(set(found))
    assert "goals/graph.js" not in found
    assert 'rel="modulepreload" href="/static/goals/live.js"' in script("goals/graph.js")
