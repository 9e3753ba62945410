"""People against a driver at work: how it ends, that the rules hold, and that nothing is paid twice."""

import threading

import pytest
from django.contrib.auth.models import Permission
from django.db import connection, transaction

from artifacts.models import Artifact
from goals import answers, services
from goals.driver import Drive
from goals.exceptions import AlreadyAnswered
from goals.models import Checkpoint, Goal, ModelCall, Question
from goals.states import GoalStatus, PauseReason
from tests.goals import rules
from tests.goals.effects.meanwhile import calling, soon, until_somebody_waits
from tests.goals.effects.work import last_is, plan, reserved, step

DONE = {"reply": {"status": "done", "result": "Yes.", "outputs": []}}
MET = {"reply": {"met": True, "score": 1, "reason": "so", "evidence": ""}}
ON_TRACK = {"reply": {"on_track": True, "revise": False, "score": 0.5, "reasoning": "well"}}


@pytest.fixture
def acting(endpoint, submit):
    """A goal of as many steps as wanted that a model works on."""

    def make(steps, **wishes):
        endpoint.script.update(
            {"act": DONE, "judge_outcome": MET, "evaluate_progress": ON_TRACK, **wishes.pop("said", {})}
        )
        goal = submit("Act", verifier={"type": "llm"}, **wishes)
        for position in range(steps):
            step(goal, position, "execute", {"instructions": f"act {position}"}, operation="think")
        return plan(goal)

    return make


def nothing_is_paid_twice(endpoint, goal):
    """Every request was one call of the goal's, each told once but for late ones, and the budget holds their cost."""
    rules.hold()
    calls = ModelCall.objects.filter(goal=goal)
    keys = [request["key"] for request in endpoint.requests]
    assert len(keys) == len(set(keys)) == calls.count()
    assert len({call.scope for call in calls}) == calls.count()
    assert goal.events.filter(kind="model.called").count() == calls.filter(late=False).count()
    assert goal.budgets.get(resource="model_calls").used == calls.count()
    assert goal.budgets.get(resource="cost_usd").used == sum(call.cost_usd for call in calls)
    assert reserved(goal) == {}


def statuses(goal):
    return list(Checkpoint.objects.filter(goal=goal).order_by("position").values_list("status", flat=True))


def at_once(*works):
    """Run each on a thread with a connection of its own, all begun together; returns what they gave or raised."""
    together, outcomes = threading.Barrier(len(works)), {}

    def run(number, work):
        try:
            together.wait(60)
            outcomes[number] = work()
        except Exception as error:
            outcomes[number] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return [outcomes[number] for number in range(len(works))]


# -- cancel while summarising -----------------------------------------------------------------------------------


def test_cancel_while_summarising_keeps_what_it_cost_and_begins_nothing(endpoint, acting, meanwhile, settle):
    summary = {"reply": {"summary": "It went well."}, "hold": meanwhile.over}
    goal = acting(2, said={"summarise_context": summary})
    goal = meanwhile(goal, calling(goal, "summarise_context"), lambda: services.cancel(goal.owner, goal.pk))
    goal = settle(goal)
    assert (goal.status, goal.summary, goal.summary_due) == (GoalStatus.CANCELLED, "", True)
    assert statuses(goal) == ["completed", "skipped"]
    assert len(endpoint.named("act")) == 1
    assert ModelCall.objects.get(goal=goal, purpose="summarise_context").late
    nothing_is_paid_twice(endpoint, goal)


# -- steer while verifying --------------------------------------------------------------------------------------


def test_steering_while_a_checkpoint_is_verified_keeps_the_verdict_and_reaches_the_next_one(
    endpoint, acting, meanwhile, settle
):
    goal = acting(2, said={"judge_outcome": [{**MET, "hold": meanwhile.over}, MET, MET]})
    goal = meanwhile(
        goal, calling(goal, "judge_outcome"), lambda: services.steer(goal.owner, goal.pk, "softly from here")
    )
    goal = settle(goal)
    assert goal.status == GoalStatus.COMPLETED
    assert statuses(goal) == ["completed", "completed"]
    first, second = endpoint.named("act")
    assert "softly from here" not in str(first["body"])
    assert "softly from here" in str(second["body"])
    assert len(endpoint.named("judge_outcome")) == 3
    nothing_is_paid_twice(endpoint, goal)


def test_steering_while_the_goal_itself_is_verified_does_not_undo_the_proof_of_its_work(
    endpoint, acting, meanwhile, settle
):
    goal = acting(1, said={"judge_outcome": [MET, {**MET, "hold": meanwhile.over}, MET]})
    goal = meanwhile(
        goal,
        calling(goal, "judge_outcome", checkpoint=None),
        lambda: services.steer(goal.owner, goal.pk, "softly"),
    )
    goal = settle(goal)
    assert goal.status == GoalStatus.COMPLETED
    assert statuses(goal) == ["completed"]
    assert len(endpoint.named("act")) == 1
    nothing_is_paid_twice(endpoint, goal)


