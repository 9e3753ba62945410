"""The market analysis of the ROMA seed, end to end: planned, carried out and joined at every level."""

import pytest
from django.core.management import call_command

from artifacts.services import latest
from goals.effects import tool_use
from goals.models import Checkpoint, Subgoal
from goals.states import GoalStatus
from goals.tools.errors import UnknownTool
from sops.models import SopUse
from tests.goals import rules
from tests.goals.crew import PLAN, about, by_task, child, children, result, task_of, told
from tests.goals.test_model_goals import MET, plan, step

OBJECTIVE = "Create a comprehensive market analysis for electric vehicles in Europe"
WHOLE = "Search figures, rules and makers, weigh them, and write the report section by section"
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
    whole = step("Analyse the market", description=WHOLE, predicate="composite", evidence_key="market_report")
    endpoint.script.update(plan_checkpoints=[plan(whole)], atomize=PLAN, judge_outcome=MET)
    below = children("AND", *(write(gloss, key, depends_on=[]) for gloss, key in SECTIONS.items()))
    by_task(endpoint, "plan_subgoals", {WHOLE: root, "Detailed analysis sections": below})
    by_task(
        endpoint,
        "aggregate",
        {
            WHOLE: {"reply": {"result": REPORT, "outputs": []}},
            "Detailed analysis sections": {"reply": {"result": "Demand and supply, joined.", "outputs": []}},
        },
    )

    def all_are_in_flight():
        return len(endpoint.named("act")) == len(SEARCHES)

    found = {gloss: result(f"found: {key}", hold=all_are_in_flight) for gloss, key in SEARCHES.items()}
    made = {gloss: result(f"made: {key}") for gloss, key in {**THOUGHTS, **SECTIONS}.items()}
    by_task(endpoint, "act", {**found, **made})
    goal = settle(submit(OBJECTIVE), 60.0)
    rules.hold()
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    return goal


def test_the_market_is_analysed_from_three_searches_at_once_to_one_report_with_its_sources(analysis, endpoint):
    began = {task_of(request): request["at"] for request in endpoint.named("act")}
    searched = [began[gloss] for gloss in SEARCHES]
    thought = [began[gloss] for gloss in THOUGHTS]
    assert min(thought) > max(searched), "the analysis waited for all three"
    written = [began[gloss] for gloss in (*SECTIONS, "Executive summary", "Recommendations and conclusions")]
    assert min(written) > max(thought), "the sections waited for the analysis"

    assert Checkpoint.objects.get(goal=analysis).result_summary == REPORT
    artifacts = latest(analysis.artifact_context_id)
    assert artifacts["market_report"].value == REPORT
    sources = {source.name for source in artifacts["market_report"].derived_from.all()}
    assert sources == {*SEARCHES.values(), *THOUGHTS.values(), "summary", "sections", "conclusions"}
    assert {source.name for source in artifacts["sections"].derived_from.all()} == set(SECTIONS.values())


def test_results_flow_from_left_to_right_and_from_the_parts_to_the_whole(analysis, endpoint):
    for gloss in THOUGHTS:
        known = {entry["result"] for entry in told(about(endpoint, "act", gloss)[0]).data("results", [])}
        assert known == {f"found: {key}" for key in SEARCHES.values()}
    for gloss in SECTIONS:
        known = {entry["result"] for entry in told(about(endpoint, "act", gloss)[0]).data("results", [])}
        assert known == {f"made: {key}" for key in THOUGHTS.values()}, "through the parent that waited for them"
    joined = told(about(endpoint, "aggregate", WHOLE)[0]).data("results", [])
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


INVENTORY = "Make an inventory of the Python modules in this folder, with their public functions"


def applies(slug):
    verdict = {"sop": slug, "confidence": 0.9, "missing_prerequisites": [], "inputs": {"folder": "."}}
    return {"reply": {**verdict, "reasoning": "it says so"}}


@pytest.fixture
def inventory(endpoint, submit, settle, library, tmp_path):
    """Run a goal of one composite checkpoint about which the judge of procedures says this."""
    (tmp_path / "tool.py").write_text('"""A tool."""\n\n\ndef work():\n    """Work."""\n')

    def run(verdict, *plans_):
        top = step("Take stock", description=INVENTORY, predicate="composite")
        endpoint.script.update(plan_checkpoints=[plan(top)], atomize=PLAN, judge_outcome=MET)
        endpoint.script.update(judge_applicability=verdict, plan_subgoals=list(plans_))
        by_task(endpoint, "act", {})
        goal = settle(submit("Do the thing", workspace=str(tmp_path)))
        rules.hold()
        assert goal.status == GoalStatus.COMPLETED, goal.reason
        return goal

    return run


def test_a_composite_subgoal_follows_a_procedure_before_a_model_plans_it(inventory, endpoint, tmp_path):
    goal = inventory(applies("python-inventory"))
    assert endpoint.named("plan_subgoals") == []
    rows = list(Subgoal.objects.filter(goal=goal, depth=1).order_by("position"))
    assert [row.evidence_key for row in rows] == ["modules", "report"]
    assert {(row.provenance["sop"], row.status) for row in rows} == {("python-inventory", "achieved")}
    assert list(rows[1].depends_on.all()) == [rows[0]], "a procedure's steps are done in their order"
    assert "work" in (tmp_path / "python-inventory.md").read_text()
    use = SopUse.objects.get(goal_id=goal.pk)
    assert (use.version.sop.slug, use.outcome) == ("python-inventory", "achieved")


def test_a_procedure_that_does_not_apply_leaves_the_plan_to_the_model(inventory, endpoint):
    goal = inventory(applies(None), children("AND", child("count them")))
    assert len(endpoint.named("judge_applicability")) == 1
    assert Subgoal.objects.get(goal=goal, depth=1).provenance == {"source": "model"}


def test_a_procedure_whose_step_fails_is_planned_anew_by_the_model(inventory, endpoint, monkeypatch):
    monkeypatch.setattr(tool_use, "prepare", _no_tool)
    goal = inventory(applies("python-inventory"), children("AND", child("count them by hand")))
    assert len(endpoint.named("judge_applicability")) == 1
    fates = Subgoal.objects.filter(goal=goal, depth=1).order_by("position").values_list("plan", "status")
    assert list(fates) == [(1, "skipped"), (1, "skipped"), (2, "achieved")]


def _no_tool(*_):
    raise UnknownTool("the tool is gone")


MONDAYS = """
slug: greenhouse-review
title: Review of the greenhouse temperatures
intent: Review the greenhouse temperatures of the week and say what to change
steps:
  - title: Review
    gloss: Review the greenhouse temperatures of the week and say what to change
    predicate: composite
"""


def test_a_procedure_is_not_followed_within_itself(endpoint, submit, settle, transactional_db, tmp_path):
    (tmp_path / "mondays.yaml").write_text(MONDAYS)
    call_command("load_sops", str(tmp_path / "mondays.yaml"), verbosity=0)
    gloss = "Review the greenhouse temperatures of the week and say what to change"
    endpoint.script.update(
        plan_checkpoints=[plan(step("Look", description=gloss, predicate="composite"))],
        judge_applicability={"reply": {**applies("greenhouse-review")["reply"], "inputs": {}}},
        plan_subgoals=[children("AND", child("read the thermometer"))],
        atomize=PLAN,
        judge_outcome=MET,
    )
    by_task(endpoint, "act", {})
    goal = settle(submit("Do the thing"))
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    found = Subgoal.objects.filter(goal=goal).order_by("depth").values_list("gloss", "provenance__source")
    assert list(found)[1:] == [(gloss, "sop"), ("read the thermometer", "model")]
