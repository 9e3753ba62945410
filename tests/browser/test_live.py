"""The page and its socket when something dies, hangs, sleeps or runs out, in a real browser against the real site."""

import re
import threading
import time

import pytest
from django.contrib.auth.models import Permission
from django.contrib.sessions.models import Session
from django.db import connection
from playwright.sync_api import Page, expect

from goals import answers, services, sharing
from goals.chat import conversations
from goals.effects.making import add_message
from goals.models import Conversation, Event, Goal, Question, Role
from tests.browser.conftest import PASSWORD, sign_in
from tests.browser.test_conversation import SOON, card, is_ready, say, sees

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# A second client of the same page's script, which writes down what it is handed.
WRITE_DOWN = """async (conversation) => {
  const { Live } = await import('/static/goals/live.js');
  window.got = [];
  const onFrame = (frame) => frame.type === 'event' && window.got.push([frame.goal, frame.seq]);
  await new Promise((onOpen) => new Live(`/ws/conversations/${conversation}/`, { onFrame, onOpen }));
}"""


def told(page: Page, goal: Goal) -> list[int]:
    return [seq for of, seq in page.evaluate("window.got") if of == str(goal.pk)]


def is_told(page: Page, goal: Goal, seqs: list[int]) -> None:
    deadline = time.monotonic() + SOON / 1000
    while told(page, goal)[-1:] != seqs[-1:] and time.monotonic() < deadline:
        page.wait_for_timeout(100)
    assert told(page, goal) == seqs


def test_every_event_comes_once_and_in_order_whatever_is_killed(page, site, person):
    conversation = conversations.start(person)
    goal = services.submit(owner=person, objective="Write", conversation=conversation, verifier=None)
    services.pause(person, goal.pk)
    site.kill("workers")
    page.goto(f"/c/{conversation.pk}/")
    is_ready(page)
    begun = Event.objects.filter(goal=goal).count()
    page.evaluate(WRITE_DOWN, str(conversation.pk))
    over = threading.Event()

    def write() -> None:
        while not over.wait(0.01):
            services.steer(person, goal.pk, "a word")
        connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(3):
            page.wait_for_timeout(700)
            site.kill("web")
            page.wait_for_timeout(300)
            site.start_web()
        site.kill("web")
        late = services.submit(owner=person, objective="Begun meanwhile", conversation=conversation)
        services.pause(person, late.pk)
        site.start_web()
        page.wait_for_timeout(700)
    finally:
        over.set()
        writer.join()
    is_told(page, goal, list(range(begun + 1, Event.objects.filter(goal=goal).count() + 1)))
    is_told(page, late, [1, 2])
    assert page.context.pages == [page]


def test_a_page_says_when_it_is_offline_or_hears_nothing_and_since_when(page, site, person):
    say(page, "/goal Book a train to Paris")
    expect(card(page, "Where does the journey begin?")).to_be_visible(timeout=SOON)
    banner = page.locator("#offline")
    expect(banner).to_be_hidden()
    site.freeze("web")
    try:
        page.evaluate("dispatchEvent(new Event('focus'))")
        expect(banner).to_contain_text("The site does not answer", timeout=SOON)
        expect(banner.locator("time")).to_have_text(re.compile(r"\d+:\d\d:\d\d"))
        expect(banner.get_by_role("button", name="Try now")).to_be_visible()
        answers.answer(person, Question.objects.open().get().pk, "Lyon", channel="api")
    finally:
        site.thaw("web")
    expect(banner).to_be_hidden(timeout=SOON)
    expect(card(page, "On which day")).to_be_visible(timeout=SOON)

    page.context.set_offline(True)
    site.kill("web")
    expect(banner).to_contain_text("You are offline", timeout=SOON)
    answers.answer(person, Question.objects.open().get().pk, "2030-05-01", channel="api")
    site.start_web()
    page.context.set_offline(False)
    expect(banner).to_be_hidden(timeout=SOON)
    expect(card(page, "Which train do you want to take?")).to_be_visible(timeout=SOON)


