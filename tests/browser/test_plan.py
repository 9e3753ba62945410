"""A plan that waits for its owner, on the page: looked over, edited, approved of, asked for again."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from goals import answers, services
from goals.models import Checkpoint, Goal, Question
from tests.browser import plans
from tests.browser.plans import READ, proposal, step

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SOON = 30_000


def look_at(page: Page, question: Question) -> Locator:
    """Open the conversation and return the card of its plan."""
    page.goto(f"/c/{question.goal.conversation_id}/")
    expect(page.locator("#app[data-live=up]")).to_be_attached(timeout=SOON)
    card = page.locator("#timeline plan-card")
    expect(card).to_be_visible()
    return card


def titles(card: Locator) -> list[str]:
    return card.locator(".planstep:visible .plantitle").all_inner_texts()


def numbered(card: Locator, title: str) -> Locator:
    named = card.page.locator(".plantitle", has_text=re.compile(f"^{title}"))
    return card.locator(".planstep:visible", has=named)


def press(step_: Locator, name: str) -> None:
    step_.get_by_role("button", name=name, exact=True).click()


def written(question: Question) -> list[Checkpoint]:
    return list(Checkpoint.objects.filter(goal=question.goal).order_by("position"))


def refreshed(page: Page, question: Question) -> None:
    """Have the page fetch everything anew, as it does for every event."""
    with page.expect_response(lambda response: response.url.endswith("/timeline/")):
        services.steer(question.goal.owner, question.goal_id, "Be brief")


def test_a_plan_is_edited_where_it_stands_and_carried_out_as_edited(page, person):
    weather = {"predicate": "gather_info", "args": {"key": "sky", "prompt": "How was May?"}, "operation": None}
    question = plans.waiting(person, proposal(READ, step("Survey"), step("Ask", **weather), step("Write")))
    card = look_at(page, question)
    assert titles(card) == ["Read the old report", "Survey", "Ask", "Write"]
    expect(numbered(card, "Read the old")).to_contain_text("report.md")
    expect(card.get_by_role("button", name="Undo my changes")).to_be_hidden()

    press(numbered(card, "Survey"), "Move up")
    numbered(card, "Write").get_by_role("button", name="Edit").press("Alt+ArrowUp")
    assert titles(card) == ["Survey", "Read the old report", "Write", "Ask"]
    expect(card.locator("[data-said]")).to_have_text("Write is now step 3 of 4")
    assert page.evaluate("document.activeElement.dataset.act") == "edit"
    press(numbered(card, "Ask"), "Drop")
    press(numbered(card, "Write"), "Edit")
    numbered(card, "Write").get_by_label("Title").fill("Write it on one page")
    card.get_by_role("button", name="Add a step").click()
    page.keyboard.type("Have it read")
    expect(card.locator(".planchanges")).to_have_text("Your version: 1 edited, 1 added, 1 dropped, in another order.")
    refreshed(page, question)
    page.reload()
    expect(card.locator(".planchanges")).to_contain_text("1 edited, 1 added, 1 dropped")

    card.get_by_role("button", name="Approve my version").click()
    criteria = numbered(card, "Have it read").get_by_label("Done when")
    expect(criteria).to_have_attribute("aria-invalid", "true")
    expect(numbered(card, "Have it read").locator(".fielderror")).to_contain_text("name what a stranger could look at")
    expect(criteria).to_be_focused()
    assert written(question) == []
    expect(numbered(card, "Write it on one page").get_by_label("Title")).to_have_value("Write it on one page")
    criteria.fill("Two people have signed the printed page 1.")
    expect(card.locator(".fielderror")).to_have_count(0)
    card.get_by_role("button", name="Approve my version").click()
    expect(page.locator("#timeline .answered")).to_contain_text("Approved, as edited", timeout=SOON)
    rows = written(question)
    assert [row.title for row in rows] == ["Survey", "Read the old report", "Write it on one page", "Have it read"]
    assert rows[1].args == READ["args"]
    assert rows[3].success_criteria == "Two people have signed the printed page 1."
    assert page.evaluate("sessionStorage.length") == 0


def test_what_was_edited_survives_until_it_is_undone_and_another_plan_is_asked_for(page, person):
    question = plans.waiting(person, proposal(step("Survey"), step("Write")), note="No such plan: too dear")
    card = look_at(page, question)
    expect(card.locator(".plannote")).to_have_text("No such plan: too dear")
    press(numbered(card, "Survey"), "Drop")
    press(numbered(card, "Write"), "Drop")
    card.get_by_role("button", name="Approve my version").click()
    expect(card.get_by_role("alert")).to_contain_text("Nothing is left of the plan")
    press(numbered(card, "Survey"), "Put back")
    card.get_by_role("button", name="Undo my changes").click()
    expect(card.locator(".planchanges")).to_be_empty()
    expect(card.get_by_role("button", name="Approve", exact=True)).to_be_focused()

    card.get_by_text("Ask for another plan").click()
    card.get_by_role("button", name="Ask again").click()
    expect(card.get_by_role("alert")).to_contain_text("Say what should be different")
    remark = card.get_by_label("What should be different?")
    remark.fill("One step will do")
    refreshed(page, question)
    expect(remark).to_have_value("One step will do")
    expect(remark).to_be_focused()
    card.get_by_role("button", name="Ask again").click()
    expect(page.locator("#timeline .answered")).to_contain_text("Another one: One step will do", timeout=SOON)
    assert "One step will do" in Goal.objects.get().plan_remarks[0]
    assert Checkpoint.objects.filter(title__in=["Survey", "Write"]).count() == 0


def test_a_replaced_card_keeps_the_edition_and_the_cursor(page, person):
    question = plans.waiting(person, proposal(step("Survey"), step("Write")))
    card = look_at(page, question)
    press(numbered(card, "Write"), "Edit")
    title = card.get_by_label("Title").last
    title.fill("Write it up")
    title.press("Home")
    Question.objects.filter(pk=question.pk).update(details={**question.details, "note": "Cheaper than it looks"})
    refreshed(page, question)
    expect(card.locator(".plannote")).to_have_text("Cheaper than it looks", timeout=SOON)
    expect(card.get_by_label("Title").last).to_be_focused()
    page.keyboard.type("Please ")
    assert titles(card) == ["Survey", "Please Write it up"]


def test_one_of_several_plans_is_looked_at_edited_and_chosen(page, person):
    several = [proposal(step("Survey"), step("Write")), proposal(step("Ask around"), notes="Others know.")]
    question = plans.waiting(person, *several, revision=True, reason="It rained")
    card = look_at(page, question)
    expect(card.get_by_role("heading")).to_have_text("Which new plan shall I carry out?")
    expect(card.locator(".planwhy")).to_contain_text("It rained")
    card.get_by_role("radio", name="Plan 2").press(" ")
    assert titles(card) == ["Ask around"]
    expect(card.get_by_role("button", name="Approve plan 2")).to_be_visible()
    press(numbered(card, "Ask around"), "Edit")
    card.get_by_label("Title").last.fill("Ask the neighbours")
    card.get_by_role("radio", name="Plan 1").check(force=True)
    expect(card.get_by_role("button", name="Approve plan 1")).to_be_visible()
    page.reload()
    card.get_by_role("radio", name="Plan 2").check(force=True)
    card.get_by_role("button", name="Approve my version").click()
    expect(page.locator("#timeline .answered")).to_contain_text("Approved, as edited", timeout=SOON)
    assert Question.objects.get(pk=question.pk).answer["of"] == 2
    assert [row.title for row in written(question)] == ["Ask the neighbours"]


def test_a_plan_that_was_answered_elsewhere_says_so_and_steps_are_dragged(page, person):
    question = plans.waiting(person, proposal(step("Survey"), step("Write"), step("Print")))
    card = look_at(page, question)
    numbered(card, "Print").locator(".grip").drag_to(numbered(card, "Survey"), target_position={"x": 200, "y": 5})
    assert titles(card) == ["Print", "Survey", "Write"]
    answers.answer(person, question.pk, True, channel="api")
    expect(page.locator("#timeline .answered")).to_contain_text("ada by api", timeout=SOON)
    expect(card).to_have_count(0)
    assert [row.title for row in written(question)][:3] == ["Survey", "Write", "Print"]
