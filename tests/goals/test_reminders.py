"""Questions that nobody answers: reminded of once; an approval then pauses the goal, and its answer resumes it."""

from datetime import timedelta

import pytest
from django.db.models import F

from goals import answers, lease, services
from goals.chat import conversations
from goals.driver import Drive
from goals.effects import people
from goals.exceptions import StaleGoal
from goals.lease import Lease
from goals.models import Checkpoint, Event, Goal, Message, Question, Subgoal
from goals.states import EffectClass, GoalStatus, PauseReason, Risk
from goals.tools.errors import OutcomeUnknown
from tests.goals import rules
from tests.goals.effects.conftest import planned, tool
from tests.goals.effects.work import last_is, plan, step, take
from tests.goals.test_plan_approval import DONE, MET
from tests.goals.test_plan_approval import planned as drafted

__all__ = ["planned", "tool"]
HOURS, DAYS = timedelta(hours=5), timedelta(days=2)


def later(goal, time):
    """Let so much time pass for whatever the goal waits for."""
    Subgoal.objects.filter(goal=goal, wake_at__isnull=False).update(wake_at=F("wake_at") - time)
    Goal.objects.filter(pk=goal.pk, wake_at__isnull=False).update(wake_at=F("wake_at") - time)
    Goal.objects.filter(pk=goal.pk, plan_wake_at__isnull=False).update(plan_wake_at=F("plan_wake_at") - time)


def reminders(goal):
    return Event.objects.filter(goal=goal, kind="question.reminded").count()


@pytest.fixture
def asking(submit, owner, settle):
    """A goal that waits for a colour, in a conversation."""
    goal = submit("Ask me", verifier=last_is("colour"), conversation=conversations.start(owner))
    step(goal, 0, "gather_info", {"prompt": "Which colour?"}, "colour")
    return settle(plan(goal))


@pytest.fixture
def wanting(planned, tool, settle):
    """A goal that waits for the approval of a dangerous tool."""
    tool("blast", EffectClass.PURE).risk = Risk.DANGEROUS
    return settle(planned("blast"))


def test_a_question_is_reminded_of_once_after_its_time(asking, settle, owner):
    assert lease.claim(1, [asking.pk]) == []
    later(asking, HOURS)
    goal = settle(asking)
    question = Question.objects.get(goal=goal)
    assert question.status == "open"
    assert question.reminded_at is not None
    assert Message.objects.get(content__startswith="I still wait").content.endswith("Which colour?")
    assert (goal.status, goal.waits_for, goal.wake_at) == (GoalStatus.WAITING, "question", None)
    later(asking, DAYS)
    assert settle(goal).status == GoalStatus.WAITING
    assert reminders(goal) == 1
    answers.answer(owner, question.pk, "red")
    assert settle(goal).status == GoalStatus.COMPLETED
    assert rules.violations() == []


def test_the_times_are_those_of_the_settings(asking, settle, settings):
    settings.GOALSITE_REMIND_AFTER = 3
    waits = Subgoal.objects.get(goal=asking).wake_at - Question.objects.get().created_at
    assert timedelta(hours=4) <= waits + timedelta(seconds=1)
    assert waits < timedelta(hours=4, minutes=1)


def test_an_approval_that_nobody_gives_pauses_the_goal_and_is_neither_a_yes_nor_a_no(wanting, settle):
    later(wanting, HOURS)
    goal = settle(wanting)
    assert (goal.status, reminders(goal)) == (GoalStatus.WAITING, 1)
    later(goal, HOURS)
    assert settle(goal).status == GoalStatus.WAITING
    later(goal, DAYS)
    goal = settle(goal)
    assert (goal.status, goal.paused_for) == (GoalStatus.PAUSED, PauseReason.APPROVAL)
    assert "May I use blast?" in goal.reason
    assert Question.objects.get(goal=goal).status == "open"
    assert rules.violations() == []


@pytest.fixture
def paused_for_it(wanting, settle):
    for time in (HOURS, DAYS):
        later(wanting, time)
        wanting = settle(wanting)
    assert wanting.paused_for == PauseReason.APPROVAL
    return wanting


def test_its_answer_resumes_the_goal_by_itself(paused_for_it, settle, owner):
    answers.answer(owner, Question.objects.get().pk, "yes")
    assert Goal.objects.get().status == GoalStatus.ACTIVE
    goal = settle(paused_for_it)
    assert goal.status == GoalStatus.COMPLETED
    assert Event.objects.filter(kind="goal.resumed").count() == 1
    assert rules.violations() == []


def test_a_no_resumes_it_as_well_and_is_kept_to(paused_for_it, settle, owner, endpoint):
    endpoint.script["revise_plan"] = {"reply": {"checkpoints": [], "reasoning": "no other way"}}
    answers.answer(owner, Question.objects.get().pk, "no")
    goal = settle(paused_for_it)
    assert goal.status == GoalStatus.FAILED
    assert Subgoal.objects.get(goal=goal).status == "abandoned"


def test_a_person_who_resumes_it_without_an_answer_is_waited_for(paused_for_it, settle, owner):
    services.resume(owner, paused_for_it.pk)
    goal = settle(paused_for_it)
    assert (goal.status, goal.waits_for, goal.wake_at) == (GoalStatus.WAITING, "question", None)
    assert reminders(goal) == 1