def test_a_page_that_slept_catches_up_when_it_wakes(page, site, person):
    say(page, "/goal Book a train to Paris")
    expect(card(page, "Where does the journey begin?")).to_be_visible(timeout=SOON)
    devtools = page.context.new_cdp_session(page)
    devtools.send("Page.setWebLifecycleState", {"state": "frozen"})
    answers.answer(person, Question.objects.open().get().pk, "Lyon", channel="api")
    site.kill("web")
    site.start_web()
    devtools.send("Page.setWebLifecycleState", {"state": "active"})
    expect(card(page, "On which day")).to_be_visible(timeout=SOON)
    there = page.url
    page.goto("/")
    answers.answer(person, Question.objects.open().get().pk, "2030-05-01", channel="api")
    page.go_back()
    expect(page).to_have_url(there)
    expect(card(page, "Which train do you want to take?")).to_be_visible(timeout=SOON)


def test_two_tabs_see_the_same(page, chromium, site):
    say(page, "Book me a train to Paris")
    expect(card(page, "Where does the journey begin?")).to_be_visible(timeout=SOON)
    context = chromium.new_context(base_url=site.url)
    other = context.new_page()
    other.goto(page.url)
    sign_in(other)
    card(other, "Where does the journey begin?").wait_for()
    say(other, "Lyon")
    for one in (page, other):
        expect(card(one, "On which day")).to_be_visible(timeout=SOON)
        expect(one.locator("#timeline .answered")).to_contain_text("Lyon")
    shown = [one.locator("#timeline").inner_text() for one in (page, other)]
    assert shown[0] == shown[1]
    context.close()


def test_two_people_see_the_same_goal_and_who_answered(page, chromium, site, person, django_user_model):
    boss = django_user_model.objects.create_user("boss", password=PASSWORD)
    boss.user_permissions.add(Permission.objects.get(codename="operate"))
    goal = services.submit(owner=person, objective="Book a train to Paris")
    context = chromium.new_context(base_url=site.url)
    other = context.new_page()
    other.goto(f"/g/{goal.pk}/events/")
    sign_in(other, "boss")
    page.goto(f"/g/{goal.pk}/events/")
    for one in (page, other):
        expect(one.locator("#events")).to_contain_text("Where does the journey begin?", timeout=SOON)
    answers.answer(boss, Question.objects.open().get().pk, "Lyon", channel="api")
    for one in (page, other):
        expect(one.locator("#events")).to_contain_text("boss", timeout=SOON)
        expect(one.locator("#events")).to_contain_text("On which day", timeout=SOON)
    seqs = [one.locator("#events .seq").all_inner_texts() for one in (page, other)]
    assert seqs[0] == seqs[1]
    context.close()


def test_a_shared_goal_is_drawn_for_anybody_and_opens_nothing(page, chromium, site, person):
    goal = services.submit(owner=person, objective="Book a train to Paris")
    page.goto(f"/g/{goal.pk}/")
    expect(page.locator("#graph .card").first).to_be_visible(timeout=SOON)
    services.cancel(person, goal.pk)
    _, token = sharing.share(person, goal.pk)
    context = chromium.new_context(base_url=site.url)
    stranger = context.new_page()
    asked = []
    stranger.on("request", lambda request: asked.append(request.url))
    stranger.goto(f"/s/{token}/")
    stranger.get_by_role("link", name="See them as a graph").click()
    expect(stranger.get_by_role("treeitem").first).to_be_visible(timeout=SOON)
    stranger.get_by_role("treeitem").first.click()
    stranger.keyboard.press("ArrowDown")
    expect(stranger.get_by_role("treeitem").nth(1)).to_be_focused()
    assert [url for url in asked if "/g/" in url or "/ws/" in url] == []
    context.close()


