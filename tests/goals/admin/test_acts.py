"""What an operator does from the console is done by the services, in their name."""

import pytest

from goals import services, sharing
from goals.admin.forms import VerifierForm
from goals.decisions import Move
from goals.models import Budget, Goal, Question, Verification
from goals.states import GoalStatus, Kind
from goals.transitions import writing
from tests.browser.plans import READ, proposal, step, waiting
from tests.goals.admin.conftest import console_of
from tests.goals.api.conftest import permitted

pytestmark = pytest.mark.django_db

SENT = {"_form_submitted": "on"}


def act(console, goal, name, **fields):
    return console.post(f"/admin/goals/goal/{goal.pk}/{name}/", {**SENT, **fields}, follow=True)


def status(goal):
    return Goal.objects.get(pk=goal.pk).status


def test_a_goal_is_paused_resumed_steered_and_cancelled(console, root, goal):
    act(console, goal, "pause", reason="lunch")
    assert (status(goal), Goal.objects.get().reason) == ("paused", "lunch")
    act(console, goal, "resume")
    assert status(goal) == "planning"
    act(console, goal, "steer", text="Be brief")
    assert Goal.objects.get().steering[0]["by"] == "root"
    act(console, goal, "cancel")
    assert status(goal) == "cancelled"
    act(console, goal, "rearm")
    assert status(goal) == "active"
    assert {event.actor for event in goal.events.filter(seq__gt=1)} == {root}


def test_limits_are_set_raised_and_lifted(console, goal):
    act(console, goal, "limits", cost_usd="+2.5", tokens="1000", seconds="none")
    limits = dict(Budget.objects.values_list("resource", "limit"))
    assert (limits["cost_usd"], limits["tokens"], limits["seconds"]) == (7.5, 1000, None)
    page = act(console, goal, "limits", cost_usd="-3").content.decode()
    assert "limits.cost_usd" in page
    assert Budget.objects.get(resource="cost_usd").limit == 7.5


def test_an_operator_seals_another_verifier(console, root, goal):
    page = console.get(f"/admin/goals/goal/{goal.pk}/verifier/").content.decode()
    assert "verifier" in page
    sent = {"verifier": '{"type": "artifact", "name": "it"}', "reason": "the old one was wrong"}
    act(console, goal, "verifier", **sent)
    sealed = Goal.objects.get()
    assert (sealed.verifier["name"], sealed.seals, goal.events.last().actor) == ("it", 1, root)
    assert "guess" in act(console, goal, "verifier", **{**sent, "verifier": '{"type": "guess"}'}).content.decode()
    assert Goal.objects.get().seals == 1


def test_the_form_tells_nobody_elses_verifier(rf, staff, root, ada):
    goal = services.submit(owner=ada, objective="Find it", verifier={"type": "artifact", "name": "it"})
    for person, told in ((staff, None), (root, "it")):
        request = rf.get("/")
        request.user = person
        shown = VerifierForm(request, goal.pk).fields["verifier"].initial
        assert (shown and shown["name"]) == told


@pytest.mark.parametrize("name", ["pause", "resume", "cancel", "steer", "limits", "rearm"])
def test_looking_at_the_form_does_nothing(console, goal, name):
    before = Goal.objects.values().get()
    assert console.get(f"/admin/goals/goal/{goal.pk}/{name}/").status_code == 200
    assert Goal.objects.values().get() == before


def test_a_form_without_its_token_does_nothing(root, goal):
    from django.test import Client

    console = Client(enforce_csrf_checks=True)
    console.force_login(root)
    assert console.post(f"/admin/goals/goal/{goal.pk}/pause/", SENT).status_code == 403
    assert status(goal) == "planning"


def test_what_the_service_refuses_is_said(console, goal, ada):
    services.pause(ada, goal.pk)
    assert "paused already" in act(console, goal, "pause").content.decode()


@pytest.mark.parametrize("name", ["pause", "cancel", "steer", "limits"])
def test_staff_cannot_move_what_is_somebody_elses(staff, goal, name):
    answer = console_of(staff).post(f"/admin/goals/goal/{goal.pk}/{name}/", {**SENT, "text": "x", "tokens": "5"})
    assert answer.status_code == 404
    assert (status(goal), goal.events.count()) == ("planning", 1)


