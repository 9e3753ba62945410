"""Traces as a collector receives them, over real OTLP/HTTP: of goals that fail, rest, and outlive kills."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.core.checks import run_checks
from django.utils import timezone
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes
from opentelemetry.semconv.attributes import error_attributes, server_attributes

from goals import answers, services
from goals.models import Checkpoint, Goal, ModelCall, Subgoal, ToolCall, Verification
from goalsite import checks
from goalsite.children import BASE_DIR
from goalsite.models import Traced
from goalsite.traces.drawn import span_id
from goalsite.traces.tracing import Tracing
from tests.goals.test_model_goals import DONE, MET, UNMET, plan, step
from tests.goalsite.otlp import Receiver, receiving, said
from tests.goalsite.processes import eventually

CONVENTIONS = {
    getattr(module, name)
    for module in (gen_ai_attributes, error_attributes, server_attributes)
    for name in dir(module)
    if isinstance(getattr(module, name), str)
}
CALL = {"name": "list_files", "arguments": {"pattern": "*"}}
STUCK = {"reply": {"status": "stuck", "result": "It cannot be done.", "outputs": []}}


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    with receiving() as (address, found):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
        yield found


@contextmanager
def tracing() -> Iterator[Tracing]:
    """As a process of the site that has just begun has it."""
    from goalsite.traces.sending import Sender

    sender = Sender()
    yield Tracing(sender)
    sender.close()


def look() -> bool:
    with tracing() as fresh:
        return fresh.look()


def settled(goal: Goal) -> set[bytes]:
    """The ids of the spans that an ended goal's rows come to."""
    rows = {goal.pk}
    for model in (ModelCall, ToolCall, Subgoal, Checkpoint):
        found = model.objects.filter(goal=goal, finished_at__isnull=False)
        found = found.filter(started_at__isnull=False) if model in (Subgoal, Checkpoint) else found
        rows |= set(found.values_list("pk", flat=True))
    rows |= set(Verification.objects.filter(goal=goal).values_list("pk", flat=True))
    return {span_id(row).to_bytes(8, "big") for row in rows}


def above(receiver: Receiver, span: Span) -> list[str]:
    """The names of the spans above one, nearest first."""
    names, here = [], span
    while here.parent_span_id:
        here = receiver.by_id[here.parent_span_id]
        names.append(here.name)
    return names


def test_a_goal_is_one_trace_across_pauses_parented_rightly_and_in_the_conventions_words(
    receiver, endpoint, submit, settle, owner, settings
):
    endpoint.script.update(
        plan_checkpoints=[
            plan(step(operation="search"), step(title="Ask", predicate="gather_info", evidence_key="name"))
        ],
        act=[{"tool_calls": [CALL], "then": DONE}],
        judge_outcome=[MET, UNMET, MET],
    )
    goal = settle(submit())
    assert goal.waits_for == "question"
    assert look()
    assert not receiver.named("invoke_agent"), "a goal that lives has no end yet"
    services.pause(owner, goal.pk, reason="lunch")
    assert look()
    services.resume(owner, goal.pk)
    (question,) = goal.questions.open()
    answers.answer(owner, question.pk, "Ada", channel="api")
    goal = settle(goal)
    assert goal.status == "completed"
    assert look()
    assert {span.trace_id for span in receiver.spans} == {goal.pk.bytes}
    assert set(receiver.by_id) == settled(goal)
    assert len(receiver.spans) == len(receiver.by_id), "nothing is sent twice without need"

    (root,) = receiver.named("invoke_agent")
    told = [event.name for event in root.events]
    assert [name for name in told if name in ("goal.created", "goal.paused", "goal.resumed", "goal.completed")] == [
        "goal.created", "goal.paused", "goal.resumed", "goal.completed",
    ]  # fmt: skip
    assert "lunch" not in str(root), "what people say is told only when it was asked for"
    (tool,) = receiver.named("execute_tool")
    assert above(receiver, tool) == ["subgoal execute", "checkpoint 1", "invoke_agent goalsite"]
    assert {key: value for key, value in said(tool).items() if key.startswith("gen_ai")} == {
        "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "list_files", "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": said(tool)["gen_ai.tool.call.id"],
    }  # fmt: skip
    acts = [span for span in receiver.named("chat ") if said(span)["gen_ai.prompt.name"] == "act"]
    assert {tuple(above(receiver, span)) for span in acts} == {tuple(above(receiver, tool))}
    call = ModelCall.objects.get(pk=said(acts[0])["goalsite.call.id"])
    assert acts[0].kind == Span.SPAN_KIND_CLIENT
    wanted = {
        "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": call.model,
        "gen_ai.usage.input_tokens": call.input_tokens, "gen_ai.usage.output_tokens": call.output_tokens,
        "server.address": "127.0.0.1",
    }  # fmt: skip
    assert wanted.items() <= said(acts[0]).items()
    assert abs(acts[0].end_time_unix_nano / 1e9 - call.finished_at.timestamp()) < 1e-5
    labels = [
        said(event)["gen_ai.evaluation.score.label"] for span in receiver.named("verify ") for event in span.events
    ]
    assert sorted(labels) == ["met", "met", "met", "unmet"]
    for span in receiver.by_id.values():
        assert span.end_time_unix_nano >= span.start_time_unix_nano
        keys = {*said(span), *(key for event in span.events for key in said(event))}
        assert {key for key in keys if not key.startswith("goalsite.")} <= CONVENTIONS
    assert receiver.resources[0]["service.name"] == "goalsite"

    Traced.objects.all().delete()
    assert look()
    assert set(receiver.by_id) == settled(goal), "a repeated export has the same spans"
    assert len(receiver.spans) == 2 * len(receiver.by_id)


