"""`web_fetch` against real servers on loopback, which the setting lets through."""

import pytest

from goals.models import Breaker, ToolCall
from goals.tools import page_text, registry
from goals.tools.errors import ToolError, ToolInputError, ToolTimeout
from goals.tools.web_fetch import MOST_CHARACTERS
from tests.goals.door.conftest import allow, far, names
from tests.goals.effects.work import last_is, plan, step
from tests.goals.tools.conftest import call_tool

__all__ = ["allow", "far", "names"]

PAGE = b"""<html><head><title>Trains</title><script>steal()</script></head><body><article><h1>Trains</h1>
<p>The train to <a href="/paris">Paris</a> leaves at nine, &amp; that is known to everybody who lives here.</p>
</article></body></html>"""
HTML, TEXT = {"Content-Type": "text/html; charset=utf-8"}, {"Content-Type": "text/plain; charset=latin-1"}


@pytest.fixture(autouse=True)
def loopback(allow):
    allow("127.0.0.1")


def test_a_page_comes_as_its_text_for_readers_and_is_untrusted(far, context):
    far.answers = {"/": (302, {"Location": "/page"}, b""), "/page": (200, HTML, PAGE)}
    result = call_tool(context, "web_fetch", address=f"{far.url}/")
    assert result.untrusted
    assert result.value["title"] == "Trains"
    assert "leaves at nine, & that" in result.value["text"]
    assert "steal" not in result.value["text"]
    assert (result.value["address"], result.value["next_offset"]) == (f"{far.url}/page", None)


def test_a_long_text_is_given_in_stretches_and_read_by_its_charset(far, call):
    far.answers = {"/": (200, TEXT, b"\xe9" * (MOST_CHARACTERS + 5))}
    first = call("web_fetch", address=f"{far.url}/")
    assert (len(first["text"]), first["next_offset"]) == (MOST_CHARACTERS, MOST_CHARACTERS)
    rest = call("web_fetch", address=f"{far.url}/", offset=first["next_offset"])
    assert (rest["text"], rest["next_offset"]) == ("é" * 5, None)
    with pytest.raises(ToolInputError, match="beyond"):
        call("web_fetch", address=f"{far.url}/", offset=MOST_CHARACTERS * 2)


@pytest.mark.parametrize(
    ("status", "headers", "body", "said", "retryable", "retry_after"),
    [
        (404, {}, b"", "answered 404", False, None),
        (503, {"Retry-After": "7"}, b"", "answered 503", True, 7.0),
        (302, {"Location": "/"}, b"", "leads on after", False, None),
        (200, {"Content-Type": "image/png"}, b"\x89PNG\x00\x00", "no text but image/png", False, None),
        (
            200,
            {"Content-Type": "application/pdf"},
            b"%PDF \xff\xfe\xe2",
            "no text but application/pdf",
            False,
            None,
        ),
    ],
)
def test_what_cannot_be_read_is_told(far, call, status, headers, body, said, retryable, retry_after):
    far.answers = {"/": (status, headers, body)}
    with pytest.raises(ToolError, match=said) as failed:
        call("web_fetch", address=f"{far.url}/")
    assert (failed.value.retryable, failed.value.retry_after) == (retryable, retry_after)


def test_closed_addresses_and_such_that_are_none_are_not_tried_again(far, call, names):
    names["inside.example"] = [["127.0.0.2"]]
    for address in (f"http://inside.example:{far.server_port}/", "file:///etc/passwd", "http://a:b@example.org/"):
        with pytest.raises(ToolInputError) as refused:
            call("web_fetch", address=address)
        assert not refused.value.retryable
    assert far.came == []


def test_who_is_slow_and_who_is_not_there_are_tried_again(far, call, monkeypatch):
    monkeypatch.setattr("goals.tools.web_fetch.LONGEST_SECONDS", 0.3)
    far.answers = {"/": (200, HTML, 20.0)}
    with pytest.raises(ToolTimeout):
        call("web_fetch", address=f"{far.url}/")
    far.close()
    with pytest.raises(ToolError) as failed:
        call("web_fetch", address=f"{far.url}/")
    assert failed.value.retryable


def test_a_page_that_is_made_to_take_long_is_given_up(far, call, monkeypatch):
    monkeypatch.setattr(page_text, "LONGEST_SECONDS", 2.0)
    hard = b"<html><body><p " + b" ".join(b'a%d="x"' % number for number in range(60_000)) + b">"
    far.answers = {"/": (200, HTML, hard)}
    with pytest.raises(ToolError, match="takes too long"):
        call("web_fetch", address=f"{far.url}/")


def test_each_host_has_a_breaker_of_its_own():
    tool = registry.get("web_fetch")
    assert tool.beyond({"address": "https://A.example/x"}) == "web_fetch a.example"
    assert tool.beyond({"address": "nonsense"}) == "web_fetch"
    assert registry.get("train_search").beyond({}) == "train_search"


@pytest.mark.django_db(transaction=True)
def test_a_goal_reads_a_page_and_one_host_that_is_down_keeps_it_from_no_other(far, submit, settle, settings):
    settings.GOALSITE_BREAKER_FAILURES = 1
    far.answers = {"/page": (200, TEXT, b"hello"), "/down": (503, {}, b"")}
    by_name = f"http://localhost:{far.server_port}"
    settings.GOALSITE_DOOR_ALLOW = ["127.0.0.1", "localhost"]
    goal = submit("Read", verifier=last_is("page"))
    step(goal, 0, "use_tool", {"tool": "web_fetch", "input": {"address": f"{far.url}/page"}}, "page")
    goal = settle(plan(goal))
    assert goal.status == "completed", goal.reason
    assert ToolCall.objects.get(goal=goal).untrusted
    down = submit("Read what is down", verifier=last_is("page"))
    step(down, 0, "use_tool", {"tool": "web_fetch", "input": {"address": f"{by_name}/down"}}, "page")
    plan(down)
    with pytest.raises(AssertionError, match="localhost"):
        settle(down, 3)
    assert Breaker.objects.get().name == "web_fetch localhost"
    other = submit("Read once more", verifier=last_is("page"))
    step(other, 0, "use_tool", {"tool": "web_fetch", "input": {"address": f"{far.url}/page"}}, "page")
    assert settle(plan(other)).status == "completed"
