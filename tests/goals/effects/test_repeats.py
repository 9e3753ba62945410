"""What was done outside is real: no attempt and no plan does the same once more without a person's word."""

import pytest

from artifacts.services import latest
from goals import answers, checkpoint_acts
from goals.models import Conversation, Message, Subgoal, ToolCall
from goals.states import EffectClass, GoalStatus
from goals.tools.base import ProbeResult, ToolResult
from tests.goals import rules
from tests.goals.crew import told
from tests.goals.test_model_goals import DONE, MET, UNMET, plan, step

ONE_ATTEMPT = {"checkpoint_attempts": 1}
NEVER = {"type": "data", "path": "never.txt", "contains": "x"}
BOOK = {"tool_calls": [{"name": "book", "arguments": {"number": 1}}]}


def booking(title="Book", number=1, key="ticket", **fields):
    args = {"tool": "book", "input": {"number": number}}
    return step(title, predicate="use_tool", args=args, evidence_key=key, **fields)


@pytest.fixture
def book(tool):
    return tool("book", EffectClass.EXTERNAL, lambda given, _: ToolResult(f"seat {given.number}", "booked"))


@pytest.fixture
def played(endpoint, submit, settle):
    """A goal with this plan, of which another one is made when a checkpoint fails."""

    def run(first, *revised, **wishes):
        script = {"plan_checkpoints": [first], "revise_plan": list(revised), "judge_outcome": MET}
        endpoint.script.update({**script, **wishes.pop("script", {})})
        return settle(submit(options=ONE_ATTEMPT, **wishes))

    return run


def test_a_revised_plan_is_answered_by_what_the_failed_checkpoint_has_done(played, book, owner):
    talk = Conversation.objects.create(owner=owner)
    goal = played(plan(booking(verifier=NEVER)), plan(booking("Book anew")), conversation=talk)
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert [c.status for c in goal.checkpoints.order_by("position")] == ["failed", "completed"]
    assert len(book.keys) == ToolCall.objects.filter(goal=goal, tool="book").count() == 1
    ticket = latest(goal.artifact_context_id)["ticket"]
    assert (ticket.version, ticket.value) == (2, "seat 1")
    assert "and not done again; this is what it gave: booked" in Subgoal.objects.latest("created_at").result["text"]
    assert Message.objects.filter(goal=goal, content__startswith="book: done already").count() == 1
    rules.hold()


def test_the_planner_is_told_what_was_done_outside_and_for_what(played, endpoint, book):
    first = plan(booking("Book the way there", 1, "there"), booking("Book the way back", 2, "back", verifier=NEVER))
    played(first, plan(step("Tell")), script={"act": DONE})
    done = told(endpoint.named("revise_plan")[0]).data("done_outside", [])
    assert [(d["tool"], d["arguments"]["number"], d["for"], d["completed"], d["summary"]) for d in done] == [
        ("book", 1, "Book the way there", True, "booked"),
        ("book", 2, "Book the way back", False, "booked"),
    ]
    assert told(endpoint.named("plan_checkpoints")[0]).text("done_outside") == "[]"


def test_the_planner_of_a_new_iteration_is_told_too(endpoint, submit, settle, book):
    endpoint.script.update(plan_checkpoints=[plan(booking()), plan(step("Tell"))], act=DONE)
    endpoint.script["judge_outcome"] = [UNMET, MET, MET]
    goal = settle(submit(verifier={"type": "llm"}))
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    (done,) = told(endpoint.named("plan_checkpoints")[1]).data("done_outside", [])
    assert (done["tool"], done["completed"]) == ("book", True)


@pytest.mark.parametrize(("answer", "times"), [("yes", 2), ("no", 1)])
def test_what_was_done_for_a_completed_checkpoint_is_done_again_only_with_a_persons_word(
    answer, times, played, book, settle, owner
):
    goal = played(plan(booking(), booking("Book once more", key="second")), script={"revise_plan": plan(step("Tell"))})
    question = goal.questions.open().get()
    assert (question.kind, question.key) == ("approval", "")
    assert question.prompt.startswith("I have used book with exactly this already, at ")
    assert "for the step “Book”: booked May I use it once more?" in question.prompt
    assert question.details["before"]["call"] == str(ToolCall.objects.get(goal=goal).pk)
    assert len(book.keys) == 1
    answers.answer(owner, question.pk, answer)
    settle(goal)
    assert len(book.keys) == times
    assert goal.questions.count() == 1
    rules.hold()


def test_other_arguments_are_another_act(played, book):
    goal = played(plan(booking(), booking("Book another", number=2, key="second")))
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert len(book.keys) == 2


def test_another_attempt_asks_for_no_approval_of_what_was_done_already(endpoint, submit, settle, book, owner):
    book.risk = "dangerous"
    endpoint.script.update(plan_checkpoints=[plan(step())], act=[BOOK, DONE, BOOK, DONE])
    endpoint.script["judge_outcome"] = [UNMET, MET, MET]
    goal = settle(submit())
    answers.answer(owner, goal.questions.open().get().pk, "yes")
    goal = settle(goal)
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert goal.questions.count() == 1
    assert len(book.keys) == 1
    (answer,) = told(endpoint.named("act")[-1]).tool_results
    assert answer.startswith("done already, at ")


def test_a_call_of_this_very_try_is_told_as_it_is(endpoint, submit, settle, book):
    endpoint.script.update(plan_checkpoints=[plan(step())], act=[BOOK, DONE], judge_outcome=MET)
    settle(submit())
    assert told(endpoint.named("act")[-1]).tool_results == ['booked\n"seat 1"']


@pytest.mark.parametrize(("happened", "times"), [(True, 1), (False, 2)])
def test_a_lost_call_of_a_step_that_was_dropped_is_found_out_before_it_is_made_again(
    happened, times, played, tool, settle, owner
):
    """The question about it went with the step."""
    lost, known = [ConnectionResetError("cut")], []

    def does(*_):
        if lost:
            raise lost.pop()
        return ToolResult("seat", "booked")

    book = tool("book", EffectClass.EXTERNAL, does, lambda _: ProbeResult(happened) if known else None)
    goal = played(plan(booking(), booking("Book after all", key="second")))
    assert goal.questions.open().get().kind == "recovery"
    checkpoint_acts.skip(owner, goal.pk, goal.checkpoints.earliest("position").pk, "not now")
    known.append(True)
    goal = settle(goal)
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert len(book.keys) == times
    (call,) = ToolCall.objects.filter(goal=goal)
    assert call.checkpoint.title == "Book after all"
    rules.hold()
