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
