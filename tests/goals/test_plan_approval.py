"""Plans that wait for a person: approved, edited, asked for again, chosen among; nothing is written or begun before."""

import threading

import pytest
from django.db import connection

from goals import answers, checkpoint_acts, lease, services
from goals.driver import Drive
from goals.effects import approval
from goals.effects.plan import plan
from goals.exceptions import AlreadyAnswered, InvalidInput, NotFound, StaleGoal
from goals.models import Checkpoint, Goal, ModelCall, Question
from goals.states import GoalStatus
from tests.goals import rules
from tests.goals.effects.work import take

DONE = {"reply": {"status": "done", "result": "Yes.", "outputs": []}}
MET = {"reply": {"met": True, "score": 1, "reason": "so", "evidence": ""}}
UNMET = {"reply": {"met": False, "score": 0, "reason": "not so", "evidence": ""}}


def step(title, **fields):
    told = {
        "title": title,
        "description": f"{title}, as it should be done.",
        "success_criteria": f"The text says what came of: {title}.",
        "predicate": "execute",
        "args": {"instructions": f"{title}."},
        "operation": "think",
    }
    return {**told, **fields}


def planned(*titles):
    return {"reply": {"checkpoints": [step(title) for title in titles], "reasoning": f"{titles[0]} first."}}


def titles(goal):
    return list(Checkpoint.objects.filter(goal=goal).order_by("position").values_list("title", flat=True))


def asked(goal):
    return Question.objects.open().get(goal=goal)


def section(request, name):
    said = request["body"]["messages"][-1]["content"]
    return said.split(f"<{name}>")[1].split(f"</{name}>")[0].strip()


@pytest.fixture
def waiting(endpoint, submit, settle):
    """A goal whose plan waits for its owner."""

    def make(*replies, **wishes):
        endpoint.script.update(plan_checkpoints=list(replies), act=DONE, judge_outcome=MET)
        goal = settle(submit("Write it up", plan_approval=True, **{"verifier": {"type": "llm"}, **wishes}))
        assert (goal.status, goal.waits_for, goal.plan_asked) == (GoalStatus.WAITING, "question", True)
        assert titles(goal) == []
        return goal

    return make


def test_a_plan_waits_as_a_question_and_is_written_when_it_is_approved(endpoint, waiting, settle):
    goal = waiting(planned("Gather", "Write"))
    question = asked(goal)
    assert (question.kind, question.subgoal, question.key) == ("approval", None, "plan")
    assert "1. Gather\n2. Write" in question.prompt
    assert [c["title"] for c in question.details["plans"][0]["checkpoints"]] == ["Gather", "Write"]
    assert endpoint.named("act") == []
    answers.answer(goal.owner, question.pk, "yes")
    assert titles(goal) == ["Gather", "Write"]
    told = goal.events.get(kind="goal.planned")
    assert (told.actor, told.payload["source"]) == (goal.owner, "model")
    goal = settle(goal)
    assert (goal.status, goal.plan_notes) == (GoalStatus.COMPLETED, "Gather first.")
    assert (len(endpoint.named("plan_checkpoints")), len(endpoint.named("act"))) == (1, 2)
    rules.hold()


def test_an_approval_beforehand_is_none_of_plans(waiting):
    assert asked(waiting(planned("Gather"), auto_approve=True)).status == "open"


def test_a_plan_is_edited_as_a_whole(waiting, settle):
    goal = waiting(planned("Gather", "Write"))
    answers.answer(goal.owner, asked(goal).pk, {"plan": [step("Write at once")]})
    assert titles(goal) == ["Write at once"]
    assert Checkpoint.objects.get(goal=goal).provenance == {"source": "person"}
    assert settle(goal).status == GoalStatus.COMPLETED
    rules.hold()


def test_a_bad_edit_is_refused_with_all_its_errors_and_the_question_stays_open(waiting):
    goal = waiting(planned("Gather"))
    bad = [
        step(
            "Call", predicate="use_tool", args={"tool": "teleport", "input": {}}, evidence_key="there", operation=None
        ),
        step("Use", predicate="use_tool", args={"tool": "read_file", "input": {"path": "@moon"}}),
    ]
    with pytest.raises(InvalidInput) as caught:
        answers.answer(goal.owner, asked(goal).pk, {"plan": bad})
    assert all(word in str(caught.value) for word in ("teleport", "@moon"))
    assert set(caught.value.errors) == {"answer.plan[0].args.tool", "answer.plan[1].args.input.path"}
    shapeless = [7, step(""), step("Fly", predicate="fly"), step("Write"), step("Write")]
    with pytest.raises(InvalidInput) as caught:
        answers.answer(goal.owner, asked(goal).pk, {"plan": shapeless})
    errors = caught.value.errors
    assert set(errors) == {"answer.plan[0]", "answer.plan[1].title", "answer.plan[2].predicate", "answer.plan[4].title"}
    assert errors["answer.plan[1].title"] == "must not be empty"
    assert "is that of plan[3] too" in errors["answer.plan[4].title"]
    assert asked(goal).answer is None
    assert titles(goal) == []


