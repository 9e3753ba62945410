"""The page of one goal in a real browser: its graph, by mouse and by keyboard, live, and what is inside."""

import re

import pytest
from playwright.sync_api import Page, expect

from goals import services
from goals.models import Goal, Subgoal
from goals.transitions import writing
from tests.browser.test_focus import at, is_replaced_and_focused
from tests.goals.big_goal import big_goal

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SOON = 30_000
LAYOUT = """async () => {
  const { grow, rows, search } = await import("/static/goals/graph_tree.js");
  const { layout, lines, shapeOf, within } = await import("/static/goals/graph_layout.js");
  const node = (id, parent, status, more) => ({ id, parent, status, title: id, deed: "Work", ...more });
  const many = Array.from({ length: 12 }, (_, at) => node(`c${at}`, "a", at < 8 ? "achieved" : "pending"));
  const two = [node("a", "", "active", { either: true }), node("b", "", "pending")];
  const tree = grow({ needs: [["c9", "c8"]], nodes: [...two, ...many] });
  const shown = (open, found) => rows(tree, (key) => open.includes(key), found);
  const wide = layout(shown(["a"]), shapeOf(shown(["a"]), 1200));
  const narrow = layout(shown(["a"]), shapeOf(shown(["a"]), 390));
  const at = (laid, key) => { const { x, y, w } = laid.boxes.get(key); return { x, y, w }; };
  const bare = (list) => list.map((row) => row.key);
  return {
    closed: bare(shown([])),
    open: bare(shown(["a"])),
    unfolded: bare(shown(["a", "fold achieved c0"])).length,
    found: bare(shown([], search(tree.nodes, "C9", new Set()))),
    states: bare(shown([], search(tree.nodes, "", new Set(["active"])))),
    nothing: search(tree.nodes, "  ", new Set()),
    wide: { a: at(wide, "a"), first: at(wide, "fold achieved c0"), b: at(wide, "b"), c11: at(wide, "c11") },
    narrow: { a: at(narrow, "a"), c8: at(narrow, "c8") },
    kinds: [...new Set(lines(wide).map((line) => line.kind))].sort(),
    seen: bare(within([...wide.boxes.values()], 0, 100).map((box) => box.row)),
  };
}"""


def opened(page: Page, goal: Goal, rest: str = "") -> None:
    page.goto(f"/g/{goal.pk}/{rest}")
    expect(page.locator("#graph[data-ready]")).to_be_attached(timeout=SOON)


def card(page: Page, text: str) -> object:
    return page.get_by_role("treeitem", name=text)


def test_the_layout_is_pure_and_folds_by_state(page):
    expect(page.locator("#app[data-live]")).to_be_attached(timeout=SOON)
    found = page.evaluate(LAYOUT)
    assert found["closed"] == ["a", "b"]
    assert found["open"] == ["a", "fold achieved c0", "c8", "c9", "c10", "c11", "b"]
    assert found["unfolded"] == 15
    assert found["found"] == ["a", "c9"]
    assert found["states"] == ["a"]
    assert found["nothing"] is None
    wide, narrow = found["wide"], found["narrow"]
    assert wide["first"]["y"] == wide["a"]["y"], "a parent stands beside its first child"
    assert wide["first"]["x"] > wide["a"]["x"] + wide["a"]["w"]
    assert wide["b"]["y"] > wide["c11"]["y"], "what comes after stands below all of it"
    assert narrow["c8"]["y"] > narrow["a"]["y"], "in an outline a parent stands above its children"
    assert narrow["c8"]["x"] + narrow["c8"]["w"] <= 390
    assert found["kinds"] == ["either", "in order", "needs"]
    assert "c11" not in found["seen"]


