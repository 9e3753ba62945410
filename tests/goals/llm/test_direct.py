"""The direct transport: connections are used again while that is safe; errors are those of httpx2."""

import http.server
import threading

import httpx2
import pytest

from goals.llm.direct import DirectTransport

WORDS = b"the whole reply"


class Server(http.server.ThreadingHTTPServer):
    """Answers by path; counts connections."""

    daemon_threads = True

    def __init__(self):
        self.connections = 0
        super().__init__(("127.0.0.1", 0), Handler)

    def process_request(self, request, client_address):
        self.connections += 1
        super().process_request(request, client_address)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/moved":
            self.send_response(307)
            self.send_header("Location", f"http://localhost:{self.server.server_port}/whole")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(200)
        if self.path == "/chunked":
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"3\r\nthe\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(WORDS) - 3, WORDS[3:]))
            return
        if self.path == "/closing":
            self.send_header("Connection", "close")
        promised = len(WORDS) + (5 if self.path == "/short" else 0)
        self.send_header("Content-Length", str(promised))
        self.end_headers()
        self.wfile.write(WORDS)
        self.close_connection = self.path in ("/short", "/leaving")

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    running = Server()
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield running
    running.shutdown()
    running.server_close()


@pytest.fixture
def client(server):
    transport = DirectTransport(trust_env=False, most_idle=2, idle_seconds=30)
    with httpx2.Client(
        transport=transport, base_url=f"http://127.0.0.1:{server.server_port}", follow_redirects=True, timeout=10
    ) as made:
        yield made


@pytest.mark.parametrize("path", ["/whole", "/chunked"])
def test_a_connection_whose_reply_was_read_is_used_again(server, client, path):
    for _ in range(3):
        assert client.post(path, content=b"x").content == WORDS
    assert server.connections == 1


def test_a_connection_that_the_server_closes_is_not(server, client):
    assert client.post("/closing", content=b"x").content == WORDS
    assert client.post("/whole", content=b"x").content == WORDS
    assert server.connections == 2


def test_a_connection_that_was_closed_while_it_lay_idle_is_not_used_again(server, client):
    assert client.post("/leaving", content=b"x").content == WORDS
    lines = client._transport._idle
    while not lines[0].has_arrived:  # the end of it is on its way
        pass
    assert client.post("/whole", content=b"x").content == WORDS
    assert server.connections == 2


def test_a_connection_that_has_been_idle_for_long_is_not_used_again(server, client):
    client._transport._idle_seconds = -1
    for _ in range(2):
        client.post("/whole", content=b"x")
    assert server.connections == 2


def test_a_reply_that_is_let_go_in_the_middle_takes_its_connection_with_it(server, client):
    with client.stream("POST", "/whole", content=b"x") as response:
        assert response.status_code == 200
    assert client.post("/whole", content=b"x").content == WORDS
    assert server.connections == 2


def test_a_reply_that_ends_before_its_length_is_an_error(client):
    with pytest.raises(httpx2.RemoteProtocolError, match="5 bytes"):
        client.post("/short", content=b"x")


def test_a_redirect_goes_where_it_says(server, client):
    assert client.post("/moved", content=b"x").content == WORDS
    assert server.connections == 2


def test_no_more_idle_connections_are_kept_than_allowed(server, client):
    opened = [client.send(client.build_request("POST", "/whole", content=b"x"), stream=True) for _ in range(4)]
    for response in opened:
        response.read()
    assert len(client._transport._idle) == 2


def test_nobody_there_is_a_connection_error(server, client):
    with pytest.raises(httpx2.ConnectError):
        client.post("http://127.0.0.1:1/", content=b"x")
