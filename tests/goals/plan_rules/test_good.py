"""Good plans are refused for nothing: the library's, the rehearsal model's, and those of the designs."""

import pytest

from goals import plans
from goals.plan_rules import Known, checkpoint_errors, subgoal_errors
from goals.tools import registry
from sops import importer
from sops.adaptation import adapt
from sops.schema import parse
from tests.goals.llm.test_rehearsal import typed
from tests.goals.plan_rules.tools import child, step
from tests.sops.conftest import LIBRARY, SEED

TOOLS = {tool.name: registry.schema(tool)["function"]["parameters"] for tool in registry.own_tools()}
SPECS = importer.check([LIBRARY], known_tools=registry.own_names())
OBJECTIVES = [
    "Find out where the port is set in the configuration",
    "Say hello",
    "Write a report of all the TODO comments in report.md",
    "Überblick über den Garten",
]


@pytest.mark.parametrize("spec", SPECS, ids=[spec.slug for spec in SPECS])
@pytest.mark.parametrize("given", [True, False], ids=["told", "asked"])
def test_every_procedure_of_the_library(spec, given):
    known = {entry.name for entry in spec.inputs} if given else set()
    steps = adapt(spec, known, set(TOOLS), spec.intent)
    assert checkpoint_errors(plans.plain(steps), Known(TOOLS, frozenset(known), reviewed=True), spec.intent) == []


def test_a_procedure_in_the_older_form():
    steps = adapt(parse(SEED), {"origin"}, {"train_search"})
    known = Known({"train_search": TOOLS["train_search"]}, frozenset({"origin"}), reviewed=True)
    assert checkpoint_errors(plans.plain(steps), known, "Book me a train to Paris") == []


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("errors", [[], ["checkpoints: too many"]], ids=["first", "again"])
def test_what_the_rehearsal_model_plans(objective, errors):
    told = [{"name": name} for name in TOOLS]
    said = typed("plan_checkpoints", objective=objective, tools=told, max_checkpoints=20, errors=errors)
    assert checkpoint_errors(plans.plain(said.checkpoints), Known(TOOLS), objective) == []


def test_what_the_rehearsal_model_plans_for_a_task():
    said = typed("plan_subgoals", task="Look for ports", done_when=[{"kind": "has_evidence", "key": "ports"}])
    drafts = plans.plain(said.subgoals)
    assert subgoal_errors(drafts, said.decomposition, Known(TOOLS), "Look for ports", {"ports"}) == []


def test_the_train_of_the_goal_stack():
    """Subgoals of "Book me a train to Paris", with the keys of that design."""
    schema = {"type": "object", "properties": {"date": {"type": "string"}, "train": {}}}
    search = {**schema, "required": ["date"]}
    known = Known({"train-search-api": search, "train-booking-api": schema}, frozenset({"origin", "destination"}))
    drafts = [
        child("Gather travelDate", "gather_info", args={"key": "travelDate", "prompt": "When are you traveling?"}),
        child(
            "Search trains",
            "use_tool",
            args={"tool": "train-search-api", "input": {"date": "@travelDate"}},
            evidence_key="trainList",
            depends_on=[0],
            done_when=[{"kind": "has_evidence", "key": "trainList"}],
        ),
        child("Present the trains", "present_info", args={"text": "Trains", "data": "@trainList"}, depends_on=[1]),
        child(
            "Confirm the train",
            "confirm",
            args={"question": "Book it?", "show": "@trainList.0"},
            evidence_key="confirmation",
            depends_on=[1],
        ),
        child(
            "Book the train",
            "use_tool",
            args={"tool": "train-booking-api", "input": {"train": "@trainList.0", "date": "@travelDate"}},
            evidence_key="booking",
            depends_on=[3],
        ),
    ]
    assert subgoal_errors(drafts, "AND", known, "Book train to Paris", {"booking"}) == []


def test_the_caching_layer_of_the_goal_stack():
    glosses = ["Choose what is cached", "Write the cache", "Use it where data is read", "Test it"]
    drafts = [child(gloss, depends_on=[n - 1] if n else []) for n, gloss in enumerate(glosses)]
    assert subgoal_errors(drafts, "AND", Known({}), "Create caching layer") == []


def test_the_operations_of_the_recursive_agent():
    """Search side by side, then think, then write; each with outputs that the next one refers to."""

    def output(name):
        return [{"name": name, "type": "text", "description": f"The {name}", "purpose": "for the next step"}]

    drafts = [
        child("Search for prices", operation="search", outputs=output("prices")),
        child("Search for reviews", operation="search", outputs=output("reviews")),
        child("Weigh both", operation="think", args={"data": ["@prices", "@reviews"]}, depends_on=[0, 1],
              outputs=output("verdict")),
        child("Write it down", operation="write", args={"data": "@verdict"}, depends_on=[2]),
    ]  # fmt: skip
    assert subgoal_errors(drafts, "AND", Known({}), "Recommend a phone") == []


def test_alternatives_that_make_the_same():
    drafts = [child("Fetch it from the mirror", evidence_key="page"), child("Ask for it", evidence_key="page")]
    assert subgoal_errors(drafts, "OR", Known({}), "Get the page", {"page"}) == []


def test_checkpoints_of_the_autonomous_loop():
    """Research, execution, verification: concrete over abstract, with criteria that can be looked at."""
    drafts = [
        step("Research three frameworks", operation="search", evidence_key="frameworks"),
        step("Build the prototype", operation="write", args={"instructions": "Use @frameworks"}),
        step("Run its tests", verifier={"type": "data", "path": "results.txt", "contains": "passed"}),
    ]
    assert checkpoint_errors(drafts, Known(TOOLS), "Evaluate web frameworks and build a prototype") == []