@pytest.mark.parametrize(
    "said",
    [
        "no",
        False,
        "perhaps",
        "",
        None,
        0,
        2,
        "9" * 400,
        [],
        {},
        {"plan": []},
        {"plan": {}},
        {"plan": "x"},
        {"again": " "},
        {"again": 7},
        {"again": "x" * 2001},
        {"approve": 2},
        {"approve": []},
        {"approve": 1, "again": "x"},
        {"plan": [], "of": 1},
        {"plan": [{}], "of": 2},
        {"plan": [{}], "of": True, "again": "x"},
        {"plan": [{"title": "x: y"}] * 21},
        '{"again": ',
        "{" * 10_000,
    ],
)
def test_what_says_nothing_of_the_plan_is_refused(waiting, said):
    goal = waiting(planned("Gather"))
    with pytest.raises(InvalidInput, match="answer"):
        answers.answer(goal.owner, asked(goal).pk, said)
    assert asked(goal).status == "open"


@pytest.mark.parametrize("said", [{"again": "shorter"}, "no, shorter", "N: shorter", '{"again": "shorter"}'])
def test_a_remark_asks_for_another_plan_that_waits_again(endpoint, waiting, settle, said):
    goal = waiting(planned("Gather", "Write"), planned("Write"))
    answers.answer(goal.owner, asked(goal).pk, said)
    goal = settle(goal)
    assert goal.waits_for == "question"
    assert titles(goal) == []
    heard = section(endpoint.named("plan_checkpoints")[-1], "steering")
    assert "shorter" in heard
    assert "Gather; Write" in heard
    answers.answer(goal.owner, asked(goal).pk, True)
    goal = settle(goal)
    assert (goal.status, goal.plan_remarks, titles(goal)) == (GoalStatus.COMPLETED, [], ["Write"])
    assert ModelCall.objects.filter(goal=goal, purpose="plan_checkpoints").count() == 2
    rules.hold()


def test_the_same_remark_again_and_again_is_not_answered_from_the_journal(endpoint, waiting, settle):
    goal = waiting(*[planned("A")] * 6, planned("B"))
    for _ in range(6):
        answers.answer(goal.owner, asked(goal).pk, {"again": "another"})
        goal = settle(goal)
    assert "1. B" in asked(goal).prompt
    assert len(endpoint.named("plan_checkpoints")) == 7


def test_a_remark_that_no_plan_can_follow_shows_the_plan_once_more(waiting, settle):
    none = {"reply": {"checkpoints": [], "reasoning": "nobody can fly"}}
    goal = waiting(planned("Gather"), none)
    answers.answer(goal.owner, asked(goal).pk, {"again": "fly there"})
    goal = settle(goal)
    question = asked(goal)
    assert "nobody can fly" in question.prompt
    answers.answer(goal.owner, question.pk, 1)
    assert settle(goal).status == GoalStatus.COMPLETED
    rules.hold()


def test_a_goal_that_no_plan_can_reach_asks_nobody(endpoint, submit, settle):
    endpoint.script.update(
        plan_checkpoints={"reply": {"checkpoints": [], "reasoning": "nobody can fly"}}, judge_outcome=UNMET
    )
    goal = settle(submit("Fly", plan_approval=True, verifier={"type": "llm"}))
    assert (goal.status, goal.outcome) == (GoalStatus.FAILED, "unachievable")
    assert not goal.questions.exists()


def test_one_of_several_plans_is_chosen_by_its_number(endpoint, waiting, settle):
    goal = waiting(planned("A", "B"), planned("A", "B"), planned("C"), planned("D"), alternatives=3)
    question = asked(goal)
    assert [[c["title"] for c in p["checkpoints"]] for p in question.details["plans"]] == [["A", "B"], ["C"], ["D"]]
    assert all(f"Plan {number}:" in question.prompt for number in (1, 2, 3))
    requests = endpoint.named("plan_checkpoints")
    assert len(requests) == 4  # the second was the first one again
    assert '"C"' in section(requests[3], "others")
    assert "another way is wanted" in section(requests[2], "errors")
    with pytest.raises(InvalidInput, match="1 to 3"):
        answers.answer(goal.owner, question.pk, "yes")
    answers.answer(goal.owner, question.pk, "2")
    assert settle(goal).status == GoalStatus.COMPLETED
    assert titles(goal) == ["C"]
    rules.hold()