def test_staff_move_their_own(staff):
    mine = services.submit(owner=staff, objective="Mine")
    act(console_of(staff), mine, "pause")
    assert status(mine) == "paused"


def test_rearming_needs_its_permission(staff):
    mine = services.submit(owner=staff, objective="Mine")
    early = act(console_of(permitted(staff, "rearm")), mine, "rearm").content.decode()
    assert "only an ended goal can be rearmed" in early
    staff.user_permissions.clear()
    services.cancel(staff, mine.pk)
    assert act(console_of(staff), mine, "rearm").status_code == 403
    assert act(console_of(permitted(staff, "rearm")), mine, "rearm").status_code == 200
    assert status(mine) == "active"


def test_many_goals_are_moved_from_the_list(console, ada, goal):
    other = services.submit(owner=ada, objective="Other")
    services.cancel(ada, other.pk)
    chosen = {"action": "pause_chosen", "_selected_action": [goal.pk, other.pk]}
    page = console.post("/admin/goals/goal/", chosen, follow=True).content.decode()
    assert (status(goal), status(other)) == ("paused", "cancelled")
    assert "1 paused." in page
    assert "only an unfinished goal can be paused" in page


def test_the_list_moves_nothing_of_somebody_elses(staff, goal):
    chosen = {"action": "cancel_chosen", "_selected_action": [goal.pk]}
    console_of(staff).post("/admin/goals/goal/", chosen, follow=True)
    assert status(goal) == "planning"


@pytest.mark.parametrize(
    ("kind", "said", "stored"),
    [
        ("information", "again", "again"),
        ("information", "Rome", "Rome"),
        ("confirmation", "no", False),
        ("approval", "yes", True),
    ],
)
def test_a_question_is_answered_in_the_console(console, root, question, kind, said, stored):
    Question.objects.update(kind=kind)
    path = f"/admin/goals/question/{question.pk}/answer/"
    asked = console.get(path).content.decode()
    assert question.prompt in asked
    assert f"For {question.goal.objective}." in asked
    console.post(path, {**SENT, "answer": said})
    question.refresh_from_db()
    assert (question.answer, question.answered_by, question.channel) == (stored, root, "admin")
    late = console.post(path, {**SENT, "answer": said}, follow=True).content.decode()
    assert "answered already" in late


def test_an_answer_that_is_no_choice_is_refused(console, question):
    Question.objects.update(kind="confirmation")
    console.post(f"/admin/goals/question/{question.pk}/answer/", {**SENT, "answer": "perhaps"})
    assert Question.objects.get().status == "open"


def test_nobody_elses_question_is_shown_or_answered(staff, question):
    path = f"/admin/goals/question/{question.pk}/answer/"
    assert console_of(staff).get(path).status_code == 404
    assert console_of(staff).post(path, {**SENT, "answer": "Rome"}).status_code == 404
    assert Question.objects.get().status == "open"


def test_a_form_over_the_page_sends_the_browser_back_to_it(console, goal):
    sent = console.post(f"/admin/goals/goal/{goal.pk}/pause/", SENT, headers={"HX-Request": "true"})
    assert sent["HX-Redirect"] == f"/admin/goals/goal/{goal.pk}/change/"


def test_all_links_to_an_ended_goal_are_withdrawn(console, ada, root, goal):
    services.cancel(ada, goal.pk)
    sharing.share(ada, goal.pk)
    assert "withdraw-links" in console.get(f"/admin/goals/goal/{goal.pk}/change/").content.decode()
    act(console, goal, "withdraw-links")
    assert sharing.shares_of(goal) == []
    assert goal.events.latest("seq").actor == root


