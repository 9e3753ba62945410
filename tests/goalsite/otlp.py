"""A receiver of OpenTelemetry traces over OTLP/HTTP, as a collector is one: it decodes what comes, and keeps it."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span


class Receiver:
    """`spans` as they came, also those that came twice; `refuses` answers with that code."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.resources: list[dict[str, Any]] = []
        self.refuses = 0
        self.asked = 0

    def take(self, body: bytes) -> None:
        """Decode one message."""
        for group in ExportTraceServiceRequest.FromString(body).resource_spans:
            self.resources.append(said(group.resource))
            self.spans += [span for scope in group.scope_spans for span in scope.spans]

    @property
    def by_id(self) -> dict[bytes, Span]:
        return {span.span_id: span for span in self.spans}

    def named(self, beginning: str) -> list[Span]:
        """Every span once, of those whose names begin so."""
        return [span for span in self.by_id.values() if span.name.startswith(beginning)]


def said(holder: Any) -> dict[str, Any]:
    """The attributes of a span, an event or a resource."""
    found = {}
    for pair in holder.attributes:
        kind = pair.value.WhichOneof("value")
        value = getattr(pair.value, kind)
        found[pair.key] = [one.string_value for one in value.values] if kind == "array_value" else value
    return found


@contextmanager
def receiving() -> Iterator[tuple[str, Receiver]]:
    """Run one; gives its address as `OTEL_EXPORTER_OTLP_ENDPOINT` takes it."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            receiver.asked += 1
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            if not receiver.refuses and self.path == "/v1/traces":
                receiver.take(body)
            self.send_response(receiver.refuses or 200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
