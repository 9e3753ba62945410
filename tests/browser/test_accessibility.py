"""For everyone: every state of the page by axe, light on a desktop and dark on a phone; and by keyboard alone.

With GOALSITE_SCREENSHOTS naming a folder, all four are looked at, and a picture of each is put there
(`python -m tests.browser.screenshots`).
"""

import os
import re
from collections import defaultdict
from itertools import product
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from goals.models import Goal, Question
from tests.browser.conftest import heard, sign_in
from tests.browser.states import picture, states
from tests.browser.test_conversation import SOON, card, is_ready, say, sees, state

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
WIDER = """[document.documentElement, ...document.querySelectorAll('#scroll, #panel, #list, #tray, dialog')].some(
    (node) => node.scrollWidth > node.clientWidth)"""
SCHEMES = ("light", "dark")
SIZES = {"desktop": {"width": 1280, "height": 860}, "phone": {"width": 390, "height": 844}}


def found_by_axe(page: Page) -> list[str]:
    """What breaks a rule of WCAG, or more than slightly a good custom."""
    answer = Axe().run(page, options=RULES).response
    return [
        f"{one['id']} ({one['impact']}): {node['target']} {node.get('failureSummary', '')[:300]}"
        for one in answer["violations"]
        if one["impact"] != "minor" or "best-practice" not in one["tags"]
        for node in one["nodes"]
    ]


def test_axe_finds_nothing_in_any_state(page, site, person):
    folder = os.environ.get("GOALSITE_SCREENSHOTS")
    found = defaultdict(list)
    for name in states(page, site, person):
        for scheme, size in product(SCHEMES, SIZES) if folder else zip(SCHEMES, SIZES, strict=True):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            page.set_viewport_size(SIZES[size])
            if folder:
                picture(page, Path(folder), f"{name}-{size}-{scheme}")
            for problem in found_by_axe(page):
                found[problem].append(f"{name}, {scheme}, {size}")
            if page.evaluate(WIDER):
                found["it is wider than its place"].append(f"{name}, {size}")
        page.set_viewport_size(SIZES["desktop"])
    told = "\n".join(f"{problem}\n    {'; '.join(seen)}" for problem, seen in found.items())
    assert not found, told


def test_a_train_is_booked_with_the_keyboard_alone(page):
    is_ready(page)
    page.get_by_role("link", name="To the message box").press("Enter")
    expect(page.get_by_label("Message")).to_be_focused()
    page.keyboard.type("Book me a train")
    page.keyboard.press("Enter")
    for question, answer in {"begin?": "Berlin", "want to go?": "Paris", "On which day": "2030-05-01"}.items():
        expect(card(page, question)).to_be_visible(timeout=SOON)
        expect(page.get_by_label("Message")).to_be_focused()
        page.keyboard.type(answer)
        page.keyboard.press("Enter")
    for question, button in {"Which train": "DEMO-", "Book DEMO-": "Yes"}.items():
        expect(card(page, question)).to_be_visible(timeout=SOON)
        reach(page, card(page, question).get_by_role("button", name=button).first)
        page.keyboard.press("Enter")
    state(page, "Done, and checked")
    sees(page, "no ticket was sold")


