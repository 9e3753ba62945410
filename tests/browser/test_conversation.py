"""What a person does on the chat page, in a real browser against the real site."""

import re

import pytest
from playwright.sync_api import Page, expect

from goals import answers
from goals.chat.commands import CATALOGUE
from goals.models import Goal, Question, ToolCall
from tests.browser.conftest import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SOON = 30_000


def is_ready(page: Page) -> None:
    """The page's script has begun its work."""
    expect(page.locator("#app[data-live]")).to_be_attached(timeout=SOON)


def say(page: Page, text: str) -> None:
    is_ready(page)
    box = page.get_by_label("Message")
    box.fill(text)
    box.press("Enter")


def card(page: Page, text: str) -> object:
    """The open question of the conversation that says this."""
    return page.locator("#timeline .asks.open", has_text=text)


def sees(page: Page, text: str) -> None:
    expect(page.locator("#timeline")).to_contain_text(text, timeout=SOON)


def state(page: Page, text: str) -> None:
    expect(page.locator("#panel .state")).to_contain_text(text, timeout=SOON)


def test_a_train_is_booked_as_a_conversation(page):
    say(page, "Book me a train")
    expect(page).to_have_url(re.compile(r"/c/[0-9a-f-]{36}/$"))
    expect(card(page, "Where does the journey begin?")).to_be_visible(timeout=SOON)
    say(page, "Berlin")
    expect(card(page, "Where do you want to go?")).to_be_visible(timeout=SOON)
    say(page, "Paris")
    expect(card(page, "On which day")).to_be_visible(timeout=SOON)
    say(page, "on some fine day")
    sees(page, "does not fit")
    say(page, "2030-05-01")
    sees(page, "Trains from Berlin to Paris on 2030-05-01")
    choice = card(page, "Which train do you want to take?")
    expect(choice).to_be_visible(timeout=SOON)
    choice.get_by_role("button").nth(1).click()
    confirm = card(page, "Book DEMO-")
    expect(confirm).to_be_visible(timeout=SOON)
    assert not ToolCall.objects.filter(tool="train_book").exists()
    confirm.get_by_role("button", name="Yes").click()
    sees(page, "Your booking (demonstration, no ticket was sold)")
    state(page, "Done, and checked")
    expect(page.locator("#panel .steps > li.completed")).to_have_count(9)
    expect(page.locator("#timeline .answered")).to_contain_text(
        ["Berlin", "Paris", "2030-05-01", "DEMO-", "Yes"], timeout=SOON
    )
    expect(page.locator("#timeline .taken")).to_have_count(5)
    expect(page.locator("#timeline .taken[open]")).to_have_count(1)


def test_a_goal_over_files_shows_its_report(page):
    is_ready(page)
    page.get_by_role("button", name="Inventory of a folder").click()
    sees(page, "Done, and checked")
    page.locator("#timeline .files a", has_text="python-inventory.md").click()
    expect(page.get_by_role("heading", name="Python inventory")).to_be_visible()
    expect(page.locator("article table").first).to_contain_text("greenhouse.py")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "python-inventory.md"


def test_a_goal_is_paused_resumed_steered_and_cancelled(page):
    say(page, "/goal Book a train to Paris")
    expect(card(page, "Where does the journey begin?")).to_be_visible(timeout=SOON)
    panel = page.locator("#panel")
    panel.get_by_role("button", name="Pause", exact=True).click()
    state(page, "Paused")
    panel.get_by_role("button", name="Resume").click()
    state(page, "Waiting for your answer")
    panel.get_by_placeholder("A word of guidance").fill("No night trains")
    panel.get_by_role("button", name="Steer").click()
    expect(panel.locator(".steered")).to_contain_text("No night trains")
    panel.get_by_role("button", name="Cancel").click()
    assert Goal.objects.get().status == "waiting"
    panel.get_by_role("button", name="Really?").click()
    state(page, "Cancelled")
    sees(page, "No longer needed")


def test_an_answer_given_elsewhere_shows_up(page, person):
    say(page, "/goal Book a train to Paris")
    expect(card(page, "Where does the journey begin?")).to_be_visible(timeout=SOON)
    answers.answer(person, Question.objects.open().get().pk, "Lyon", channel="api")
    expect(page.locator("#timeline .answered")).to_contain_text("Lyon", timeout=SOON)
    expect(page.locator("#timeline .answered")).to_contain_text("ada by api")
    expect(card(page, "On which day")).to_be_visible(timeout=SOON)


