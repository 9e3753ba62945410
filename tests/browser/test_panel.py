"""The living goal, its questions and its result, in a real browser against the real site."""

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from goals import services
from goals.chat import conversations
from goals.effects.making import ask_person
from goals.models import Checkpoint, Goal, Question
from goals.states import QuestionKind
from goals.transitions import writing
from tests.browser import plans
from tests.browser.site import Site
from tests.browser.test_conversation import SOON, is_ready, say, sees, state
from tests.endpoint import Endpoint
from tests.goals.test_model_goals import MET
from tests.goals.test_model_goals import plan as replied
from tests.goals.test_model_goals import step as drafted

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
RESULT = "## Compared\n\n| a | b |\n|---|---|\n| 1 | **2** |\n\n<img src=x onerror=alert(1)>"
STUB = """
window.asked = 0; window.told = [];
window.Notification = class { constructor(title) { window.told.push(title); } };
Notification.permission = "default";
Notification.requestPermission = async () => { window.asked += 1; return (Notification.permission = "granted"); };
Document.prototype.hasFocus = () => false;
"""


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint() as running:
        yield running


@pytest.fixture
def site(chromium: Any, site_environment: dict[str, str], tmp_path: Path, endpoint: Endpoint) -> Iterator[Site]:
    """The whole site before a scripted endpoint."""
    model = {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "test", "GOALSITE_MODEL_PRICE": "1/2"}
    found = Site({**site_environment, **model}, tmp_path / "data")
    yield found
    found.stop()


@pytest.fixture
def ask(person: Any, tmp_path: Path) -> Any:
    """Ask something for a goal that nobody works on; `talks` gives it a conversation."""

    def make(prompt: str, kind: QuestionKind = QuestionKind.INFORMATION, *, talks: bool = True, **columns: Any) -> Any:
        place = conversations.start(person, title="The fair") if talks else None
        folder = tmp_path / "work"
        folder.mkdir(exist_ok=True)
        goal = services.submit(owner=person, objective="Plan the fair", conversation=place, workspace=str(folder))
        with writing(goal.pk) as writer:
            return ask_person(writer, kind, prompt, key="k", **columns)

    return make


def done(text: str, **more: Any) -> dict[str, Any]:
    return {"reply": {"status": "done", "result": text, "outputs": []}, **more}


def test_a_goal_is_watched_its_budget_raised_its_steps_changed_and_its_result_read(page: Page, endpoint: Endpoint):
    seen = threading.Event()
    held = {"First in": done("First is done.", hold=seen.is_set), "*": done(RESULT)}
    steps = [drafted("First"), drafted("Second"), drafted("Third")]
    endpoint.script.update(plan_checkpoints=replied(*steps), act={"match": held}, judge_outcome=MET)
    say(page, "/goal Compare them. " + "It must be thorough. " * 40)
    panel = page.locator("#panel")
    expect(panel.locator(".objective")).to_have_text("Compare them", timeout=SOON)
    expect(panel.locator(".doing")).to_contain_text("the model works on “First”", timeout=SOON)
    expect(panel.locator(".doing .elapsed")).to_have_text(re.compile(r"^\d+ s$"))

    cost = panel.locator(".meters li", has_text="Cost")
    cost.locator("summary").click()
    cost.get_by_role("textbox").fill("lots")
    cost.get_by_role("button", name="Set").click()
    expect(cost.locator(".fielderror")).to_contain_text("is no number")
    expect(cost.get_by_role("textbox")).to_have_value("lots")
    cost.get_by_role("textbox").fill("+5")
    cost.get_by_role("button", name="Set").click()
    expect(cost).to_contain_text("of $10.00")
    expect(cost.get_by_role("textbox")).to_be_hidden()

    panel.get_by_role("button", name="Third").click()
    sheet = page.get_by_role("dialog")
    sheet.locator("summary", has_text="Skip it").click()
    sheet.get_by_label("Why").fill("not needed")
    sheet.get_by_role("button", name="Skip this step").click()
    expect(sheet).to_be_hidden()
    expect(panel.locator(".steps > .skipped")).to_contain_text("not needed")

    seen.set()
    sees(page, "Done, and checked")
    expect(page.locator(".ending td strong")).to_have_text("2")
    expect(page.locator(".ending img")).to_have_count(0)
    expect(page.locator(".ending")).to_contain_text("model calls")
    state(page, "Done, and checked")
    expect(panel.locator(".progress")).to_contain_text("2 of 2 steps done")