def test_a_lost_call_of_which_nobody_tells_pauses_the_goal(planned, tool, settle, owner):
    def lost(*_):
        raise OutcomeUnknown("the line went dead")

    tool("booking", EffectClass.EXTERNAL, lost)
    goal = settle(planned("booking"))
    assert Question.objects.get(goal=goal).kind == "recovery"
    for time in (HOURS, DAYS):
        later(goal, time)
        goal = settle(goal)
    assert goal.paused_for == PauseReason.APPROVAL
    answers.answer(owner, Question.objects.get().pk, "happened")
    assert settle(goal).status == GoalStatus.COMPLETED


def test_nobody_is_reminded_while_a_person_has_paused_the_goal_and_no_answer_undoes_that(asking, settle, owner):
    services.pause(owner, asking.pk)
    later(asking, HOURS)
    assert settle(asking).paused_for == PauseReason.USER
    assert reminders(asking) == 0
    answers.answer(owner, Question.objects.get().pk, "red")
    assert Goal.objects.get().status == GoalStatus.PAUSED


def test_a_question_that_was_answered_reminds_nobody(asking, settle, owner):
    answers.answer(owner, Question.objects.get().pk, "red")
    later(asking, HOURS)
    assert settle(asking).status == GoalStatus.COMPLETED
    assert reminders(asking) == 0


# -- plans ------------------------------------------------------------------------------------------------------


@pytest.fixture
def proposed(endpoint, submit, owner, settle):
    """A goal whose plan waits for its owner, in a conversation."""
    endpoint.script.update(plan_checkpoints=[drafted("A"), drafted("B")], act=DONE, judge_outcome=MET)
    goal = submit("Write it", plan_approval=True, verifier={"type": "llm"}, conversation=conversations.start(owner))
    return settle(goal)


@pytest.fixture
def paused_for_its_plan(proposed, settle):
    for time in (HOURS, DAYS):
        later(proposed, time)
        proposed = settle(proposed)
    assert (proposed.status, proposed.paused_for) == (GoalStatus.PAUSED, PauseReason.APPROVAL)
    return proposed


def titles(goal):
    return list(Checkpoint.objects.filter(goal=goal).values_list("title", flat=True))


def test_a_plan_is_reminded_of_once_after_its_time(proposed, settle, settings):
    waits = proposed.plan_wake_at - Question.objects.get().created_at
    assert abs(waits.total_seconds() - settings.GOALSITE_REMIND_AFTER) < 60
    assert lease.claim(1, [proposed.pk]) == []
    later(proposed, HOURS)
    goal = settle(proposed)
    assert (goal.status, goal.waits_for, reminders(goal)) == (GoalStatus.WAITING, "question", 1)
    assert goal.wake_at is not None
    assert "1. A" in Message.objects.get(content__startswith="I still wait").content
    later(goal, HOURS)
    assert (settle(goal).status, reminders(goal)) == (GoalStatus.WAITING, 1)
    assert rules.violations() == []


def test_a_plan_that_nobody_answers_pauses_the_goal_and_is_neither_approved_nor_refused(paused_for_its_plan, endpoint):
    assert "nobody answered" in paused_for_its_plan.reason
    assert Question.objects.get().status == "open"
    assert titles(paused_for_its_plan) == []
    assert (len(endpoint.named("plan_checkpoints")), endpoint.named("act")) == (1, [])
    assert rules.violations() == []


def test_the_approval_of_a_plan_resumes_the_goal_by_itself(paused_for_its_plan, settle, owner):
    answers.answer(owner, Question.objects.get().pk, True)
    goal = settle(paused_for_its_plan)
    assert (goal.status, titles(goal), goal.plan_wake_at) == (GoalStatus.COMPLETED, ["A"], None)
    assert Event.objects.filter(kind="goal.resumed").count() == 1
    assert rules.violations() == []


def test_a_remark_resumes_it_with_another_plan_that_is_reminded_of_anew(paused_for_its_plan, settle, owner):
    answers.answer(owner, Question.objects.get().pk, {"again": "shorter"})
    goal = settle(paused_for_its_plan)
    assert (goal.status, goal.waits_for) == (GoalStatus.WAITING, "question")
    assert "1. B" in Question.objects.open().get().prompt
    later(goal, HOURS)
    assert (settle(goal).status, reminders(goal)) == (GoalStatus.WAITING, 2)
    assert rules.violations() == []


def test_a_person_who_resumes_without_a_word_on_the_plan_is_waited_for(paused_for_its_plan, settle, owner):
    services.resume(owner, paused_for_its_plan.pk)
    goal = settle(paused_for_its_plan)
    assert (goal.status, goal.waits_for, goal.wake_at) == (GoalStatus.WAITING, "question", None)
    assert (Question.objects.get().status, titles(goal), reminders(goal)) == ("open", [], 1)
    answers.answer(owner, Question.objects.get().pk, True)
    assert settle(goal).status == GoalStatus.COMPLETED


def test_nobody_is_reminded_of_a_plan_while_a_person_has_paused_the_goal(proposed, settle, owner):
    services.pause(owner, proposed.pk)
    later(proposed, DAYS)
    assert settle(proposed).paused_for == PauseReason.USER
    services.resume(owner, proposed.pk)
    assert settle(proposed).status == GoalStatus.WAITING
    assert reminders(proposed) == 1


def test_an_answer_that_comes_just_before_the_reminder_is_not_reminded_of(proposed, owner):
    later(proposed, HOURS)
    drive = Drive(take(proposed))
    answers.answer(owner, Question.objects.get().pk, True)
    with pytest.raises(StaleGoal):
        people.remind_of_plan(drive, proposed.pk)
    assert reminders(proposed) == 0
    assert Goal.objects.get().plan_wake_at is None
    lease.release(Lease(proposed.pk, drive.epoch))
