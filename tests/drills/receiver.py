"""An outside for tools: a process that writes one line per request before it answers. GET ?key= says what came in.

python -m tests.drills.receiver --log FILE          prints its address
"""

import argparse
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit


class Receiver(BaseHTTPRequestHandler):
    log: str
    sink: int

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        os.write(self.sink, (json.dumps(body) + "\n").encode())
        self._answer(200)

    def do_GET(self) -> None:
        key = parse_qs(urlsplit(self.path).query)["key"][0]
        self._answer(200 if any(line["key"] == key for line in lines(self.log)) else 404)

    def _answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def lines(log: str | Path) -> list[dict]:
    """What came in, oldest first."""
    return [json.loads(line) for line in Path(log).read_text().splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.drills.receiver")
    parser.add_argument("--log", required=True)
    Receiver.log = parser.parse_args().log
    Receiver.sink = os.open(Receiver.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.daemon_threads = True
    print(f"http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
