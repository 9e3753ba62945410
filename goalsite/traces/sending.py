"""The official SDK at the end of the line: a drawn span becomes one of its spans, and goes out by its OTLP exporter."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import IdGenerator, ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.sdk.trace.sampling import ALWAYS_ON, Decision
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from goalsite.traces.drawn import Drawn, known, span_id, trace_id

SCOPE = "goalsite"
SAMPLED = TraceFlags(TraceFlags.SAMPLED)


class Given(IdGenerator):
    """Gives the ids of the span that is being made, which come from its row."""

    trace = span = 0

    def generate_trace_id(self) -> int:
        return self.trace

    def generate_span_id(self) -> int:
        return self.span

    def is_trace_id_random(self) -> bool:
        return False


class Kept(SpanProcessor):
    """Keeps what has ended, to be sent at once."""

    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []

    def on_end(self, span: ReadableSpan) -> None:
        self.spans.append(span)

    def taken(self) -> list[ReadableSpan]:
        """What was kept, which is then forgotten."""
        taken, self.spans = self.spans, []
        return taken


class Sender:
    """Sends spans; everything about it is set by OpenTelemetry's own variables."""

    def __init__(self) -> None:
        resource = Resource.create()
        if resource.attributes.get(SERVICE_NAME, "").startswith("unknown_service"):
            resource = resource.merge(Resource({SERVICE_NAME: SCOPE}))
        self._given, self._kept = Given(), Kept()
        self._sampler = TracerProvider(shutdown_on_exit=False).sampler
        provider = TracerProvider(ALWAYS_ON, resource, shutdown_on_exit=False, id_generator=self._given)
        provider.add_span_processor(self._kept)
        self._tracer = provider.get_tracer(SCOPE)
        self._exporter = OTLPSpanExporter()

    def wants(self, one: Drawn) -> bool:
        """Whether the sampler takes this goal's trace; it is shown a number that is random in every bit."""
        decision = self._sampler.should_sample(None, span_id(one.goal), "goal").decision
        return decision is Decision.RECORD_AND_SAMPLE

    def send(self, drawn: Sequence[Drawn]) -> bool:
        """Send them in one message; whether they arrived."""
        for one in drawn:
            if self.wants(one):
                self._make(one)
        spans = self._kept.taken()
        return not spans or self._exporter.export(spans) is SpanExportResult.SUCCESS

    def close(self) -> None:
        """Let go of the connection."""
        self._exporter.shutdown()

    def _make(self, one: Drawn) -> None:
        self._given.trace, self._given.span = trace_id(one.goal), span_id(one.row)
        above = None
        if one.parent is not None:
            above = set_span_in_context(NonRecordingSpan(_context(one.goal, one.parent)))
        span = self._tracer.start_span(
            one.name,
            context=above,
            kind=SpanKind.CLIENT if one.calls_out else SpanKind.INTERNAL,
            attributes=known(one.attributes),
            links=list(_links(one)),
            start_time=_nanoseconds(one.start),
        )
        for moment in one.moments:
            span.add_event(moment.name, known(moment.attributes), _nanoseconds(moment.at))
        if one.error is not None:
            span.set_status(Status(StatusCode.ERROR, one.error or None))
        span.end(_nanoseconds(one.end))


def _links(one: Drawn) -> Iterator[Link]:
    if one.linked is not None:
        yield Link(_context(one.linked, one.linked))


def _context(goal: object, row: object) -> SpanContext:
    return SpanContext(trace_id(goal), span_id(row), is_remote=True, trace_flags=SAMPLED)


def _nanoseconds(at: datetime) -> int:
    return int(at.timestamp() * 1_000_000) * 1000