def test_who_is_signed_out_signs_in_on_the_page_and_loses_nothing(page, person):
    say(page, "/goal Book a train to Paris")
    expect(card(page, "Where does the journey begin?")).to_be_visible(timeout=SOON)
    page.locator("#p-steer textarea[name=text]").fill("half a thought")
    box = page.get_by_label("Message")
    Session.objects.all().delete()
    box.fill("Lyon")
    box.press("Enter")
    dialog = page.get_by_role("dialog", name="You are signed out")
    expect(dialog).to_be_visible()
    dialog.get_by_label("Password").fill("wrong")
    dialog.get_by_role("button", name="Sign in").click()
    expect(dialog.get_by_role("alert")).to_contain_text("do not belong together")
    dialog.get_by_label("Password").fill(PASSWORD)
    dialog.get_by_label("Password").press("Enter")
    expect(dialog).to_be_hidden()
    expect(box).to_have_value("Lyon")
    box.press("Enter")
    expect(card(page, "On which day")).to_be_visible(timeout=SOON)
    expect(page.locator("#p-steer textarea[name=text]")).to_have_value("half a thought")

    page.request.post("/logout/", headers=_token(page))
    banner = page.locator("#offline")
    expect(banner).to_contain_text("You are signed out", timeout=SOON)
    expect(dialog).to_be_hidden()
    banner.get_by_role("button", name="Sign in").click()
    dialog.get_by_role("button", name="Later").click()
    box.fill("an unfinished")
    page.reload()
    sign_in(page)
    is_ready(page)
    expect(page.get_by_label("Message")).to_have_value("an unfinished")
    expect(page.locator("#p-steer textarea[name=text]")).to_have_value("half a thought")


def _token(page: Page) -> dict[str, str]:
    cookies = {cookie["name"]: cookie["value"] for cookie in page.context.cookies()}
    return {"X-CSRFToken": cookies["csrftoken"], "Referer": page.url}


def test_a_conversation_that_is_not_ones_own_any_more_says_so(page, person, django_user_model):
    say(page, "/help")
    sees(page, "List the commands")
    Conversation.objects.update(owner=django_user_model.objects.create_user("eve"))
    page.evaluate("dispatchEvent(new Event('pagehide')); dispatchEvent(new Event('focus'))")
    expect(page.locator("#offline")).to_contain_text("This is not here any more", timeout=SOON)


def test_a_long_history_comes_as_one_scrolls_and_what_one_reads_stays_in_place(page, person):
    conversation = conversations.start(person, title="Long")
    for number in range(1, 201):
        add_message(conversation.pk, role=Role.ASSISTANT, content=f"line {number}\n\n" * (1 + number % 3))
    page.goto(f"/c/{conversation.pk}/")
    is_ready(page)
    shown = "[...document.querySelectorAll('#timeline .assistant')].map(node => Number(node.id.slice(2)))"
    assert page.evaluate(shown) == list(range(141, 201))
    page.locator("#m-145").scroll_into_view_if_needed()
    page.wait_for_timeout(50)
    expect(page.locator("#m-100")).to_be_attached(timeout=SOON)
    place = "document.querySelector('#m-145').getBoundingClientRect().top"
    before = page.evaluate(place)
    page.get_by_role("button", name="Show earlier messages").evaluate(
        "button => { button.focus({ preventScroll: true }); button.click(); }"
    )
    expect(page.locator("#m-25")).to_be_attached(timeout=SOON)
    assert abs(page.evaluate(place) - before) < 3
    expect(page.get_by_role("button", name="Show earlier messages")).to_be_focused()
    say(page, "/help")
    sees(page, "List the commands")
    expect(page.locator("#m-202")).to_be_attached(timeout=SOON)
    numbers = [number for number in page.evaluate(shown) if number < 201]
    assert numbers == list(range(numbers[0], 201))
    page.locator("#scroll").evaluate("node => node.scrollTop = 0")
    expect(page.locator("#m-1")).to_be_attached(timeout=SOON)
    expect(page.get_by_role("button", name="Show earlier messages")).to_have_count(0)