def test_an_edited_plan_says_of_which_it_is_an_edition(endpoint, waiting, settle):
    goal = waiting(planned("A"), planned("B"), alternatives=2)
    question = asked(goal)
    question.details["plans"][1]["source"]["untrusted"] = True
    question.save(update_fields=["details"])
    with pytest.raises(InvalidInput, match="1 to 2"):
        answers.answer(goal.owner, question.pk, {"plan": [step("C")], "of": 3})
    answers.answer(goal.owner, question.pk, {"plan": [step("C")], "of": 1})
    goal = settle(goal)
    assert Checkpoint.objects.get(goal=goal).provenance == {"source": "person"}
    assert goal.plan_notes == "A first."


@pytest.mark.parametrize("of", [{"of": 2}, {}])
def test_what_a_model_read_outside_is_not_laundered_by_an_edit(waiting, of):
    goal = waiting(planned("A"), planned("B"), alternatives=2)
    question = asked(goal)
    question.details["plans"][1]["source"]["untrusted"] = True
    question.save(update_fields=["details"])
    answers.answer(goal.owner, question.pk, {"plan": [step("C")], **of})
    assert Checkpoint.objects.get(goal=goal).provenance == {"source": "person", "untrusted": True}


def test_where_there_are_fewer_ways_than_wanted_those_are_shown(waiting):
    goal = waiting(planned("A"), {"reply": {"checkpoints": [], "reasoning": "no other"}}, alternatives=2)
    assert len(asked(goal).details["plans"]) == 1


@pytest.mark.parametrize(
    "wishes",
    [
        {"plan_approval": "yes"},
        {"plan_approval": True, "alternatives": 1},
        {"plan_approval": True, "alternatives": 5},
        {"plan_approval": True, "alternatives": True},
        {"alternatives": 2},
    ],
)
def test_bad_wishes_are_refused_by_name_and_nothing_is_written(submit, wishes):
    with pytest.raises(InvalidInput, match=r"plan_approval|alternatives"):
        submit("Do it", **wishes)
    assert not Goal.objects.exists()


def test_a_revision_waits_too_and_replaces_what_is_pending_only_when_it_is_approved(endpoint, waiting, settle):
    goal = waiting(planned("A", "B"))
    answers.answer(goal.owner, asked(goal).pk, True)
    endpoint.script.update(revise_plan=[planned("C"), planned("D", "E")])
    services.revise(goal.owner, goal.pk, "B is the wrong way")
    goal = settle(goal)
    assert goal.waits_for == "question"
    assert titles(goal) == ["A", "B"]
    answers.answer(goal.owner, asked(goal).pk, {"again": "two steps"})
    goal = settle(goal)
    assert "two steps" in section(endpoint.named("revise_plan")[1], "steering")
    answers.answer(goal.owner, asked(goal).pk, True)
    goal = settle(goal)
    assert (goal.status, goal.revision, goal.revise_reason) == (GoalStatus.COMPLETED, 1, "")
    rows = Checkpoint.objects.filter(goal=goal).order_by("position").values_list("title", "status")
    assert list(rows) == [("A", "skipped"), ("B", "skipped"), ("D", "completed"), ("E", "completed")]
    rules.hold()


def test_the_plan_of_another_iteration_waits_too(endpoint, waiting, settle):
    goal = waiting(planned("A"), planned("B"), verifier={"type": "artifact", "name": "poem"})
    answers.answer(goal.owner, asked(goal).pk, True)
    goal = settle(goal)
    assert (goal.iteration, goal.waits_for) == (2, "question")
    assert "1. B" in asked(goal).prompt


def test_a_procedures_plan_waits_and_is_followed_with_its_inputs_when_approved(library, endpoint, submit, settle):
    goal = settle(submit("Book me a train", sop="book-train", plan_approval=True))
    question = asked(goal)
    assert question.details["plans"][0]["source"]["sop"] == "book-train"
    assert titles(goal) == []
    answers.answer(goal.owner, question.pk, True)
    goal = settle(goal)
    assert goal.sop_version.sop.slug == "book-train"
    assert Checkpoint.objects.filter(goal=goal).exclude(provenance__source="sop").count() == 0
    assert asked(goal).key == "origin"
    rules.hold()