def test_the_page_catches_up_after_the_web_process_was_killed(page, site, person):
    say(page, "/goal Book a train to Paris")
    expect(card(page, "Where does the journey begin?")).to_be_visible(timeout=SOON)
    site.kill("web")
    expect(page.locator("#offline")).to_be_visible(timeout=SOON)
    say(page, "lost words")
    expect(page.locator(".problem")).to_contain_text("cannot be reached")
    expect(page.get_by_label("Message")).to_have_value("lost words")
    answers.answer(person, Question.objects.open().get().pk, "Lyon", channel="api")
    site.start_web()
    expect(page.locator("#offline")).to_be_hidden(timeout=SOON)
    expect(card(page, "On which day")).to_be_visible(timeout=SOON)
    expect(page.locator("#timeline .answered")).to_contain_text("Lyon")


def test_nothing_is_lost_when_the_workers_are_killed(page, site):
    site.kill("workers")
    say(page, "Book me a train to Paris")
    sees(page, "Reading your message")
    site.start_workers()
    expect(card(page, "Where does the journey begin?")).to_be_visible(timeout=SOON)


def test_what_is_typed_into_the_goal_survives_its_changes(page, person):
    say(page, "/goal Book a train")
    field = page.get_by_label("A word of guidance")
    field.fill("half a thou")
    expect(card(page, "Where does the journey begin?")).to_be_visible(timeout=SOON)
    asked = page.locator("#timeline .asks.open")
    asked.locator("textarea").fill("Bern")
    asked.get_by_role("button", name="Answer").click()
    expect(card(page, "Where do you want to go?")).to_be_visible(timeout=SOON)
    expect(page.get_by_label("A word of guidance")).to_have_value("half a thou")


def test_what_people_write_is_shown_and_never_run(page):
    say(
        page,
        '/goal <img src=x onerror="document.title=1"> **bold** [x](javascript:alert(1)) ![p](http://127.0.0.1:9/p.png)',
    )
    sees(page, "<img src=x onerror")
    say(page, "/goal")
    sees(page, "bold")
    assert page.locator("#timeline img, #timeline a[href^=javascript]").count() == 0
    assert page.title() != "1"


def test_the_policy_forbids_what_the_page_does_not_bring(page):
    policy = page.request.get("/").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page.locator("script:not([src]), style, [style], [onclick]").count() == 0


def test_a_stranger_is_asked_to_sign_in_and_sees_nothing_of_others(page, chromium, site, django_user_model):
    say(page, "/help")
    page.wait_for_url("**/c/*/")
    address = page.url
    context = chromium.new_context()
    stranger = context.new_page()
    stranger.goto(address)
    expect(stranger.get_by_role("heading", name="Sign in")).to_be_visible()
    sign_in(stranger)
    expect(stranger).to_have_url(address)
    context.clear_cookies()
    django_user_model.objects.create_user("eve", password="another-long-password")
    stranger.goto(address)
    stranger.get_by_label("Name").fill("eve")
    stranger.get_by_label("Password").fill("another-long-password")
    stranger.get_by_role("button", name="Sign in").click()
    expect(stranger.get_by_role("heading", name="Nothing is here")).to_be_visible()
    context.close()


def test_on_a_phone_the_goal_is_a_drawer_that_the_keyboard_closes(page):
    page.set_viewport_size({"width": 390, "height": 844})
    say(page, "/goal Book a train to Paris")
    button = page.locator(".goalbutton")
    expect(button).to_contain_text("Needs you", timeout=SOON)
    expect(page.locator("#goal")).to_be_hidden()
    button.click()
    expect(page.locator("#goal")).to_be_visible()
    expect(button).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Escape")
    expect(page.locator("#goal")).to_be_hidden()
    expect(button).to_be_focused()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_commands_are_offered_at_a_slash(page):
    is_ready(page)
    box = page.get_by_label("Message")
    box.press("/")
    expect(page.get_by_role("option")).to_have_count(len(CATALOGUE))
    page.keyboard.type("h")
    expect(page.get_by_role("option")).to_have_count(1)
    page.keyboard.press("Tab")
    expect(box).to_have_value("/help ")
    page.keyboard.press("Enter")
    sees(page, "List the commands")