def test_errors_are_marked_and_texts_are_told_when_asked_for(receiver, endpoint, submit, settle, settings, monkeypatch):
    settings.GOALSITE_TRACED_TEXTS = True
    settings.GOALSITE_MAX_RETRIES = settings.GOALSITE_MAX_REVISIONS = settings.GOALSITE_MAX_REPLANS = 0
    settings.GOALSITE_MAX_CHECKPOINT_ATTEMPTS = settings.GOALSITE_MAX_ITERATIONS = 1
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "service.name=night-shift,deployment.environment.name=test")
    endpoint.script.update(plan_checkpoints=plan(step(title="Look about")), act=[{"status": 400}, STUCK])
    goal = settle(submit("Mend the roof"))
    assert goal.status in ("failed", "paused")
    if goal.status == "paused":
        services.cancel(goal.owner, goal.pk, reason="enough")
    assert look()
    failed = [span for span in receiver.by_id.values() if span.status.code == Status.STATUS_CODE_ERROR]
    assert any(span.name.startswith("chat ") for span in failed)
    (given_up,) = [span for span in failed if span.name == "subgoal execute"]
    failure = Subgoal.objects.get(pk=said(given_up)["goalsite.subgoal.id"]).failure
    assert (said(given_up)["error.type"], given_up.status.message) == (failure["kind"], failure["message"][:500])
    assert all(said(span)["error.type"] for span in failed)
    (root,) = receiver.named("invoke_agent")
    assert said(root)["goalsite.objective"] == "Mend the roof"
    assert receiver.resources[0]["service.name"] == "night-shift"


def test_what_a_receiver_did_not_take_is_sent_again(receiver, endpoint, submit, settle):
    endpoint.script.update(plan_checkpoints=plan(step()), act=DONE, judge_outcome=MET)
    goal = settle(submit())
    receiver.refuses = 400
    with tracing() as one:
        assert not one.look()
        assert receiver.asked
        receiver.refuses = 0
        assert one.look()
        asked = receiver.asked
        assert one.look()
    assert set(receiver.by_id) == settled(goal)
    assert receiver.asked == asked, "what was taken is not sent again"


def test_a_goal_that_cannot_be_drawn_keeps_no_other_from_being_sent(receiver, endpoint, submit, settle, caplog):
    endpoint.script.update(plan_checkpoints=plan(step()), act=DONE, judge_outcome=MET)
    odd, well = settle(submit()), settle(submit())
    Subgoal.objects.filter(goal=odd).update(failure=["odd"])
    assert look()
    assert f"goal {odd.pk}: its trace could not be drawn" in caplog.text
    assert settled(well) <= set(receiver.by_id)


def test_a_sampler_takes_a_whole_trace_or_nothing_of_it(receiver, endpoint, submit, settle, monkeypatch):
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
    monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", "0.5")
    endpoint.script.update(plan_checkpoints=plan(step()), act=DONE, judge_outcome=MET)
    goals = [settle(submit()) for _ in range(8)]
    assert look()
    taken = [goal for goal in goals if span_id(goal.pk) % 2**64 < 2**63]
    assert {span.trace_id for span in receiver.spans} == {goal.pk.bytes for goal in taken}
    assert set(receiver.by_id) == set().union(*map(settled, taken))