def test_a_goal_is_paused_at_once_and_asked_for_another_plan(page: Page, endpoint: Endpoint):
    seen = threading.Event()
    held = done("x", hold=seen.is_set)
    endpoint.script.update(plan_checkpoints=replied(drafted("First")), act=held, revise_plan=[])
    say(page, "/goal Compare them")
    panel = page.locator("#panel")
    expect(panel.locator(".doing")).to_contain_text("the model works on", timeout=SOON)
    panel.locator("summary", has_text="Ask for another plan").click()
    panel.get_by_label("Why another plan").fill("In French")
    panel.get_by_role("button", name="Pause now").click()
    state(page, "Paused")
    expect(panel.get_by_label("Why another plan")).to_have_value("In French")
    panel.get_by_role("button", name="Revise the plan").click()
    expect(page.locator("#toast")).to_contain_text("Another plan")
    assert Goal.objects.get().asked_revisions == 1
    assert Checkpoint.objects.count() == 1
    seen.set()


def test_what_waits_anywhere_is_counted_told_and_answered(page: Page, site: Site, ask: Any, person: Any):
    site.kill("workers")
    page.add_init_script(STUB)
    page.goto("/")
    is_ready(page)
    expect(page.locator("#bell .count")).to_be_hidden()
    page.locator("#bell").click()
    page.get_by_role("button", name="Tell me in this browser").click()
    expect(page.get_by_role("button", name="Do not tell me in this browser")).to_be_visible()
    assert page.evaluate("asked") == 1
    page.keyboard.press("Escape")
    expect(page.locator("#bell")).to_be_focused()

    schema = {"type": "object", "properties": {"name": {"type": "string", "minLength": 3, "maxLength": 60}}}
    first = ask("Who is it?", schema={**schema, "required": ["name"]})
    expect(page.locator("#bell .count")).to_have_text("1", timeout=SOON)
    expect(page).to_have_title(re.compile(r"^\(1\) "))
    expect(page.locator("link[rel=icon]")).to_have_attribute("href", re.compile("^data:image/svg"))
    assert page.evaluate("told") == ["Who is it?"]

    page.locator("#bell").click()
    page.locator("#tray a", has_text="Who is it?").click()
    expect(page).to_have_url(re.compile(rf"/c/{first.goal.conversation_id}/.*#q-{first.pk}"))
    field = page.locator(f"#q-{first.pk} input")
    expect(field).to_be_focused()
    field.fill("Al")
    field.press("Enter")
    expect(page.locator(".fielderror")).to_contain_text("too short")
    expect(field).to_have_value("Al")
    field.fill("Alan")
    field.press("Enter")
    expect(page.locator("#timeline .answered")).to_contain_text("Alan")
    expect(page.locator("#bell .count")).to_be_hidden()
    expect(page).to_have_title(re.compile("^The fair"))
    assert page.evaluate("asked") == 0

    (Path(first.goal.workspace) / "a.txt").write_text("one\ntwo\n")
    details = {"tool": "edit_file", "risk": "dangerous", "input": {"path": "a.txt", "old": "two", "new": "zwei"}}
    second = ask("May I use edit_file?", QuestionKind.APPROVAL, talks=False, details=details)
    expect(page.locator("#bell .count")).to_have_text("1", timeout=SOON)
    page.locator("#bell").click()
    page.locator("#tray a", has_text="May I use edit_file?").click()
    sheet = page.get_by_role("dialog")
    expect(sheet.locator("tr.add")).to_have_text("+zwei")
    expect(sheet.locator("tr.del")).to_have_text("−two")
    sheet.get_by_role("button", name="Approve").click()
    expect(sheet).to_be_hidden()
    expect(page.locator("#bell .count")).to_be_hidden(timeout=SOON)
    assert Question.objects.get(pk=second.pk).answer is True

    third = ask("Who else?", schema={**schema, "required": ["name"]})
    plan = plans.waiting(person, plans.proposal(plans.step("Survey"), plans.step("Write")))
    page.goto(f"/g/{third.goal_id}/timeline/")
    expect(page.locator("#bell .count")).to_have_text("2", timeout=SOON)
    expect(page).to_have_title(re.compile(r"^\(2\) Plan the fair"))
    expect(page.locator("link[rel=icon]")).to_have_attribute("href", re.compile("^data:image/svg"))
    page.locator("#head").get_by_role("button", name="Answer").press("Enter")
    expect(sheet.get_by_role("textbox")).to_be_visible()
    sheet.get_by_role("textbox").fill("Al")
    page.keyboard.press("Enter")
    expect(sheet.locator(".fielderror")).to_contain_text("too short")
    sheet.get_by_role("textbox").fill("Alan")
    page.keyboard.press("Enter")
    expect(sheet).to_be_hidden()
    expect(page.locator("#bell .count")).to_have_text("1", timeout=SOON)
    expect(page.locator("#head").get_by_role("button", name="Answer")).to_have_count(0, timeout=SOON)
    page.goto(f"/g/{plan.goal_id}/#q-{plan.pk}")
    sheet.get_by_role("button", name="Edit").first.click()
    sheet.get_by_label("Title").first.fill("Survey all of it")
    sheet.get_by_role("button", name="Approve my version").click()
    expect(sheet.locator(".answered")).to_contain_text("Approved, as edited", timeout=SOON)
    expect(page.locator("#bell .count")).to_be_hidden(timeout=SOON)