def test_the_graph_is_walked_by_keys_and_a_node_opens_beside_it(page, person):
    goal = big_goal(person, checkpoints=4, subgoals=12, events=40)
    opened(page, goal)
    tree = page.get_by_role("tree")
    expect(tree.get_by_role("treeitem", name="Done").first).to_be_visible()
    page.keyboard.press("Escape")
    tree.locator("[tabindex='0']").focus()
    page.keyboard.press("Home")
    first = tree.get_by_role("treeitem").first
    expect(first).to_be_focused()
    expect(first).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowLeft")
    expect(first).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("ArrowDown")
    second = page.locator(":focus")
    expect(second).to_have_attribute("aria-level", "1")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    child = page.locator(":focus")
    expect(child).to_have_attribute("aria-level", "2")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(first).to_be_focused()
    page.keyboard.press("Enter")
    sheet = page.get_by_role("complementary", name="Details")
    expect(sheet).to_be_focused()
    expect(sheet.locator("h2")).to_contain_text("Collect the invoices of March")
    expect(page).to_have_url(re.compile(r"\?see=checkpoints"))
    sheet.get_by_role("link", name=re.compile("Verified")).click()
    expect(sheet.locator("h2")).to_contain_text("Is the checkpoint met?")
    page.go_back()
    expect(sheet.locator("h2")).to_contain_text("Collect the invoices of March")
    page.reload()
    expect(sheet.locator("h2")).to_contain_text("Collect the invoices of March")
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    expect(page).not_to_have_url(re.compile("see="))


def test_what_a_node_waits_for_lights_up_below_the_pointer_and_at_the_keyboards_focus(page, person):
    goal = big_goal(person, checkpoints=4, subgoals=12, events=20)
    opened(page, goal)
    page.get_by_role("button", name="Unfold all").click()
    link = Subgoal.depends_on.through.objects.filter(from_subgoal__goal=goal).first()
    node = page.locator(f"[data-key='{link.from_subgoal_id}']")
    hot = page.locator("#canvas path.hot:not([d=''])")
    expect(hot).to_have_count(0)
    node.hover()
    expect(hot).to_have_count(1)
    page.locator("#head h1").hover()
    expect(hot).to_have_count(0)
    node.focus()
    expect(hot).to_have_count(1)


def test_the_graph_changes_live_and_keeps_what_is_unfolded_and_focused(page, person):
    goal = big_goal(person, checkpoints=4, subgoals=8, events=20)
    opened(page, goal)
    first = page.get_by_role("treeitem").first
    first.focus()
    page.keyboard.press("ArrowLeft")
    node = Subgoal.objects.filter(goal=goal, parent__isnull=False, checkpoint__status="active").last()
    Subgoal.objects.filter(pk=node.pk).update(
        gloss="Changed while one looks", status="active", started_at=goal.created_at, finished_at=None
    )
    with writing(goal.pk) as writer:
        writer.event("subgoal.started", {"subgoal": str(node.pk)})
    expect(card(page, "Changed while one looks")).to_be_visible(timeout=SOON)
    expect(first).to_be_focused()
    expect(first).to_have_attribute("aria-expanded", "false")
    services.cancel(person, goal.pk)
    expect(page.locator("#head .state")).to_contain_text("Cancelled", timeout=SOON)


def test_a_large_graph_is_searched_and_draws_only_what_is_in_sight(page, person):
    goal = big_goal(person, checkpoints=12, subgoals=500, events=50)
    opened(page, goal)
    expect(page.locator(".card.fold").first).to_have_text("9 done")
    expect(page.locator("#canvas path.hand")).to_have_attribute("d", re.compile("^M"))
    page.get_by_role("button", name="Unfold all").click()
    page.get_by_role("button", name="In hand").click()
    expect(page.locator(".toggle", has_text="all of").first).to_be_attached()
    expect(page.locator(".toggle.either", has_text="one of").first).to_be_attached()
    expect(page.locator("#canvas path.either")).to_have_attribute("d", re.compile("^M"))
    page.evaluate("document.getElementById('view').scrollTop = 9e6")
    expect(page.get_by_role("treeitem", name="12.")).to_be_visible()
    assert page.locator(".card").count() < 60
    page.get_by_label("Search the graph").fill("sensors part 3")
    expect(page.get_by_role("status").filter(has_text="found")).to_be_visible()
    expect(page).to_have_url(re.compile("q=sensors"))
    expect(page.get_by_role("treeitem", name="part 3").first).to_be_visible()
    page.get_by_label("Search the graph").fill("")
    page.get_by_role("button", name="Blocked").click()
    expect(page.locator(".card.blocked").first).to_be_visible()
    expect(page).to_have_url(re.compile("state=blocked"))


