"""What failed is mended in the smallest subtree, by a planner that knows what failed and what is done already."""

import pytest

from goals import answers, retry, services
from goals.effects import tool_use
from goals.models import Checkpoint, Event, Question, Subgoal
from goals.states import GoalStatus
from goals.tools.errors import UnknownTool
from tests.goals import rules
from tests.goals.crew import NOBODY_CAN, PLAN, STUCK, about, by_task, child, children, result, told
from tests.goals.test_model_goals import MET, plan, step


@pytest.fixture(autouse=True)
def quick_retries(monkeypatch):
    monkeypatch.setattr(retry, "BASE_SECONDS", 0.01)


@pytest.fixture
def composite(endpoint, submit, settle):
    """Run a goal of one composite checkpoint whose plans and tasks are answered as given."""
    endpoint.script.update(
        plan_checkpoints=[plan(step(description="stock the larder", predicate="composite"))],
        atomize=PLAN,
        judge_outcome=MET,
        aggregate={"reply": {"result": "all together", "outputs": []}},
    )

    def run(plans, tasks=None, **script):
        endpoint.script.update(script)
        if isinstance(plans, list) or "reply" in plans:
            endpoint.script["plan_subgoals"] = plans
        else:
            by_task(endpoint, "plan_subgoals", plans)
        by_task(endpoint, "act", tasks or {})
        goal = settle(submit())
        rules.hold()
        return goal

    return run


def fates(goal):
    rows = Subgoal.objects.filter(goal=goal, parent__isnull=False).order_by("depth", "position")
    return [(row.gloss, row.plan, str(row.status)) for row in rows]


def test_a_failed_part_is_planned_anew_and_what_was_achieved_is_kept_and_handed_on(endpoint, composite):
    first = children(
        "AND", child("pick apples", evidence_key="apples"), child("pick pears"), child("bake", depends_on=[1])
    )
    goal = composite(
        [first, children("AND", child("buy pears"), child("make a pie", depends_on=[0]))],
        {"pick apples": result("12 apples"), "pick pears": STUCK, "buy pears": result("5 pears from the shop")},
    )
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert fates(goal) == [
        ("pick apples", 1, "achieved"),
        ("pick pears", 1, "abandoned"),
        ("bake", 1, "skipped"),
        ("buy pears", 2, "achieved"),
        ("make a pie", 2, "achieved"),
    ]
    assert (goal.revision, Checkpoint.objects.get(goal=goal).attempts) == (0, 1), "it went no further up"
    again = told(endpoint.named("plan_subgoals")[1])
    assert again.text("failure") == "no way in"
    tried = {entry["gloss"]: entry for entry in again.data("tried", [])}
    assert (tried["pick apples"]["status"], tried["pick apples"]["artifacts"]) == ("achieved", ["@apples"])
    assert tried["pick pears"]["failure"] == "no way in"
    known = {
        entry["gloss"]: entry["result"] for entry in told(about(endpoint, "act", "make a pie")[0]).data("results", [])
    }
    assert known == {"buy pears": "5 pears from the shop", "pick apples": "12 apples"}
    joined = [entry["gloss"] for entry in told(endpoint.named("aggregate")[0]).data("results", [])]
    assert joined == ["pick apples", "buy pears", "make a pie"]
    assert len(about(endpoint, "act", "pick apples")) == 1, "what is done is not done again"


def test_each_plan_is_an_event_with_its_number_and_its_reason(composite):
    goal = composite([children("AND", child("break in")), children("AND", child("knock"))], {"break in": STUCK})
    payloads = (
        Event.objects.filter(goal=goal, kind="subgoal.expanded").order_by("seq").values_list("payload", flat=True)
    )
    assert [(p["plan"], p["reason"]) for p in payloads] == [(1, ""), (2, "no way in")]


def test_a_sibling_at_work_ends_before_the_new_plan_and_its_result_is_kept(endpoint, composite):
    goal = composite(
        [children("AND", child("dig"), child("drill")), children("AND", child("climb"))],
        {"dig": STUCK, "drill": result("a hole", delay=1.5)},
    )
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert fates(goal) == [("dig", 1, "abandoned"), ("drill", 1, "achieved"), ("climb", 2, "achieved")]


def test_a_plan_that_fails_again_gives_its_parent_the_same_choice(endpoint, composite):
    inner = child("fetch the key", predicate="composite")
    goal = composite(
        {
            "stock the larder": [children("AND", inner), children("AND", child("ring the bell"))],
            "fetch the key": children("AND", child("look under the mat")),
        },
        {"look under the mat": STUCK, "ring the bell": result("let in")},
    )
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert [gloss for gloss, _, status in fates(goal) if status == "abandoned"] == [
        "fetch the key",
        "look under the mat",
        "look under the mat",
    ]
    assert len(about(endpoint, "plan_subgoals", "fetch the key")) == 2, "the smallest subtree first"
    assert len(about(endpoint, "plan_subgoals", "stock the larder")) == 2
    assert goal.revision == 0