def test_only_one_process_of_the_site_sends(transactional_db):
    first, second = Tracing(None), Tracing(None)
    assert first._is_first()
    assert first._is_first()
    assert not second._is_first()
    first._lock.close()
    eventually(second._is_first, 60, "the lock went with its connection")
    second._lock.close()


@pytest.mark.drill
def test_no_span_is_missing_after_a_hard_kill_of_the_workers(receiver, endpoint, submit, site_environment, tmp_path):
    steps = [step(title=f"Part {number}", operation="search") for number in range(4)]
    killed = threading.Event()
    act = {"tool_calls": [CALL], "then": DONE, "hold": lambda: killed.is_set() or len(endpoint.named("act")) <= 2}
    endpoint.script.update(plan_checkpoints=plan(*steps), act=act, judge_outcome=MET)
    environment = {
        **site_environment, "DJANGO_SETTINGS_MODULE": "goalsite.settings", "GOALSITE_DATA_DIR": str(tmp_path),
        "OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "test", "GOALSITE_MODEL_PRICE": "1/2",
        "GOALSITE_LEASE_SECONDS": "2", "GOALSITE_WORKERS": "1",
        "OTEL_EXPORTER_OTLP_ENDPOINT": os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"],
    }  # fmt: skip

    @contextmanager
    def workers() -> Iterator[Any]:
        command = [sys.executable, "-m", "goalsite.workers"]
        process = subprocess.Popen(command, cwd=BASE_DIR, env=environment, start_new_session=True)
        try:
            yield process
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(60)

    goal = submit(workspace=str(tmp_path))
    with workers():
        eventually(lambda: len(receiver.by_id) >= 3, 60, "some spans came")
        eventually(lambda: ModelCall.objects.filter(goal=goal, status="intended").exists(), 60, "a call is in flight")
    killed.set()
    assert not Goal.objects.get(pk=goal.pk).is_ended
    with workers():
        eventually(lambda: receiver.named("invoke_agent"), 60, "the goal ended and was told")
        goal = Goal.objects.get(pk=goal.pk)
        assert goal.status == "completed"
        eventually(lambda: set(receiver.by_id) == settled(goal), 60, "every row is a span, none else")
    assert {span.trace_id for span in receiver.spans} == {goal.pk.bytes}


class TestSettings:
    """OpenTelemetry's own variables, read as strictly as ours."""

    def test_nothing_is_sent_unless_a_receiver_is_named(self, monkeypatch):
        from goalsite import environment

        name = "OTEL_EXPORTER_OTLP_ENDPOINT"
        for set_here in [one for one in os.environ if one.startswith("OTEL_")]:
            monkeypatch.delenv(set_here)
        assert not environment.traces(name)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318")
        assert environment.traces(name)
        for switch, value in {"OTEL_SDK_DISABLED": "true", "OTEL_TRACES_EXPORTER": "none"}.items():
            with monkeypatch.context() as one:
                one.setenv(switch, value)
                assert not environment.traces(name)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
        with pytest.raises(Exception, match="OTEL_EXPORTER_OTLP_PROTOCOL='grpc' is not allowed"):
            environment.traces(name)

    def test_off_it_costs_not_even_an_import(self):
        code = (
            "import sys, django; django.setup(); from goalsite import workers; from goalsite.traces import tracing;"
            "tracing.begin(); print([name for name in sys.modules if name.startswith('opentelemetry')])"
        )
        environment = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
        ran = subprocess.run(
            [sys.executable, "-c", code], cwd=BASE_DIR, env=environment, capture_output=True, text=True
        )
        assert ran.stdout == "[]\n", ran.stderr

    def test_a_package_that_is_missing_is_told_with_how_to_install_it(self, settings, monkeypatch):
        settings.GOALSITE_TRACES = True
        assert "goalsite.E006" not in {one.id for one in run_checks()}
        monkeypatch.setattr(checks, "_is_there", lambda module: False)
        (found,) = [one for one in run_checks() if one.id == "goalsite.E006"]
        assert "requirements-traces.txt" in found.hint


def test_a_first_look_goes_back_a_day(receiver, endpoint, submit, settle):
    endpoint.script.update(plan_checkpoints=plan(step()), act=DONE, judge_outcome=MET)
    goal = settle(submit())
    with tracing() as one:
        one._looked_at = timezone.now() + timedelta(minutes=1)
        assert one.look()
        assert not receiver.spans
    assert look()
    assert set(receiver.by_id) == settled(goal)
