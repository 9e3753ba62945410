"""The market analysis of the ROMA seed, end to end: planned, carried out and joined at every level."""

import pytest

from artifacts.services import latest
from goals.models import Checkpoint, Subgoal
from goals.states import GoalStatus
from tests.goals import rules
from tests.goals.crew import PLAN, about, by_task, child, children, result, task_of, told
from tests.goals.test_model_goals import MET, plan, step

OBJECTIVE = "Create a comprehensive market analysis for electric vehicles in Europe"
DELAY = 1.5
SEARCHES = {
    "Current EV market data for Europe": "market_data",
    "European EV regulations and policies": "regulations",
    "Major EV manufacturers in Europe": "manufacturers",
}
THOUGHTS = {"Analyze market trends from data": "trends", "Identify growth opportunities": "opportunities"}
SECTIONS = {"Section on demand": "demand", "Section on supply": "supply"}
REPORT = "Europe's EV market grows by a fifth; charging is the bottleneck."


def search(gloss, key):
    return child(gloss, operation="search", evidence_key=key)


def think(gloss, key):
    return child(gloss, operation="think", evidence_key=key, depends_on=[0, 1, 2])


def write(gloss, key, **fields):
    return child(gloss, operation="write", evidence_key=key, **{"depends_on": [3, 4], **fields})


@pytest.fixture
def analysis(endpoint, submit, settle):
    """The analysed market: a goal that has come to its end."""
    nested = write("Detailed analysis sections", "sections", predicate="composite")
    root = children(
        "AND",
        *(search(gloss, key) for gloss, key in SEARCHES.items()),
        *(think(gloss, key) for gloss, key in THOUGHTS.items()),
        write("Executive summary", "summary"),
        nested,
        write("Recommendations and conclusions", "conclusions"),
    )
    whole = step("Analyse the market", description=OBJECTIVE, predicate="composite", evidence_key="market_report")
    endpoint.script.update(plan_checkpoints=[plan(whole)], atomize=PLAN, judge_outcome=MET)
    below = children("AND", *(write(gloss, key, depends_on=[]) for gloss, key in SECTIONS.items()))
    by_task(endpoint, "plan_subgoals", {OBJECTIVE: root, "Detailed analysis sections": below})
    by_task(
        endpoint,
        "aggregate",
        {
            OBJECTIVE: {"reply": {"result": REPORT, "outputs": []}},
            "Detailed analysis sections": {"reply": {"result": "Demand and supply, joined.", "outputs": []}},
        },
    )
    found = {gloss: result(f"found: {key}", delay=DELAY) for gloss, key in SEARCHES.items()}
    made = {gloss: result(f"made: {key}") for gloss, key in {**THOUGHTS, **SECTIONS}.items()}
    by_task(endpoint, "act", {**found, **made})
    goal = settle(submit(OBJECTIVE), 60.0)
    rules.hold()
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    return goal


def test_the_market_is_analysed_from_three_searches_at_once_to_one_report_with_its_sources(analysis, endpoint):
    began = {task_of(request): request["at"] for request in endpoint.named("act")}
    searched = [began[gloss] for gloss in SEARCHES]
    assert max(searched) < min(searched) + DELAY, "all three were in flight at once"
    thought = [began[gloss] for gloss in THOUGHTS]
    assert min(thought) >= max(searched) + DELAY, "the analysis waited for all three"
    written = [began[gloss] for gloss in (*SECTIONS, "Executive summary", "Recommendations and conclusions")]
    assert min(written) > max(thought), "the sections waited for the analysis"

    assert Checkpoint.objects.get(goal=analysis).result_summary == REPORT
    artifacts = latest(analysis.artifact_context_id)
    assert artifacts["market_report"].value == REPORT


def test_results_flow_from_left_to_right_and_from_the_parts_to_the_whole(analysis, endpoint):
    for gloss in THOUGHTS:
        known = {entry["result"] for entry in told(about(endpoint, "act", gloss)[0]).data("results", [])}
        assert known == {f"found: {key}" for key in SEARCHES.values()}
    for gloss in SECTIONS:
        known = {entry["result"] for entry in told(about(endpoint, "act", gloss)[0]).data("results", [])}
        assert known == {f"made: {key}" for key in THOUGHTS.values()}, "through the parent that waited for them"
    joined = told(about(endpoint, "aggregate", OBJECTIVE)[0]).data("results", [])
    assert "Demand and supply, joined." in {entry["result"] for entry in joined}
    assert len(joined) == 8


def test_each_operation_is_offered_its_own_tools(analysis, endpoint):
    def offered(gloss):
        return told(about(endpoint, "act", gloss)[0]).tool_names

    looking, thinking, writing = (offered(next(iter(tasks))) for tasks in (SEARCHES, THOUGHTS, SECTIONS))
    assert {"read_file", "search_files"} <= looking
    assert not {"write_file", "edit_file", "train_book"} & looking
    assert not {"read_file", "write_file"} & thinking
    assert looking | {"write_file", "edit_file"} <= writing


def test_a_tree_goes_no_deeper_than_allowed(endpoint, submit, settle, settings):
    settings.GOALSITE_MAX_DEPTH = 2
    deeper = {f"level {depth}": children("AND", _composite(f"level {depth + 1}")) for depth in range(9)}
    top = step("Dig", description="level 0", predicate="composite")
    endpoint.script.update(plan_checkpoints=[plan(top)], atomize=PLAN, judge_outcome=MET)
    by_task(endpoint, "plan_subgoals", deeper)
    by_task(endpoint, "act", {"level 2": result("rock")})
    goal = settle(submit())
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert list(Subgoal.objects.filter(goal=goal).order_by("depth").values_list("depth", "status")) == [
        (0, "achieved"),
        (1, "achieved"),
        (2, "achieved"),
    ]
    assert [task_of(request) for request in endpoint.named("act")] == ["level 2"]
    assert len(endpoint.named("atomize")) == 2


def _composite(gloss):
    return child(gloss, predicate="composite", operation=None)
