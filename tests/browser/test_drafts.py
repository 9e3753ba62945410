"""What a person writes while the page or the site is slow, or while what it belongs to is not there, stays."""

import pytest
from django.contrib.auth.models import Permission
from playwright.sync_api import Page, Route, expect

from goals import services
from goals.chat import conversations
from tests.browser.test_conversation import SOON, is_ready, say, sees

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


class Held:
    """The first request of this kind is on its way until `let_go`; what follows passes."""

    def __init__(self, page: Page, pattern: str) -> None:
        self.page, self.routes = page, []
        page.route(pattern, self._take)

    def _take(self, route: Route) -> None:
        if self.routes:
            route.continue_()
        self.routes.append(route)

    def wait(self) -> None:
        while not self.routes:
            self.page.wait_for_timeout(20)

    def let_go(self) -> None:
        self.routes[0].continue_()


@pytest.fixture
def conversation(person):
    return conversations.start(person, title="Harvest")


def test_what_is_written_while_something_is_on_its_way_is_not_lost(page, site, person, conversation, tmp_path):
    site.kill("workers")
    person.user_permissions.add(Permission.objects.get(codename="rearm"))
    goal = services.submit(owner=person, objective="Write about it", conversation=conversation)
    page.goto(f"/c/{conversation.pk}/")
    box, guidance = page.get_by_label("Message"), page.get_by_label("A word of guidance")
    saying = Held(page, "**/c/*/messages/")
    say(page, "/help")
    saying.wait()
    box.fill("/status")
    box.press("Enter")
    notes = tmp_path / "notes.txt"
    notes.write_text("buy milk")
    attaching = Held(page, "**/attachments/")
    page.locator("input[type=file]").set_input_files(notes)
    attaching.wait()
    remove = page.get_by_role("button", name="Remove notes.txt")
    remove.focus()
    attaching.let_go()
    expect(page.locator(".chips li")).to_contain_text("8 bytes")
    expect(remove).to_be_focused()
    guidance.fill("half a thought")
    saying.let_go()
    expect(page.locator("#timeline .user")).to_have_count(2)
    expect(page.locator("#timeline .user").last).to_contain_text("notes.txt")
    expect(guidance).to_be_focused()

    steering = Held(page, "**/steer/")
    guidance.fill("the first word")
    page.get_by_role("button", name="Steer").click()
    steering.wait()
    services.steer(person, goal.pk, "from elsewhere")
    expect(page.locator("#p-steer .steered")).to_contain_text("from elsewhere", timeout=SOON)
    expect(page.locator("#p-steer form[data-busy]")).to_have_count(1)
    guidance.fill("the second word")
    steering.let_go()
    expect(page.locator("#p-steer .steered")).to_contain_text("the first word")
    expect(page.locator("#p-steer form[data-busy]")).to_have_count(0)
    expect(guidance).to_have_value("the second word")

    services.cancel(person, goal.pk)
    expect(guidance).to_have_count(0)
    box.fill("a message")
    services.rearm(person, goal.pk)
    expect(guidance).to_have_value("the second word")


def test_what_is_typed_before_the_script_has_come_follows_what_was_left(page, conversation):
    page.goto(f"/c/{conversation.pk}/")
    is_ready(page)
    box = page.get_by_label("Message")
    box.fill("left here")
    script = Held(page, "**/composer*.js")
    page.goto(f"/c/{conversation.pk}/", wait_until="commit")
    box.fill("typed early")
    expect(page.get_by_role("button", name="Send")).to_be_disabled()
    script.wait()
    script.let_go()
    expect(box).to_have_value("left here\ntyped early")
    page.reload()
    expect(box).to_have_value("left here\ntyped early")
    box.press("Enter")
    sees(page, "typed early")
    expect(box).to_have_value("")