def test_on_a_phone_the_graph_is_an_outline_and_a_node_fills_the_page(page, person):
    page.set_viewport_size({"width": 390, "height": 844})
    opened(page, big_goal(person, checkpoints=4, subgoals=12, events=20))
    page.get_by_role("treeitem").first.click()
    sheet = page.get_by_role("complementary", name="Details")
    expect(sheet).to_be_visible()
    assert sheet.bounding_box()["width"] == 390
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Close the details").click()
    expect(sheet).to_be_hidden()
    expect(page.get_by_role("treeitem").first).to_be_focused()


def test_the_timeline_is_walked_by_keys_zoomed_and_read_as_a_table(page, person):
    goal = big_goal(person, checkpoints=4, subgoals=12, events=20)
    page.goto(f"/g/{goal.pk}/timeline/")
    expect(page.locator("#moments[data-ready]")).to_be_attached(timeout=SOON)
    chart = page.get_by_role("application")
    chart.focus()
    page.keyboard.press("Home")
    status = page.locator("#told")
    expect(status).to_contain_text("Model call: Work, succeeded")
    page.keyboard.press("End")
    expect(status).not_to_contain_text("Model call")
    width = page.locator("#bars").bounding_box()["width"]
    page.get_by_role("button", name="Zoom in").click()
    assert page.locator("#bars").bounding_box()["width"] > 1.8 * width
    page.get_by_role("button", name="Fit").click()
    assert page.locator("#bars").bounding_box()["width"] == pytest.approx(width, abs=20)  # a scroll bar came and went
    chart.focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    sheet = page.get_by_role("complementary", name="Details")
    expect(sheet.locator("h2")).to_have_text("Work")
    page.keyboard.press("Escape")
    expect(chart).to_be_focused()
    page.get_by_text("As a table").click()
    rows = page.locator("#astable tbody tr")
    expect(rows).to_have_count(int(page.locator("#moments").get_attribute("data-ready")))
    for link in (rows.last.get_by_role("link"), page.locator("#labels a").last):
        at(link)
        services.steer(person, goal.pk, "Mind the letters")
        is_replaced_and_focused(page, link)
    page.get_by_label("Model calls").uncheck()
    assert page.locator("#bars .model").count() == 0
    page.get_by_label("Skip long waits").uncheck()
    page.reload()
    expect(page.locator("#moments[data-ready]")).to_be_attached(timeout=SOON)
    expect(page.get_by_label("Model calls")).not_to_be_checked()
    expect(page.get_by_label("Skip long waits")).not_to_be_checked()
    assert page.locator("#bars .model").count() == 0


def test_the_history_comes_page_by_page_is_filtered_and_grows(page, person):
    goal = big_goal(person, checkpoints=4, subgoals=12, events=230)
    page.goto(f"/g/{goal.pk}/events/")
    expect(page.locator("#e-230")).to_be_visible()
    page.locator("#e-rest a").focus()
    expect(page.locator("#e-100")).to_be_attached(timeout=SOON)
    expect(page.locator("#events article:focus")).to_be_visible()
    page.locator("#view").evaluate("view => { view.scrollTop = view.scrollHeight }")
    expect(page.locator("#e-1")).to_be_attached(timeout=SOON)
    assert page.locator(".event").count() == 230
    page.get_by_label("By whom").select_option("By ada")
    expect(page.locator(".event")).to_have_count(1)
    expect(page).to_have_url(re.compile("actor="))
    page.get_by_label("Search the history").fill("nothing like it")
    expect(page.locator("#nothing")).to_be_visible()
    page.goto(f"/g/{goal.pk}/events/?before=100#e-99")
    expect(page.locator("#e-99.meant")).to_be_visible()
    page.goto(f"/g/{goal.pk}/events/")
    expect(page.locator("#goal[data-live=up]")).to_be_attached(timeout=SOON)
    services.steer(person, goal.pk, "Mind the letters from Lyon")
    expect(page.locator("#e-231")).to_contain_text("Mind the letters from Lyon", timeout=SOON)