# -- limits raised ----------------------------------------------------------------------------------------------


def test_limits_raised_while_it_is_paused_for_them_let_it_go_on_where_it_stood(endpoint, acting, settle):
    goal = settle(acting(2, limits={"model_calls": 2}))
    assert (goal.status, goal.paused_for) == (GoalStatus.PAUSED, PauseReason.BUDGET)

    def raised(by):
        return lambda: services.raise_limits(goal.owner, goal.pk, {"model_calls": by})

    outcomes = at_once(raised("+5"), raised("+5"), lambda: services.resume(goal.owner, goal.pk))
    assert not any(isinstance(outcome, Exception) for outcome in outcomes), outcomes
    assert goal.budgets.get(resource="model_calls").limit == 12
    goal = settle(goal)
    assert goal.status == GoalStatus.COMPLETED
    assert len(endpoint.named("act")) == 2
    nothing_is_paid_twice(endpoint, goal)


def test_a_reservation_waits_for_limits_that_are_just_being_raised(endpoint, acting, meanwhile, settle):
    raised = threading.Event()
    goal = acting(1, limits={"model_calls": 1}, said={"act": {**DONE, "hold": raised.is_set}})

    def act():
        with transaction.atomic():
            services.raise_limits(goal.owner, goal.pk, {"model_calls": 9})
            raised.set()
            until_somebody_waits()  # the reply is there, and the judge's call wants its reservation

    goal = settle(meanwhile(goal, calling(goal, "act"), act))
    assert goal.status == GoalStatus.COMPLETED
    assert not goal.events.filter(kind__in=["goal.paused", "budget.exceeded"]).exists()
    nothing_is_paid_twice(endpoint, goal)


def test_limits_raised_between_a_refused_reservation_and_its_pause_are_there_at_the_resume(
    endpoint, acting, meanwhile, settle, monkeypatch
):
    refused, go_on, pause = threading.Event(), threading.Event(), Drive._pause

    def late(drive, error):
        refused.set()
        assert go_on.wait(60)
        pause(drive, error)

    monkeypatch.setattr(Drive, "_pause", late)
    goal = acting(1, limits={"model_calls": 1})

    def act():
        services.raise_limits(goal.owner, goal.pk, {"model_calls": 9})
        go_on.set()

    goal = meanwhile(goal, lambda: refused.wait(60), act)
    assert (goal.status, goal.paused_for) == (GoalStatus.PAUSED, PauseReason.BUDGET)
    services.resume(goal.owner, goal.pk)
    goal = settle(goal)
    assert goal.status == GoalStatus.COMPLETED
    assert goal.events.filter(kind="goal.paused").count() == 1
    nothing_is_paid_twice(endpoint, goal)


# -- two people answer at once ----------------------------------------------------------------------------------


def test_of_two_people_who_answer_at_once_one_is_heard_and_the_other_is_told(
    endpoint, submit, meanwhile, settle, django_user_model
):
    other = django_user_model.objects.create_user("grace")
    other.user_permissions.add(Permission.objects.get(codename="operate"))
    goal = submit("Ask", verifier=last_is("name"))
    step(goal, 0, "gather_info", {"key": "name", "prompt": "Who?"}, "name")
    goal = plan(goal)

    outcomes = []

    def act():
        pk = Question.objects.get(goal=goal).pk
        outcomes.extend(
            at_once(
                lambda: answers.answer(goal.owner, pk, "Ada", channel="chat"),
                lambda: answers.answer(other, pk, "Grace", channel="api"),
            )
        )

    goal = settle(meanwhile(goal, lambda: soon(Question.objects.open().filter(goal=goal).exists), act))
    assert goal.status == GoalStatus.COMPLETED
    (won,) = [outcome for outcome in outcomes if isinstance(outcome, Question)]
    (lost,) = [outcome for outcome in outcomes if isinstance(outcome, AlreadyAnswered)]
    assert won.answered_by.get_username() in str(lost)
    (artifact,) = Artifact.objects.filter(context=goal.artifact_context, name="name")
    assert artifact.value == won.answer == Question.objects.get(goal=goal).answer
    assert goal.events.filter(kind="question.answered").count() == 1
    nothing_is_paid_twice(endpoint, goal)


def test_a_goal_is_cancelled_and_paused_at_once_and_ends_cancelled(endpoint, acting, meanwhile):
    goal = acting(1, said={"act": {**DONE, "hold": meanwhile.over}})

    def act():
        at_once(
            lambda: services.cancel(goal.owner, goal.pk),
            lambda: services.pause(goal.owner, goal.pk, now=True),
        )

    goal = meanwhile(goal, calling(goal, "act"), act)
    assert goal.status == GoalStatus.CANCELLED
    assert Goal.objects.get(pk=goal.pk).lease_owner == ""
    nothing_is_paid_twice(endpoint, goal)
