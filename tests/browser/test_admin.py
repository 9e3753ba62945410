"""The admin in a browser, under its content security policy."""

import re

from playwright.sync_api import expect

from goals import services
from goals.models import Question


def test_the_console_works_under_its_policy(page, person):
    person.is_staff = person.is_superuser = True
    person.save()
    goal = services.submit(owner=person, objective="Book a train to Paris")
    page.goto("/admin/")
    expect(page.get_by_role("heading", name="Questions and approvals")).to_be_visible()
    page.goto("/admin/goals/goal/")
    page.get_by_role("link", name="Book a train to Paris").first.click()
    page.wait_for_url(f"**/{goal.pk}/change/**")
    asked = Question.objects.create(goal=goal, kind="confirmation", key="k", prompt="By train?")
    page.goto("/admin/goals/question/?owner=ada&kind=confirmation")
    page.get_by_role("link", name="Answer", exact=True).click()
    dialog = page.locator("#dialog")
    dialog.locator("select[name=answer]").select_option("yes")
    dialog.get_by_role("button", name="Answer").click()
    expect(page.get_by_text("Answered.")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/admin/goals/question/\?owner=ada&kind=confirmation$"))
    asked.refresh_from_db()
    assert asked.answer is True
    page.goto("/admin/goals/goal/?owner=ada")
    page.get_by_label("Keep this view as").fill("Ada's")
    page.get_by_role("button", name="Keep").click()
    expect(page.get_by_role("link", name="Ada's", exact=True)).to_have_attribute("aria-current", "page")
    page.goto("/api/docs/")
    expect(page.get_by_text("/api/goals/", exact=True).first).to_be_visible()


def test_nothing_in_the_console_is_wider_than_its_window_or_cut(page, person):
    person.is_staff = person.is_superuser = True
    person.save()
    goal = services.submit(owner=person, objective="Book a train to Paris by way of every town on the coast " * 3)
    event = goal.events.get(seq=1)
    told = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    for width, address in (
        (1280, "/admin/goals/modelprice/add/"),
        (390, f"/admin/goals/goal/{goal.pk}/change/"),
        (390, f"/admin/goals/event/{event.pk}/change/"),
        (390, "/admin/goals/goal/"),
    ):
        page.set_viewport_size({"width": width, "height": 844})
        page.goto(address)
        assert (address, page.evaluate(told)) == (address, 0)
    cell = page.locator("#result_list th").first
    assert cell.evaluate("cell => cell.scrollHeight - cell.clientHeight") <= 0
