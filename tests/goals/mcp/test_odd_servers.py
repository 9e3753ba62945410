"""Whatever answers in a server's place: it is told in a line, nothing is followed elsewhere, and nothing grows."""

import gzip
import time

import pytest

from goals.mcp import acts
from goals.models import McpServer
from tests.goals.door.conftest import Far as Web

pytestmark = pytest.mark.django_db(transaction=True)
JSON = {"Content-Type": "application/json"}
STREAM = {"Content-Type": "text/event-stream"}
ERROR = b'data: {"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "no\\n\\u001b s3cr3t-token"}}\n\n'


@pytest.fixture
def web():
    with_answers = Web()
    yield with_answers
    with_answers.close()


@pytest.fixture
def odd(web, configurer, settings):
    """What looking at a server says that answers so."""
    settings.GOALSITE_MCP_SECRETS = {"GOALSITE_MCP_ODD": "s3cr3t-token"}
    where = {"transport": "http", "address": f"{web.url}/mcp", "secret_variable": "GOALSITE_MCP_ODD"}
    given = {"name": "odd", **where, "allow_private": True, "timeout_seconds": 3}
    row = acts.save(configurer, given)

    def look(status: int, headers: dict[str, str], body: bytes | float) -> McpServer:
        web.answers["/mcp"] = (status, headers, body)
        return acts.look(configurer, row.pk)

    return look


@pytest.mark.parametrize(
    ("status", "headers", "body", "told"),
    [
        (401, {}, b"", "answers with 401: is its secret the right one?"),
        (429, {}, b"", "answers with 429"),
        (500, {}, b"sorry", "Server returned an error response"),
        (200, {"Content-Type": "text/html"}, b"<h1>Hello</h1>", "Unexpected content type"),
        (200, JSON, b"{}", "what is no MCP"),
        (200, JSON, b"[" * 100_000, "what is no MCP"),
        (200, STREAM, b"data: s3cr3t-tok\n\n", "what is no MCP"),
        (200, STREAM, b"", "SSE stream ended"),
        (200, JSON | {"Content-Encoding": "gzip"}, gzip.compress(b" " * 9_000_000), "answers compressed"),
        (200, JSON, b" " * 9_000_000, "more than 8,388,608 bytes"),
        (200, JSON, 20.0, "did not answer in time"),
        (200, STREAM, ERROR, "answers: no [secret]"),
    ],
)
def test_what_is_no_server_is_told_in_a_line(odd, status, headers, body, told):
    began = time.monotonic()
    row = odd(status, headers, body)
    assert told in row.error
    assert row.error.startswith("the server odd")
    assert row.error.isprintable()
    assert "s3cr3t" not in row.error
    assert time.monotonic() - began < 15
    assert not row.tools.exists()


@pytest.mark.parametrize("status", [302, 307, 308])
def test_a_redirect_elsewhere_is_not_followed_and_the_secret_stays(odd, web, status):
    elsewhere = Web()
    row = odd(status, {"Location": f"{elsewhere.url}/mcp"}, b"")
    assert "not followed" in row.error
    assert {sent["Authorization"] for _, _, sent, _ in web.came} == {"Bearer s3cr3t-token"}
    assert elsewhere.came == []
    elsewhere.close()