def test_a_plan_is_read_step_by_step_and_approved_or_asked_for_again(console, root, ada):
    evil = "<script>alert(1)</script>"
    call = {**READ, "verifier": {"type": "artifact", "name": "old_report"}}
    question = waiting(ada, proposal(call, step("Survey")), proposal(step(evil)))
    page = console.get(f"/admin/goals/question/{question.pk}/change/", follow=True).content.decode()
    for words in ("Plan 1, by the model", "1. Read the old report", "read_file", "Done when", "@old_report is there"):
        assert words in page
    assert evil not in page
    path = f"/admin/goals/question/{question.pk}/answer/"
    form = console.get(path).content.decode()
    assert all(words in form for words in ("Approve plan 2", "Ask for another plan", "What should be different"))
    refused = console.post(path, {**SENT, "answer": "again", "remark": ""}, follow=True).content.decode()
    assert "say what should be different" in refused
    assert Question.objects.get().status == "open"
    console.post(path, {**SENT, "answer": "1", "remark": ""})
    question.refresh_from_db()
    assert (question.answer, question.answered_by, question.channel) == ({"approve": 1}, root, "admin")
    assert [row.title for row in question.goal.checkpoints.order_by("position")] == ["Read the old report", "Survey"]


def test_another_plan_is_asked_for_in_the_console(console, ada):
    question = waiting(ada, proposal(step("Survey")))
    console.post(f"/admin/goals/question/{question.pk}/answer/", {**SENT, "answer": "again", "remark": "by train"})
    assert "by train" in Goal.objects.get().plan_remarks[0]


def test_questions_are_a_queue_that_is_answered_in_its_place(console, goal, question):
    later = Question.objects.create(goal=goal, kind="confirmation", key="k", prompt="Sure?")
    gone = Question.objects.create(goal=goal, kind="confirmation", key="g", prompt="Gone?")
    Question.objects.filter(pk=gone.pk).update(status="withdrawn", closed_at=gone.created_at)
    queue = "/admin/goals/question/"
    assert [row.prompt for row in console.get(queue).context["cl"].result_list] == ["Where from?", "Sure?"]
    everything = console.get(queue, {"status": "all"}).context["cl"].result_list
    assert [row.prompt for row in everything] == ["Gone?", "Sure?", "Where from?"]
    assert f"{queue}{later.pk}/answer/" in console.get(queue).content.decode()
    over = {"HX-Request": "true", "HX-Current-URL": f"http://testserver{queue}?owner=ada%0d%0aX-Evil:1"}
    sent = console.post(f"{queue}{later.pk}/answer/", {**SENT, "answer": "yes"}, headers=over)
    assert sent["HX-Redirect"] == f"{queue}?owner=ada%0D%0AX-Evil%3A1"
    assert Question.objects.get(pk=later.pk).answer is True
    elsewhere = {"HX-Request": "true", "HX-Current-URL": "https://evil.example/admin/goals/goal/"}
    sent = console.post(f"{queue}{question.pk}/answer/", {**SENT, "answer": "Rome"}, headers=elsewhere)
    assert sent["HX-Redirect"] == f"{queue}{question.pk}/change/"


def test_a_goals_page_shows_steps_and_artifacts_and_leads_to_its_rooms(console, worked):
    page = console.get(f"/admin/goals/goal/{worked.pk}/change/").content.decode()
    for words in ("1. Phase 0", "@part0", f"/g/{worked.pk}/timeline/", f"/g/{worked.pk}/events/", "no certificate"):
        assert words in page, words
    refused = console.get(f"/admin/goals/goal/{worked.pk}/certificate/", follow=True).content.decode()
    assert "only a completed goal has a certificate" in refused


def test_the_certificate_is_shown_to_who_may_see_the_goal(console, staff, worked):
    with writing(worked.pk) as writer:
        proof = Verification(goal=worked, verifier={"type": "llm"}, digest="", met=True, reason="<b>fine</b>")
        proof.save(force_insert=True)
        writer.proof = proof
        writer.move(Move(Kind.GOAL, worked.pk, "planning", GoalStatus.ACTIVE))
        done = {"outcome": "achieved"}
        writer.move(Move(Kind.GOAL, worked.pk, "active", GoalStatus.COMPLETED, done, "goal.completed"))
    path = f"/admin/goals/goal/{worked.pk}/certificate/"
    page = console.get(path).content.decode()
    assert "&lt;b&gt;fine" in page
    assert "verifier_digest" in page
    assert console_of(staff).get(path).status_code == 404