def test_a_procedures_plan_can_be_one_of_several_and_edited(library, endpoint, submit, settle):
    endpoint.script.update(plan_checkpoints=planned("Ask a friend"), act=DONE, judge_outcome=MET)
    goal = settle(submit("Book me a train", sop="book-train", plan_approval=True, alternatives=2))
    sources = [plan["source"]["source"] for plan in asked(goal).details["plans"]]
    assert sources == ["sop", "model"]
    answers.answer(goal.owner, asked(goal).pk, {"plan": [step("Walk")]})
    assert titles(goal) == ["Walk"]


# -- who, and when ----------------------------------------------------------------------------------------------


def test_nobody_else_answers(waiting, django_user_model):
    goal = waiting(planned("A"))
    with pytest.raises(NotFound):
        answers.answer(django_user_model.objects.create_user("mallory"), asked(goal).pk, True)
    assert asked(goal).status == "open"


def test_of_two_who_answer_at_once_the_first_wins(waiting, settle):
    goal = waiting(planned("A"))
    question, outcomes = asked(goal), []
    together = threading.Barrier(2)

    def say(value):
        try:
            together.wait(60)
            answers.answer(goal.owner, question.pk, value)
            outcomes.append(value)
        except AlreadyAnswered as error:
            outcomes.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=say, args=[value]) for value in (True, {"plan": [step("B")]})]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sum(isinstance(outcome, AlreadyAnswered) for outcome in outcomes) == 1
    assert len(titles(goal)) == 1
    assert goal.events.filter(kind="goal.planned").count() == 1
    assert settle(goal).status == GoalStatus.COMPLETED
    rules.hold()


def test_cancel_withdraws_the_plan(waiting):
    goal = waiting(planned("A"))
    question = asked(goal)
    services.cancel(goal.owner, goal.pk)
    with pytest.raises(AlreadyAnswered):
        answers.answer(goal.owner, question.pk, True)
    assert titles(goal) == []
    rules.hold()


def test_a_plan_is_approved_while_the_goal_is_paused_and_begun_at_its_resume(waiting, settle):
    goal = waiting(planned("A"))
    services.pause(goal.owner, goal.pk)
    answers.answer(goal.owner, asked(goal).pk, True)
    goal.refresh_from_db()
    assert (goal.status, titles(goal)) == (GoalStatus.PAUSED, ["A"])
    services.resume(goal.owner, goal.pk)
    assert settle(goal).status == GoalStatus.COMPLETED
    rules.hold()


def test_a_resume_alone_approves_of_nothing(endpoint, waiting, settle):
    goal = waiting(planned("A"))
    services.pause(goal.owner, goal.pk)
    services.resume(goal.owner, goal.pk)
    goal = settle(goal)
    assert (goal.status, goal.waits_for) == (GoalStatus.WAITING, "question")
    assert endpoint.named("act") == []


def test_while_a_new_plan_waits_the_old_one_is_not_touched(endpoint, waiting, settle):
    goal = waiting(planned("A", "B"))
    answers.answer(goal.owner, asked(goal).pk, True)
    endpoint.script.update(revise_plan=planned("C"))
    services.revise(goal.owner, goal.pk, "otherwise")
    goal = settle(goal)
    row = Checkpoint.objects.filter(goal=goal).first()
    with pytest.raises(StaleGoal, match="waits for an answer"):
        checkpoint_acts.skip(goal.owner, goal.pk, row.pk, "no")
    with pytest.raises(StaleGoal, match="waits for an answer"):
        services.revise(goal.owner, goal.pk, "no")


class Died(BaseException):
    """The end of a worker process."""


def test_a_plan_whose_worker_died_before_it_asked_is_not_paid_again(endpoint, submit, settle, monkeypatch):
    endpoint.script.update(plan_checkpoints=[planned("A"), planned("B"), planned("C")])
    goal = submit("Write it up", plan_approval=True, alternatives=2, verifier={"type": "llm"})
    with monkeypatch.context() as patched:
        patched.setattr(approval, "_ask", lambda *_, **__: (_ for _ in ()).throw(Died))
        taken = take(goal)
        with pytest.raises(Died):
            plan(Drive(taken), goal.pk)
    lease.release(taken)
    plans = asked(settle(goal)).details["plans"]
    assert [p["checkpoints"][0]["title"] for p in plans] == ["A", "B"]
    assert len(endpoint.named("plan_checkpoints")) == 2
    rules.hold()