def test_what_is_declared_unachievable_goes_up_at_once(endpoint, composite):
    inner = child("square the circle", predicate="composite")
    goal = composite(
        {
            "stock the larder": [children("AND", inner), children("AND", child("draw a circle"))],
            "square the circle": children("AND", child("by ruler and compass")),
        },
        {"by ruler and compass": NOBODY_CAN},
    )
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert len(about(endpoint, "plan_subgoals", "square the circle")) == 1


def test_a_planner_that_sees_no_other_way_sends_the_failure_up(endpoint, composite):
    goal = composite(
        [children("AND", child("break in")), children("AND", reasoning="there is but one door")],
        {"break in": STUCK},
        revise_plan=[plan(step("Stay outside"))],
    )
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert goal.revision == 1
    assert "there is but one door" in told(endpoint.named("revise_plan")[0]).text("reason")


def test_no_plan_is_made_anew_without_end(endpoint, composite, settings):
    settings.GOALSITE_MAX_REPLANS = 2
    settings.GOALSITE_MAX_CHECKPOINT_ATTEMPTS = 1
    goal = composite(children("AND", child("break in")), {"break in": STUCK}, revise_plan=[plan(step("Stay outside"))])
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert len(endpoint.named("plan_subgoals")) == 3


def test_a_refusal_leads_to_a_plan_without_what_was_refused(endpoint, composite, settle, owner):
    ask = child("ask before selling", predicate="confirm", args={"question": "May I sell the house?"}, operation=None)
    goal = composite([children("AND", ask, child("sell", depends_on=[0])), children("AND", child("let it"))])
    answer(owner, goal, "no")
    goal = settle(goal)
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert [fate[::2] for fate in fates(goal)] == [
        ("ask before selling", "abandoned"),
        ("sell", "skipped"),
        ("let it", "achieved"),
    ]
    assert "a person said no" in told(endpoint.named("plan_subgoals")[1]).text("failure")


def answer(owner, goal, value):
    answers.answer(owner, Question.objects.get(goal=goal, status="open").pk, value)


LOOK = {
    "predicate": "use_tool",
    "args": {"tool": "list_files", "input": {}},
    "operation": None,
    "evidence_key": "files",
}


def test_a_tool_that_is_gone_leads_to_a_plan_without_it(endpoint, composite, monkeypatch):
    def gone(*_):
        raise UnknownTool("there is no tool 'list_files'")

    monkeypatch.setattr(tool_use, "prepare", gone)
    goal = composite([children("AND", child("list", **LOOK)), children("AND", child("remember"))])
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert fates(goal) == [("list", 1, "skipped"), ("remember", 2, "achieved")]
    assert "list_files" in told(endpoint.named("plan_subgoals")[1]).text("failure")


def test_a_checkpoint_without_its_tool_is_planned_anew_and_pauses_when_no_revision_is_left(
    endpoint, submit, settle, owner, settings, monkeypatch
):
    settings.GOALSITE_MAX_REVISIONS = 1
    found = tool_use.prepare

    def gone(*_):
        raise UnknownTool("there is no tool 'list_files'")

    monkeypatch.setattr(tool_use, "prepare", gone)
    look = step("List", **LOOK)
    endpoint.script.update(plan_checkpoints=[plan(look)], revise_plan=[plan(look)], judge_outcome=MET)
    goal = settle(submit())
    assert (goal.status, goal.paused_for, goal.revision) == (GoalStatus.PAUSED, "error", 1)
    assert goal.reason == "there is no tool 'list_files'"
    monkeypatch.setattr(tool_use, "prepare", found)
    services.resume(owner, goal.pk)
    assert settle(goal).status == GoalStatus.COMPLETED


def test_an_alternative_is_told_the_failure_of_the_one_before_and_what_is_left_of_the_budget(endpoint, composite):
    plans = children("OR", child("by road"), child("by rail"), child("by air"))
    goal = composite([plans], {"by road": STUCK, "by rail": result("arrived")})
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert [fate[::2] for fate in fates(goal)] == [
        ("by road", "abandoned"),
        ("by rail", "achieved"),
        ("by air", "skipped"),
    ]
    rail = told(about(endpoint, "act", "by rail")[0])
    assert rail.text("previous_failure") == "no way in"
    left = rail.data("budget", {})
    assert left["model_calls"].endswith("of 200 left")
    assert 0 < int(left["model_calls"].split()[0]) < 200
    assert told(about(endpoint, "act", "by road")[0]).data("budget", {}) == {}
    assert endpoint.named("aggregate") == [], "one result needs no joining"


def test_a_composite_alternative_is_planned_knowing_what_failed_before_it(endpoint, composite):
    plans = children("OR", child("by road"), child("by sea", predicate="composite"))
    goal = composite({"stock the larder": plans, "by sea": children("AND", child("find a ship"))}, {"by road": STUCK})
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert told(about(endpoint, "plan_subgoals", "by sea")[0]).text("failure") == "no way in"
    assert "model_calls" in told(about(endpoint, "act", "find a ship")[0]).data("budget", {})


def test_alternatives_that_all_failed_are_planned_anew(endpoint, composite):
    goal = composite(
        [children("OR", child("by road"), child("by rail")), children("OR", child("by air"))],
        {"by road": STUCK, "by rail": STUCK},
    )
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert fates(goal)[-1] == ("by air", 2, "achieved")
