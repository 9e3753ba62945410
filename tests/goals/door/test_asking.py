"""The door, with real connections to loopback, which the setting lets through."""

import ssl
import threading

import pytest
import trustme

from goals.door import asking
from goals.door.asking import ask, read_address
from goals.door.errors import BadAddress, Refused, TimeOver, Unreachable
from tests.goals.door.conftest import Far

WITHIN = {"seconds": 5.0, "most": 1000}


def test_an_allowed_address_is_asked_with_what_is_given(far, allow):
    allow("127.0.0.1")
    reply = ask("POST", f"{far.url}/in?x=1", headers={"X-Mark": "yes"}, body=b"{}", **WITHIN)
    assert (reply.status, reply.body, reply.cut) == (200, b"ok", False)
    [(method, path, headers, body)] = far.came
    assert (method, path, headers["X-Mark"], body) == ("POST", "/in?x=1", "yes", b"{}")
    assert headers["Host"] == f"127.0.0.1:{far.server_port}"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "[::ffff:127.0.0.1]"])
def test_loopback_is_refused_however_it_is_written(far, host):
    with pytest.raises(Refused, match="loopback"):
        ask("GET", f"http://{host}:{far.server_port}/", **WITHIN)
    assert far.came == []


def test_one_closed_address_among_those_of_a_name_closes_it(far, allow, names):
    allow("127.0.0.1")
    names["mixed.example"] = [["127.0.0.1", "127.0.0.2"]]
    with pytest.raises(Refused, match=r"127\.0\.0\.2"):
        ask("GET", f"http://mixed.example:{far.server_port}/", **WITHIN)
    assert far.came == []


def test_the_address_that_was_checked_is_the_one_that_is_dialled(far, allow, names):
    """A name that leads elsewhere when it is asked again leads nobody there."""
    allow("127.0.0.1")
    trap = Far("127.0.0.2", far.server_port)
    names["rebinding.example"] = [["127.0.0.1"], ["127.0.0.2"]]
    try:
        assert ask("GET", f"http://rebinding.example:{far.server_port}/", **WITHIN).status == 200
    finally:
        trap.close()
    assert (len(far.came), trap.came) == (1, [])
    assert far.came[0][2]["Host"] == f"rebinding.example:{far.server_port}"


def test_a_redirect_is_told_and_not_followed_unless_that_is_wanted(far, allow):
    allow("127.0.0.1")
    far.answers = {"/": (302, {"Location": "/there"}, b""), "/there": (200, {}, b"found")}
    assert ask("GET", f"{far.url}/", **WITHIN).status == 302
    followed = ask("GET", f"{far.url}/", redirects=1, **WITHIN)
    assert (followed.body, followed.address) == (b"found", f"{far.url}/there")
    far.answers["/there"] = (302, {"Location": "/"}, b"")
    assert ask("GET", f"{far.url}/", redirects=3, **WITHIN).status == 302


def test_a_redirect_leads_nowhere_that_is_closed(far, allow):
    allow("127.0.0.1")
    trap = Far("127.0.0.2")
    leads = {"/": f"{trap.url}/", "/file": "file:///etc/passwd", "/account": f"http://a:b@127.0.0.1:{far.server_port}/"}
    far.answers = {path: (302, {"Location": to}, b"") for path, to in leads.items()}
    try:
        with pytest.raises(Refused):
            ask("GET", f"{far.url}/", redirects=3, **WITHIN)
        for path in ("/file", "/account"):
            with pytest.raises(BadAddress):
                ask("GET", f"{far.url}{path}", redirects=3, **WITHIN)
    finally:
        trap.close()
    assert trap.came == []


def test_a_long_body_is_cut(far, allow):
    allow("127.0.0.1")
    far.answers = {"/": (200, {}, b"x" * 100_000)}
    reply = ask("GET", f"{far.url}/", **WITHIN)
    assert (len(reply.body), reply.cut) == (1000, True)


def test_a_slow_body_ends_with_the_time_although_something_always_comes(far, allow):
    allow("127.0.0.1")
    far.answers = {"/": (200, {}, 20.0)}
    with pytest.raises(TimeOver, match="longer than"):
        ask("GET", f"{far.url}/", seconds=0.4, most=1_000_000)


def test_a_name_that_is_not_resolved_in_time_is_given_up(monkeypatch):
    hangs = threading.Event()
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: hangs.wait(20))
    with pytest.raises(TimeOver, match="not resolved"):
        ask("GET", "http://slow.example/", seconds=0.2, most=10)
    hangs.set()


def test_no_proxy_of_the_environment_is_used(far, allow, monkeypatch):
    allow("127.0.0.1")
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert ask("GET", f"{far.url}/", **WITHIN).status == 200


def test_nobody_there_is_told(far, allow):
    allow("127.0.0.1")
    far.close()
    with pytest.raises(Unreachable, match=r"127\.0\.0\.1"):
        ask("GET", f"{far.url}/", **WITHIN)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("ftp://example.org/", "must begin with http"),
        ("file:///etc/passwd", "must begin with http"),
        ("//example.org", "must begin with http"),
        ("http://", "name a host"),
        ("http://user:secret@example.org/", "no account"),
        ("http://user@example.org/", "no account"),
        ("http://exa mple.org/", "no spaces"),
        ("http://example.org\\@127.0.0.1/", "backslashes"),
        ("http://example.org/\r\nX: y", "control"),
        ("http://example.org:0/", "port"),
        ("http://example.org:99999/", "port"),
        ("http://[::1/", "is no address"),
        ("", "1 to 2000"),
        ("http://example.org/" + "x" * 2000, "1 to 2000"),
        (None, "1 to 2000"),
    ],
)
def test_an_address_that_is_none_is_refused_by_name(address, said):
    with pytest.raises(BadAddress, match=said) as caught:
        read_address(address)
    assert not caught.value.retryable


@pytest.fixture
def secure(far, tmp_path, monkeypatch):
    """The server behind TLS, with a certificate for secure.example by an authority that is trusted."""
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("secure.example").configure_cert(context)
    far.socket = context.wrap_socket(far.socket, server_side=True)
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    asking.trusted.cache_clear()
    yield far
    asking.trusted.cache_clear()


def test_a_certificate_must_be_the_hosts_although_its_address_is_dialled(secure, allow, names):
    allow("127.0.0.1")
    names.update({"secure.example": [["127.0.0.1"]], "other.example": [["127.0.0.1"]]})
    assert ask("GET", f"https://secure.example:{secure.server_port}/", **WITHIN).status == 200
    with pytest.raises(Unreachable, match=r"(?i)certificate"):
        ask("GET", f"https://other.example:{secure.server_port}/", **WITHIN)
    assert len(secure.came) == 1