def test_a_plan_is_approved_a_question_answered_and_the_graph_looked_into_with_the_keyboard_alone(page):
    is_ready(page)
    page.keyboard.type("/plan Book a train to Paris")
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    plan = card(page, "May I carry out this plan?")
    expect(plan).to_be_visible(timeout=SOON)
    reach(page, plan.get_by_role("button", name="Approve"))
    page.keyboard.press("Enter")
    expect(plan).to_have_count(0, timeout=SOON)
    expect(card(page, "Where does the journey begin?")).to_be_visible(timeout=SOON)
    reach(page, page.locator("#panel .objective a"), "Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#goal[data-live=up]")).to_be_attached(timeout=SOON)
    reach(page, page.locator("#head").get_by_role("button", name="Answer"), "Tab")
    page.keyboard.press("Enter")
    sheet = page.get_by_role("dialog", name="Details")
    expect(sheet.get_by_role("textbox")).to_be_focused()
    page.keyboard.type("Lyon")
    page.keyboard.press("Enter")
    expect(sheet).to_be_hidden(timeout=SOON)
    asked = page.get_by_role("treeitem", name="Ask when")
    expect(asked).to_contain_text("Waiting", timeout=SOON)
    expect(page.locator("#canvas path.in-order")).to_have_attribute("d", re.compile("^M"))
    reach(page, page.locator("[role=treeitem][tabindex='0']"), "Tab")
    page.keyboard.press("Home")
    first = page.get_by_role("treeitem").first
    expect(first).to_be_focused()
    page.keyboard.press("Enter")
    inside = page.get_by_role("complementary", name="Details")
    expect(inside).to_be_focused()
    expect(inside.get_by_role("heading").first).to_contain_text("Ask where from")
    page.keyboard.press("Escape")
    expect(inside).to_be_hidden()
    expect(first).to_be_focused()
    reach(page, page.get_by_role("link", name="Timeline"))
    page.keyboard.press("Enter")
    expect(page.locator("#bars .rest.waiting").last).to_be_attached(timeout=SOON)
    page.go_back()
    expect(page.get_by_role("treeitem").first).to_be_visible(timeout=SOON)


def reach(page: Page, wanted, key: str = "Shift+Tab") -> None:
    """Go from where the keyboard is to a control; each one on the way shows that it has the focus.

    (The message box shows it by the frame that is around it.)
    """
    for _ in range(40):
        page.keyboard.press(key)
        outline = "getComputedStyle(document.activeElement).outlineStyle"
        assert page.evaluate(f"document.activeElement.matches('body, #content') || {outline} !== 'none'")
        if wanted.evaluate("node => node === document.activeElement"):
            return
    raise AssertionError(f"{wanted} is not reached by the keyboard")


def test_the_page_heeds_what_a_person_has_set(page, chromium, site):
    say(page, "/goal Book a train to Paris")
    expect(card(page, "Where does the journey begin?")).to_be_visible(timeout=SOON)
    answer = card(page, "Where does the journey begin?").locator("input:not([type=hidden]), textarea").first
    answer.fill("שלום Berlin")
    assert answer.evaluate("node => getComputedStyle(node).unicodeBidi") == "plaintext"
    say(page, "/goal مرحبا بالعالم")
    said = page.locator(".said", has_text="مرحبا").first
    expect(said).to_be_visible(timeout=SOON)
    assert said.evaluate("node => getComputedStyle(node).unicodeBidi") in ("plaintext", "isolate")
    page.emulate_media(reduced_motion="reduce")
    moving = "[...document.querySelectorAll('*')].filter(n => getComputedStyle(n).animationName !== 'none').length"
    assert page.evaluate(moving) == 0
    page.emulate_media(forced_colors="active")
    assert found_by_axe(page) == []
    for width in (640, 320):  # a desktop at 200 % and at 400 %
        page.set_viewport_size({"width": width, "height": 450})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        expect(page.get_by_label("Message")).to_be_in_viewport()
    context = chromium.new_context(base_url=site.url, timezone_id="Pacific/Auckland", locale="en-NZ")
    far = context.new_page()
    far.goto(page.url)
    sign_in(far)
    is_ready(far)
    asked = Question.objects.first().created_at.isoformat()
    there = "at => new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })"
    expect(far.locator("#timeline time").last).to_have_text(far.evaluate(there, asked))
    context.close()
    assert Goal.objects.exists()


def test_a_broken_policy_would_be_noticed(chromium, site):
    context = chromium.new_context(base_url=site.url)
    opened = context.new_page()
    complaints = heard(opened)
    opened.goto("/login/")
    opened.evaluate("""() => new Promise((done) => {
      addEventListener('securitypolicyviolation', done);
      document.body.insertAdjacentHTML('beforeend', '<img src="http://127.0.0.1:9/x.png" alt="">');
    })""")
    context.close()
    assert ["Content Security Policy" in line for line in complaints] == [True]
