"""The page in each of its states, one after another on one site: for what holds in all of them, and for pictures."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.utils import timezone
from playwright.sync_api import Page, expect

from goals import services, sharing
from goals.chat import conversations
from goals.models import Goal
from tests.browser.conftest import PASSWORD, sign_in
from tests.browser.site import Site
from tests.browser.test_conversation import SOON, card, is_ready, say, sees, state

RTL = "برلين (Berlin)"
UNKNOWN = "01a20094-443e-7404-a22d-d44619248db3"


def states(page: Page, site: Site, person: Any) -> Iterator[str]:
    """Bring the page to a state and name it; again and again, until all were seen."""
    yield from _begun(page, person)
    yield from _planned(page)
    yield from _asked(page, person)
    yield from _ended(page, person)
    yield from _shared(page, person)
    yield from _refused(page)
    yield from _signed_out(page)
    yield from _cut_off(page, site, person)


def _begun(page: Page, person: Any) -> Iterator[str]:
    is_ready(page)
    yield "welcome"
    page.get_by_label("Message").press("/")
    yield "commands"
    page.get_by_label("Message").fill("")
    page.goto(f"/c/{conversations.start(person, title='Nothing yet').pk}/")
    expect(page.locator("#nothing")).to_be_visible()
    is_ready(page)
    yield "empty"


def _planned(page: Page) -> Iterator[str]:
    page.goto("/")
    say(page, "/plan Write an inventory of the Python modules")
    plan = card(page, "May I carry out this plan?")
    expect(plan).to_be_visible(timeout=SOON)
    yield "plan"
    plan.get_by_role("button", name="Edit").first.click()
    expect(plan.get_by_label("Title").first).to_be_visible()
    yield "plan, a step open"


def _asked(page: Page, person: Any) -> Iterator[str]:
    page.goto("/")
    say(page, "Book me a train")
    expect(card(page, "Where does the journey begin?")).to_be_visible(timeout=SOON)
    yield "waiting"
    page.locator(".goalbutton").evaluate("button => button.click()")
    yield "waiting, the goal open"
    page.keyboard.press("Escape")
    page.locator("#bell").click()
    yield "tray"
    page.locator("#panel .objective a").evaluate("link => link.click()")
    page.locator("[data-live=up]").wait_for(timeout=SOON)
    page.locator("#head").get_by_role("button", name="Answer").click()
    expect(page.get_by_role("dialog").get_by_role("textbox")).to_be_focused()
    yield "goal page, a question"
    page.go_back()
    is_ready(page)
    for question, answer in {"begin?": RTL, "want to go?": "Paris", "On which day": "2030-05-01"}.items():
        expect(card(page, question)).to_be_visible(timeout=SOON)
        say(page, answer)
    expect(card(page, "Which train do you want to take?")).to_be_visible(timeout=SOON)
    yield "choice"
    card(page, "Which train do you want to take?").get_by_role("button").first.click()
    expect(card(page, "Book DEMO-")).to_be_visible(timeout=SOON)
    state(page, "Waiting for your answer")
    yield "confirmation"
    page.locator("#panel").get_by_role("button", name="Pause", exact=True).evaluate("button => button.click()")
    state(page, "Paused")
    yield "paused"


def _ended(page: Page, person: Any) -> Iterator[str]:
    page.goto("/")
    is_ready(page)
    page.get_by_role("button", name="Inventory of a folder").click()
    sees(page, "Done, and checked")
    state(page, "Done, and checked")
    yield "done"
    goal = Goal.objects.get(status="completed")
    page.locator("#timeline .files a").first.click()
    expect(page.get_by_role("heading", name="python-inventory.md")).to_be_visible()
    yield "file"
    page.goto(f"/g/{goal.pk}/")
    page.locator("[data-live=up]").wait_for(timeout=SOON)
    yield "goal page"
    for tab in ("timeline", "events", "artifacts"):
        page.goto(f"/g/{goal.pk}/{tab}/")
        page.locator("[data-live=up]").wait_for(timeout=SOON)
        yield f"goal page, {tab}"
    page.locator("#things a").first.click()
    expect(page.get_by_role("complementary", name="Details").get_by_role("heading").first).to_be_visible()
    yield "goal page, inside"
    failed = services.submit(
        owner=person, objective="Prove that P is NP", conversation=conversations.start(person, title="A hard one")
    )
    services.cancel(person, failed.pk)
    facts = {"status": "failed", "outcome": "exhausted", "reason": "Every attempt was used up.", "paused_for": ""}
    Goal.objects.filter(pk=failed.pk).update(**facts, finished_at=timezone.now())
    page.goto(f"/c/{failed.conversation_id}/")
    state(page, "Not reached")
    yield "failed"


def _shared(page: Page, person: Any) -> Iterator[str]:
    goal = Goal.objects.get(status="completed")
    page.goto(f"/c/{goal.conversation_id}/")
    is_ready(page)
    page.locator("form[data-share] button").evaluate("button => button.click()")
    dialog = page.get_by_role("dialog", name="Anybody with this link")
    expect(dialog).to_be_visible()
    yield "share"
    address = dialog.get_by_label("Link").input_value()
    page.goto(address)
    expect(page.get_by_role("heading", name="Certificate")).to_be_visible()
    yield "shared"
    page.goto(f"{address}files/python-inventory.md")
    yield "shared file"
    page.goto(f"{address}graph/")
    expect(page.get_by_role("treeitem").first).to_be_visible(timeout=SOON)
    yield "shared graph"
    sharing.withdraw_all(person, goal.pk)
    page.goto(address)
    expect(page.get_by_role("heading", name="Nothing is here")).to_be_visible()
    yield "withdrawn"


def _refused(page: Page) -> Iterator[str]:
    page.goto(f"/c/{UNKNOWN}/")
    expect(page.get_by_role("heading", name="Nothing is here")).to_be_visible()
    yield "refused"
    page.goto("/no/such/page/")
    yield "not found"


def _signed_out(page: Page) -> Iterator[str]:
    goal = Goal.objects.get(status="completed")
    page.goto(f"/c/{goal.conversation_id}/")
    is_ready(page)
    page.context.clear_cookies(name="sessionid")
    say(page, "Is it done?")
    expect(page.get_by_role("dialog", name="You are signed out")).to_be_visible()
    yield "signed out"
    page.goto("/")
    yield "login"
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill("no " + PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    yield "login refused"
    sign_in(page)
    is_ready(page)


def _cut_off(page: Page, site: Site, person: Any) -> Iterator[str]:
    site.kill("workers")
    page.goto(f"/c/{conversations.start(person, title='Slowly').pk}/")
    is_ready(page)
    say(page, "/goal Group the errors in the log files and count them")
    state(page, "Making a plan")
    yield "running"
    site.kill("web")
    expect(page.locator("#offline")).to_be_visible(timeout=SOON)
    yield "offline"
    site.start_web()
    expect(page.locator("#offline")).to_be_hidden(timeout=SOON)


def picture(page: Page, folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{name.replace(', ', '-').replace(' ', '-')}.png")
