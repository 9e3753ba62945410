"""What a person has reached stays theirs while the site has news of what is around it: the focus, and a click."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from goals import services
from goals.chat import conversations
from goals.models import Conversation, Goal
from tests.browser.test_conversation import SOON

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def at(control: Locator) -> Locator:
    """Have the keyboard there, and mark what is there now: what the site sends anew has no mark."""
    control.focus()
    control.evaluate("node => { node.dataset.before = '' }")
    return control


def is_replaced_and_focused(page: Page, control: Locator) -> None:
    expect(page.locator("[data-before]")).to_have_count(0, timeout=SOON)
    expect(control).to_be_focused()


def test_what_is_replaced_or_moved_keeps_the_focus_the_cursor_and_a_click_that_has_begun(page, site, person):
    site.kill("workers")
    other = conversations.start(person, title="Letters")
    talk = conversations.start(person, title="Harvest")
    goal = services.submit(owner=person, objective="Write about it", conversation=talk)
    Goal.objects.update(plan_due=False)
    page.goto(f"/c/{talk.pk}/")
    expect(page.locator("#app[data-live=up]")).to_be_attached(timeout=SOON)
    panel = page.locator("#panel")

    cancel = at(panel.get_by_role("button", name="Cancel"))
    services.pause(person, goal.pk)
    is_replaced_and_focused(page, cancel)

    again = at(panel.locator("summary", has_text="Ask for another plan"))
    services.steer(person, goal.pk, "Be brief")
    is_replaced_and_focused(page, again)

    guidance = page.get_by_label("A word of guidance")
    guidance.fill("thought")
    at(guidance).press("Home")
    services.steer(person, goal.pk, "Mind the apples")
    is_replaced_and_focused(page, guidance)
    page.keyboard.type("An after")
    expect(guidance).to_have_value("An afterthought")

    listed = page.locator("#list a")
    expect(listed).to_have_text([re.compile("Harvest"), re.compile("Letters")])
    letters = page.get_by_role("link", name="Letters")
    letters.focus()
    Conversation.objects.filter(pk=talk.pk).update(updated_at=other.created_at)
    conversations.post(person, other.pk, "Dear Ada")
    services.resume(person, goal.pk)
    expect(listed).to_have_text([re.compile("Letters"), re.compile("Harvest")], timeout=SOON)
    expect(letters).to_be_focused()

    again.hover()
    page.mouse.down()
    with page.expect_response(re.compile("/panel/")):
        services.steer(person, goal.pk, "Or the pears")
    page.wait_for_timeout(200)
    page.mouse.up()
    expect(page.get_by_label("Why another plan")).to_be_visible()
    expect(panel).to_contain_text("Or the pears", timeout=SOON)

    objective = at(panel.locator(".objective a"))
    services.pause(person, goal.pk)
    is_replaced_and_focused(page, objective)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"/g/{goal.pk}/"))
