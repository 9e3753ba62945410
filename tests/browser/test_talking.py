"""The conversation in a real browser: writing, naming, attaching, searching, and saying what a message really is."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from goals.chat import commands, conversations
from goals.effects.making import add_message
from goals.models import Attachment, Goal, Message, Role
from tests.browser.test_conversation import SOON, card, is_ready, say, sees, state
from tests.endpoint import Endpoint

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
TABLE = (
    "Here it is.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\ndef f():\n    return 1\n```\n\n" + "And more. " * 60
)


@pytest.fixture
def model() -> Iterator[Endpoint]:
    with Endpoint() as running:
        yield running


@pytest.fixture
def site_environment(site_environment: dict[str, str], model: Endpoint) -> dict[str, str]:
    """The site with a model that says what a test scripts."""
    return {
        **site_environment,
        "OPENAI_BASE_URL": model.url,
        "OPENAI_API_KEY": "test",
        "GOALSITE_MODEL_PRICE": "1/2",
    }


def means(model: Endpoint, action: str, **more: object) -> None:
    model.script["interpret_message"] = {"reply": {"action": action, "reasoning": "r", **more}}


def box(page: Page):
    return page.get_by_label("Message")


def options(page: Page):
    return page.locator(".commands [role=option]")


def test_a_reply_is_written_before_ones_eyes_and_its_code_can_be_copied(page, model):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    means(model, "continue")
    model.script["chat_reply"] = {"text": TABLE, "pause": 0.03}
    say(page, "How do I write f?")
    draft = page.locator("#draft")
    expect(draft).to_contain_text("Here it is.", timeout=SOON)
    expect(draft.locator("pre")).to_contain_text("def f()", timeout=SOON)
    reply = page.locator("#timeline .assistant .prose")
    expect(reply.locator("td").first).to_have_text("1", timeout=SOON)
    expect(draft).to_have_count(0)
    expect(reply.locator(".k").first).to_have_text("def")
    reply.locator("pre").hover()
    reply.get_by_role("button", name="Copy").click()
    expect(reply.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").strip() == "def f():\n    return 1"
    expect(page.locator(".taken summary")).to_have_text("Taken as just talk")


def test_what_a_message_was_taken_for_is_said_and_corrected_with_one_click(page, model):
    means(model, "new_goal", goal={"gloss": "Book a train to Rome"})
    say(page, "/goal Book a train to Paris")
    expect(card(page, "Where does the journey begin?")).to_be_visible(timeout=SOON)
    say(page, "Leave out night trains")
    line = page.locator(".user .taken").last
    expect(line.locator("summary")).to_have_text("Taken as a new goal", timeout=SOON)
    line.get_by_role("button", name="steering").click()
    expect(line.locator("summary")).to_have_text("Taken as steering, as you said", timeout=SOON)
    expect(page.locator(".steered")).to_contain_text("Leave out night trains", timeout=SOON)
    assert sorted(Goal.objects.values_list("status", flat=True)) == ["cancelled", "waiting"]
    line.get_by_role("button", name="the answer to").click()
    expect(page.locator("#timeline .answered:not(.moot)")).to_contain_text("Leave out night trains", timeout=SOON)
    expect(page.locator(".steered")).to_have_count(0)
    assert len(model.named("interpret_message")) == 1


def test_commands_and_artifacts_are_completed_by_keyboard_and_pointer(page):
    is_ready(page)
    field = box(page)
    field.press("/")
    expect(options(page)).to_have_count(len(commands.CATALOGUE))
    expect(field).to_have_role("combobox")
    expect(field).to_have_attribute("aria-expanded", "true")
    first = options(page).first
    expect(first).to_have_attribute("aria-selected", "true")
    expect(field).to_have_attribute("aria-activedescendant", first.get_attribute("id"))
    field.press("ArrowUp")
    expect(options(page).last).to_have_attribute("aria-selected", "true")
    expect(options(page).last).to_be_in_viewport()
    field.press("ArrowDown")
    expect(first).to_have_attribute("aria-selected", "true")
    field.press("Escape")
    expect(page.locator(".commands")).to_be_hidden()
    expect(field).to_have_role("textbox")
    field.fill("")
    page.keyboard.type("/goa")
    field.press("Tab")
    expect(field).to_have_value("/goal ")
    page.keyboard.type("Book a train to Paris")
    field.press("Enter")
    expect(card(page, "Where does the journey begin?")).to_be_visible(timeout=SOON)
    say(page, "Berlin")
    expect(card(page, "On which day")).to_be_visible(timeout=SOON)
    field.fill("")
    page.keyboard.type("Look at @ori")
    expect(options(page)).to_have_count(1)
    options(page).first.click()
    expect(field).to_have_value("Look at @origin ")
    expect(field).to_be_focused()
    page.keyboard.type("and @nothing")
    expect(page.locator(".commands")).to_be_hidden()


def test_files_are_attached_kept_over_a_reload_sent_and_given_to_the_goal(page, tmp_path, model):
    is_ready(page)
    notes = tmp_path / "notes.txt"
    notes.write_text("buy milk")
    page.locator("input[type=file]").set_input_files(notes)
    chips = page.locator(".chips li")
    expect(chips).to_contain_text(["8 bytes"])
    paste(page, "board.png", "image/png")
    expect(chips).to_have_count(2)
    expect(chips.nth(1)).to_contain_text("bytes")
    drop(page, "dropped.csv", "text/csv")
    expect(chips).to_have_count(3)
    expect(chips.nth(2)).to_contain_text("bytes")
    box(page).fill("Sum up my notes")
    page.reload()
    is_ready(page)
    expect(box(page)).to_have_value("Sum up my notes")
    expect(chips).to_contain_text(["notes.txt", "board.png", "dropped.csv"])
    chips.nth(2).get_by_role("button", name="Remove").click()
    expect(chips).to_have_count(2)
    box(page).press("Enter")
    page.wait_for_url("**/c/*/")
    expect(page.locator(".user .attached")).to_contain_text("notes.txt")
    expect(page.locator(".user .attached img")).to_have_count(1)
    expect(page.locator(".chips li")).to_have_count(0)
    expect(box(page)).to_have_value("")
    sees(page, "I will work on it")
    goal = Goal.objects.get()
    assert goal.events.filter(kind="artifact.created", payload__name="notes_txt").exists()
    page.locator(".user .attached a", has_text="notes.txt").click()
    expect(page.locator(".filetext")).to_have_text("buy milk")


def test_what_is_wrong_with_one_file_is_said_at_it_and_nothing_else_is_lost(page, tmp_path, model):
    is_ready(page)
    good, empty, large = tmp_path / "good.txt", tmp_path / "empty.txt", tmp_path / "large.bin"
    good.write_text("good")
    empty.write_text("")
    with large.open("wb") as file:
        file.truncate(21_000_000)
    page.locator("input[type=file]").set_input_files([good, empty, large])
    chips = page.locator(".chips li")
    expect(chips.nth(0)).to_contain_text("4 bytes")
    expect(chips.nth(1)).to_contain_text("It is empty.")
    expect(chips.nth(2)).to_contain_text("at most 20.0 MB")
    box(page).fill("Here they are")
    box(page).press("Enter")
    expect(page.locator(".problem")).to_contain_text("“empty.txt” was not attached")
    expect(box(page)).to_have_value("Here they are")
    chips.nth(2).get_by_role("button", name="Remove").click()
    chips.nth(1).get_by_role("button", name="Remove").click()
    box(page).press("Enter")
    expect(page.locator(".user .attached")).to_contain_text("good.txt")
    assert Attachment.objects.get().message is not None


def test_a_message_that_is_far_too_long_is_refused_by_name_and_stays(page):
    is_ready(page)
    box(page).fill("x" * 1_000_000)
    box(page).press("Enter")
    expect(page.locator(".problem")).to_contain_text("has 1,000,000 characters; at most 20,000 are allowed")
    assert box(page).evaluate("node => node.value.length") == 1_000_000
    page.reload()
    is_ready(page)
    assert box(page).evaluate("node => node.value.length") == 1_000_000
    assert not Message.objects.exists()


def test_conversations_are_renamed_found_and_shown_by_pages(page, person):
    for number in range(45):
        conversations.start(person, title=f"Number {number}")
    other = conversations.start(person, title="Something else")
    add_message(other.pk, role=Role.USER, content="We spoke of <b>porcelain</b> once")
    page.goto(f"/c/{other.pk}/")
    is_ready(page)
    rows = page.locator("#list .listed")
    expect(rows).to_have_count(40)
    page.get_by_role("button", name="Show more").click()
    expect(rows).to_have_count(46)
    search = page.get_by_label("Search your conversations")
    search.fill("PORCELAIN")
    expect(rows).to_have_count(1)
    expect(rows.locator("mark")).to_have_text("porcelain")
    expect(rows.locator("a")).to_have_attribute("aria-current", "page")
    page.get_by_role("button", name="Rename the conversation").click()
    name = page.get_by_label("Name of the conversation")
    name.fill("Porcelain \u202eevil\u202c and <i>plates</i>")
    name.press("Enter")
    expect(page.locator("h1")).to_contain_text("and <i>plates</i>")
    expect(rows.locator(".title")).to_contain_text("Porcelain")
    assert "Porcelain" in page.title()
    search.fill("nowhere at all")
    expect(page.locator("#list")).to_contain_text("Nothing was found")
    search.press("Escape")
    expect(rows).to_have_count(40)


def test_two_tabs_see_the_same_name_and_the_same_correction(page, model):
    means(model, "new_goal", goal={"gloss": "Book a train to Paris"})
    say(page, "I wonder how one books a train")
    page.wait_for_url("**/c/*/")
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator(".taken summary")).to_have_text("Taken as a new goal", timeout=SOON)
    expect(other.locator("#app[data-live=up]")).to_be_attached(timeout=SOON)
    means(model, "continue", reply="Fine.")
    page.get_by_role("button", name="just talk").click()
    expect(other.locator(".taken summary")).to_have_text("Taken as just talk, as you said", timeout=SOON)
    state(other, "Cancelled")
    page.get_by_role("button", name="Rename the conversation").click()
    page.get_by_label("Name of the conversation").fill("Photographs")
    page.get_by_label("Name of the conversation").press("Enter")
    expect(other.locator("h1")).to_have_text("Photographs", timeout=SOON)
    assert re.match("Photographs", other.title())


def transfer(page: Page, name: str, kind: str):
    return page.evaluate_handle(
        """([name, kind]) => {
            const transfer = new DataTransfer();
            const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]);
            transfer.items.add(new File([name.endsWith(".png") ? png : "some content"], name, { type: kind }));
            return transfer;
        }""",
        [name, kind],
    )


def paste(page: Page, name: str, kind: str) -> None:
    page.evaluate(
        """(transfer) => document.getElementById("content").dispatchEvent(
            new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true, cancelable: true }))""",
        transfer(page, name, kind),
    )


def drop(page: Page, name: str, kind: str) -> None:
    page.dispatch_event("#scroll", "drop", {"dataTransfer": transfer(page, name, kind)})
