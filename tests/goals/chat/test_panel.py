"""The living goal beside the conversation: what it says, what can be done there, and what it costs to show."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from goals import services
from goals.chat.doing import doing
from goals.chat.meters import limit_said, meters
from goals.chat.panel import panel
from goals.chat.standing import goal_in_words, title_of
from goals.chat.steps import plan_of
from goals.effects.making import ask_person
from goals.exceptions import InvalidInput
from goals.models import Budget, Checkpoint, Goal, ModelCall, Subgoal, ToolCall
from goals.states import CheckpointStatus, EffectClass, GoalStatus, QuestionKind, SubgoalStatus
from goals.transitions import writing

pytestmark = pytest.mark.django_db(transaction=True)
SCRIPT = {"X-Requested-With": "goalsite"}


@pytest.fixture
def goal(owner, conversation) -> Goal:
    """A goal at work, held by a worker, with a plan of three steps; the second is in hand."""
    made = services.submit(owner=owner, objective="Write a report", conversation=conversation)
    now = timezone.now()
    lease = {"lease_owner": "w", "lease_epoch": 3, "lease_expires_at": now + timedelta(hours=1)}
    Goal.objects.filter(pk=made.pk).update(status="active", started_at=now, plan_due=False, **lease)
    for position, status in enumerate(["skipped", "active", "pending"]):
        step(made, position, status)
    return Goal.objects.get(pk=made.pk)


def step(goal, position, status="pending", **columns) -> Checkpoint:
    if status in {"skipped", "failed"}:
        columns.setdefault("finished_at", timezone.now())
        columns.setdefault("failure", "for a reason")
    return Checkpoint.objects.create(
        goal=goal, position=position, title=f"Part {position}", predicate="execute", status=status, **columns
    )


def subgoal(checkpoint, parent=None, **columns) -> Subgoal:
    if columns.get("status") in {"achieved", "abandoned"}:
        columns.setdefault("finished_at", timezone.now())
    depth = parent.depth + 1 if parent else 0
    facts = {"gloss": "work", "predicate": "execute", "depth": depth, **columns}
    return Subgoal.objects.create(goal=checkpoint.goal, checkpoint=checkpoint, parent=parent, **facts)


def in_hand(goal) -> Checkpoint:
    return goal.checkpoints.get(status=CheckpointStatus.ACTIVE)


def call(goal, model, number, **columns):
    facts = {"effect_class": EffectClass.PURE, "scope": "s", "key": f"{goal.pk}-{number}", "epoch": 3}
    return model.objects.create(goal=goal, **{**facts, **columns})


def words(goal) -> list[str]:
    return [one.words for one in doing(goal, plan_of(goal).numbers)]


def shown(goal, user=None) -> str:
    return "".join(one.render() for one in panel(goal, user))


# -- what it says


@pytest.mark.parametrize(
    ("objective", "title"),
    [
        ("Write a report", "Write a report"),
        ("Write a report. It must be short, and it must be on my desk.", "Write a report"),
        ("Book a train at 9.30 to Paris", "Book a train at 9.30 to Paris"),
        ("First line\nand more", "First line"),
        ("word " * 60, ("word " * 18).strip() + "…"),
    ],
)
def test_a_goal_has_a_short_title(objective, title):
    assert title_of(Goal(objective=objective)) == title


def test_the_whole_of_a_long_objective_is_folded_below_its_title(goal):
    goal.objective = "Write a report. " + "It must say much. " * 200
    html = shown(goal)
    assert "<summary>The whole objective</summary>" in html
    assert html.count("It must say much.") == 200
    assert "The whole objective" not in shown(Goal.objects.get(pk=goal.pk))


def test_what_is_in_flight_is_said_in_words(goal):
    checkpoint = in_hand(goal)
    root = subgoal(checkpoint, gloss="the whole part")
    child = subgoal(checkpoint, root, gloss="read the sources")
    call(goal, ModelCall, 1, purpose="judge_outcome", checkpoint=checkpoint)
    call(goal, ModelCall, 2, purpose="act", checkpoint=checkpoint, subgoal=child)
    call(goal, ToolCall, 3, tool="search_files", checkpoint=checkpoint, request={"input": {"pattern": "TODO"}})
    call(goal, ToolCall, 4, tool="verifier", request={"input": {}})
    call(goal, ModelCall, 5, purpose="act", checkpoint=checkpoint, subgoal=root)
    assert words(goal) == [
        "asks the model to judge step 2",
        "the model works on “read the sources”",
        "calls search_files: TODO",
        "runs the check of the goal",
        "the model works on “Part 1”",
    ]


def test_what_a_lost_worker_left_behind_is_not_going_on(goal):
    call(goal, ModelCall, 1, purpose="act", epoch=2)
    call(goal, ModelCall, 2, purpose="act", status="failed", finished_at=timezone.now())
    assert words(goal) == ["looks at what comes next"]
    Goal.objects.filter(pk=goal.pk).update(lease_expires_at=timezone.now())
    assert words(Goal.objects.get(pk=goal.pk)) == ["waits for a worker to take it up"]


def test_a_paused_goal_says_what_it_still_finishes(goal):
    call(goal, ModelCall, 1, purpose="plan_checkpoints")
    goal.status = GoalStatus.PAUSED
    assert words(goal) == ["still finishes: asks the model for a plan"]


def test_a_waiting_goal_says_for_what(goal):
    goal.status, goal.waits_for, goal.wake_at = GoalStatus.WAITING, "timer", timezone.now()
    (one,) = doing(goal, {})
    assert (one.words, one.until) == ("goes on at", goal.wake_at)
    goal.waits_for = "watch"
    assert words(goal) == ["looks again at"]


def test_parts_of_earlier_plans_and_attempts_stand_apart(goal):
    checkpoint = in_hand(goal)
    first = subgoal(checkpoint, round=1, status="abandoned", gloss="first root")
    subgoal(checkpoint, first, round=1, status="abandoned", gloss="of the first attempt")
    root = subgoal(checkpoint, round=2, replans=1, status="active", started_at=timezone.now())
    subgoal(checkpoint, root, round=2, plan=1, status="abandoned", gloss="of the first plan")
    subgoal(checkpoint, root, round=2, plan=2, gloss="of the present plan")
    found = plan_of(goal).steps[1]
    assert [node.row.gloss for node in found.root.children] == ["of the present plan"]
    assert [node.row.gloss for node in found.root.past] == ["of the first plan"]
    assert [[node.row.gloss for node in one.children] for one in found.rounds] == [["of the first attempt"]]
    html = shown(goal)
    assert "1 part of earlier plans" in html
    assert "1 earlier attempt" in html


def test_steps_of_earlier_plans_are_neither_counted_nor_numbered(goal):
    goal.checkpoints.filter(status="skipped").update(failure="")
    Goal.objects.filter(pk=goal.pk).update(revision=1)
    step(goal, 9, iteration=1, revision=1)
    goal = Goal.objects.get(pk=goal.pk)
    plan = plan_of(goal)
    assert [one.row.title for one in plan.earlier] == ["Part 0"]
    assert [(one.number, one.row.title) for one in plan.steps] == [(1, "Part 1"), (2, "Part 2"), (3, "Part 9")]
    assert goal_in_words(goal) == "Step 1 of 3: Part 1"
    assert "1 step of earlier plans" in shown(goal)
    Goal.objects.filter(pk=goal.pk).update(iteration=2)
    assert len(plan_of(Goal.objects.get(pk=goal.pk)).earlier) == 4


def test_the_budget_says_used_reserved_and_left_apart(goal):
    Budget.objects.filter(goal=goal, resource="cost_usd").update(used=Decimal("2"), reserved=Decimal("0.5"), limit=5)
    Budget.objects.filter(goal=goal, resource="tokens").update(used=100)
    found = {meter.resource: meter for meter in meters(goal)}
    cost, tokens = found["cost_usd"], found["tokens"]
    assert (cost.used, cost.reserved, cost.left, cost.limit) == ("$2.00", "$0.5000", "$2.50", "$5.00")
    assert (cost.used_share, cost.reserved_share, cost.both_share, cost.nearly) == (40.0, 10.0, 50.0, False)
    assert (tokens.used, tokens.left, tokens.raise_by) == ("100", "", "")
    html = shown(goal)
    assert html.count('class="raise"') == 4
    assert "$0.5000 reserved" in html


@pytest.mark.parametrize(
    ("resource", "said", "limit"),
    [
        ("cost_usd", "$10", "10"),
        ("cost_usd", "+$2.50", "+$2.50"),
        ("tokens", "1,000,000", "1000000"),
        ("tokens", "none", None),
        ("seconds", "90", "90"),
        ("seconds", "1 h 30 min", "5400"),
        ("seconds", "+10 min", "+600"),
        ("seconds", "2 hours", "7200"),
        ("seconds", "soon", "soon"),
        ("cost_usd", "1,5", "1,5"),
    ],
)
def test_a_limit_is_read_as_a_person_writes_it(resource, said, limit):
    assert limit_said(resource, said) == (limit if limit != "+$2.50" else "+2.50")


def test_a_length_of_time_in_unknown_units_is_refused():
    with pytest.raises(InvalidInput, match="no length of time"):
        limit_said("seconds", "3 fortnights")


# -- what can be done there


def act(client, goal, action, **data):
    return client.post(reverse("act", args=[goal.pk, action]), data, headers=SCRIPT)


def test_a_goal_is_paused_at_once_and_revised_with_a_reason(ada, goal):
    assert act(ada, goal, "revise").json()["errors"] == {"reason": "must not be empty"}
    assert act(ada, goal, "revise", reason="In French").status_code == 200
    assert act(ada, goal, "pause", now="1").status_code == 200
    goal.refresh_from_db()
    assert (goal.status, goal.revise_reason, goal.lease_owner) == ("paused", "In French", "")


def test_only_who_may_rearm_is_offered_it_and_can(ada, owner, goal, django_user_model):
    services.cancel(owner, goal.pk)
    goal.refresh_from_db()
    assert "Rearm" not in shown(goal, owner)
    assert "Raise the limit" not in shown(goal, owner)
    assert act(ada, goal, "rearm").status_code == 403
    owner.user_permissions.add(Permission.objects.get(codename="rearm"))
    owner = django_user_model.objects.get(pk=owner.pk)
    assert "Rearm" in shown(goal, owner)
    assert "Raise the limit" in shown(goal, owner)
    assert act(ada, goal, "rearm").status_code == 200
    goal.refresh_from_db()
    assert goal.status == GoalStatus.ACTIVE


def test_any_limit_is_raised_and_taken_away_in_words(ada, goal):
    assert act(ada, goal, "limits", resource="seconds", limit="+10 min").status_code == 200
    assert act(ada, goal, "limits", resource="cost_usd", limit="none").status_code == 200
    limits = {name: line["limit"] for name, line in services.budget_of(goal).items()}
    assert limits["cost_usd"] is None
    assert limits["seconds"] % 3600 == 600


def test_a_step_is_skipped_begun_anew_and_edited_from_its_sheet(ada, goal):
    pending = goal.checkpoints.get(status="pending")
    sheet = ada.get(reverse("step", args=[goal.pk, pending.pk]), headers=SCRIPT).content.decode()
    assert "Skip it" in sheet
    assert "Begin it anew" not in sheet
    edit = reverse("step_act", args=[goal.pk, pending.pk, "edit"])
    data = {"title": "Another title", "description": "a\r\nb", "success_criteria": "", "tools": "read_file, list_files"}
    assert ada.post(edit, data, headers=SCRIPT).status_code == 200
    pending.refresh_from_db()
    assert (pending.title, pending.description, pending.tools) == ("Another title", "a\nb", ["read_file", "list_files"])
    assert "JSON" in ada.post(edit, {"args": "{"}, headers=SCRIPT).json()["errors"]["args"]
    skip = reverse("step_act", args=[goal.pk, pending.pk, "skip"])
    assert ada.post(skip, {}, headers=SCRIPT).json()["errors"] == {"reason": "must not be empty"}
    assert ada.post(skip, {"reason": "no need"}, headers=SCRIPT).status_code == 200
    again = reverse("step_act", args=[goal.pk, in_hand(goal).pk, "retry"])
    assert ada.post(again, {"reason": "try the other way"}, headers=SCRIPT).status_code == 200
    assert in_hand(goal).failure == "try the other way"
    assert ada.post(reverse("step_act", args=[goal.pk, pending.pk, "bury"]), headers=SCRIPT).status_code == 404


def test_a_save_without_a_change_changes_nothing(ada, goal):
    pending, seq = goal.checkpoints.get(status="pending"), goal.seq
    edit = reverse("step_act", args=[goal.pk, pending.pk, "edit"])
    assert ada.post(edit, {"title": pending.title, "tools": ""}, headers=SCRIPT).status_code == 200
    goal.refresh_from_db()
    assert goal.seq == seq


def test_a_part_that_has_not_begun_is_edited(ada, goal):
    root = subgoal(in_hand(goal), status="active", started_at=timezone.now())
    child, begun = subgoal(in_hand(goal), root), subgoal(in_hand(goal), root, status="active")
    html = shown(goal)
    assert reverse("part", args=[goal.pk, child.pk]) in html
    assert reverse("part", args=[goal.pk, begun.pk]) not in html
    sheet = reverse("part", args=[goal.pk, begun.pk])
    assert "only a part that has not begun" in ada.get(sheet, headers=SCRIPT).content.decode()
    save = reverse("part_edit", args=[goal.pk, child.pk])
    assert ada.post(save, {"gloss": "read more"}, headers=SCRIPT).status_code == 200
    child.refresh_from_db()
    assert child.gloss == "read more"


def test_nobody_changes_the_steps_of_another(goal, django_user_model):
    eve = Client()
    eve.force_login(django_user_model.objects.create_user("eve"))
    row, part = in_hand(goal), subgoal(in_hand(goal))
    posts = [("step_act", [goal.pk, row.pk, action]) for action in ("skip", "retry", "edit")]
    for name, arguments in [*posts, ("part_edit", [goal.pk, part.pk])]:
        assert eve.post(reverse(name, args=arguments), {"reason": "x"}, headers=SCRIPT).status_code == 404
    for name, pk in (("step", row.pk), ("part", part.pk)):
        assert eve.get(reverse(name, args=[goal.pk, pk]), headers=SCRIPT).status_code == 404
    assert in_hand(goal).pk == row.pk


# -- what it costs


def queries(work) -> int:
    with CaptureQueriesContext(
        connection,
    ) as seen:
        work()
    return len(seen)


def test_the_panel_asks_no_more_of_the_database_when_there_is_more(goal):
    checkpoint = in_hand(goal)
    root = subgoal(checkpoint, status="active")
    before = queries(lambda: shown(goal))
    for number in range(10, 30):
        step(goal, number)
        subgoal(checkpoint, root, status=SubgoalStatus.PENDING)
        call(goal, ModelCall, number, purpose="act", checkpoint=checkpoint, subgoal=root)
        with writing(goal.pk) as writer:
            ask_person(writer, QuestionKind.INFORMATION, f"Question {number}?")
    assert queries(lambda: shown(goal)) == before
