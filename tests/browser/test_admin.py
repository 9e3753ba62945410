"""The admin in a browser, under its content security policy."""

from playwright.sync_api import expect

from goals import services


def test_the_console_works_under_its_policy(page, person):
    person.is_staff = person.is_superuser = True
    person.save()
    goal = services.submit(owner=person, objective="Book a train to Paris")
    page.goto("/admin/")
    expect(page.get_by_role("heading", name="Questions and approvals")).to_be_visible()
    page.goto("/admin/goals/goal/")
    page.get_by_role("link", name="Book a train to Paris").first.click()
    page.wait_for_url(f"**/{goal.pk}/change/**")
    page.goto("/api/docs/")
    expect(page.get_by_text("/api/goals/", exact=True).first).to_be_visible()
