"""The registry, plug-ins, and the demonstration tools with their ledgers."""

import dataclasses
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import EntryPoint
from urllib.parse import parse_qs, urlsplit

import jsonschema
import pytest

from goals.states import EffectClass, Risk
from goals.tools import registry
from goals.tools.base import OutputSpec, Reach, Tool, ToolInput, ToolResult
from goals.tools.errors import BrokenPlugin, OutcomeUnknown, ToolError, ToolInputError, UnknownTool

BUILT_IN = {
    "read_file", "read_many_files", "list_files", "search_files", "write_file", "edit_file", "render_report",
    "inspect_python_modules", "clean_table", "group_log_errors", "index_markdown_links", "save_memory",
    "train_search", "train_book", "goal_create", "goal_status", "goal_manage", "read_artifact", "web_fetch",
}  # fmt: skip


def test_the_built_in_tools_are_there_and_complete():
    assert set(registry.own_names()) >= BUILT_IN
    for tool in registry.own_tools():
        assert isinstance(tool.effect_class, EffectClass)
        assert isinstance(tool.risk, Risk)
        assert isinstance(tool.reach, Reach)
        assert tool.outputs
        schema = registry.schema(tool)["function"]["parameters"]
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["additionalProperties"] is False


def test_no_output_hides_a_part_of_the_value(root, call):
    """The artifact of a tool is its whole value, so that `@key.part` works."""
    for file in ("a.log", "a.py", "a.md"):
        (root / file).write_text("")
    for name in ("list_files", "group_log_errors", "inspect_python_modules", "index_markdown_links"):
        value = call(name)
        assert ToolResult(value, "").output(registry.get(name).outputs[0].name) is value


@pytest.mark.django_db
def test_an_unknown_tool_is_named_with_those_there_are():
    with pytest.raises(UnknownTool, match=r"'fly'.*read_file"):
        registry.get("fly")


class EchoInput(ToolInput):
    text: str


class Echo(Tool):
    name = "echo"
    description = "Say it again."
    Input = EchoInput
    outputs = (OutputSpec("echo", "text", "What was said"),)


NOT_A_TOOL = object()


def point(name):
    return EntryPoint("x", f"tests.goals.tools.test_registry_and_trains:{name}", registry.GROUP)


def test_a_plug_in_is_loaded():
    assert registry.load_plugin(point("Echo")).name == "echo"


@pytest.mark.parametrize("name", ["NOT_A_TOOL", "Missing", "EchoInput"])
def test_a_broken_plug_in_is_named(name):
    with pytest.raises(BrokenPlugin, match=name):
        registry.load_plugin(point(name))


@pytest.mark.parametrize("value", [0, False, "", None])
def test_presence_decides_which_value_an_output_gets(value):
    assert ToolResult({"a": value}, "").output("a") is value
    assert ToolResult(value, "").output("a") is value


def test_trains_are_the_same_for_the_same_question(call):
    question = {"origin": "Rome", "destination": "Paris", "date": "2026-12-01"}
    found = call("train_search", **question)
    assert found == call("train_search", **question)
    assert len(found["options"]) == len(found["trains"]) == 3
    assert found["demonstration"] is True


@pytest.mark.parametrize("change", [{"date": "soon"}, {"destination": "rome "}, {"origin": ""}])
def test_a_wrong_question_is_refused(call, change):
    with pytest.raises(ToolInputError):
        call("train_search", **({"origin": "Rome", "destination": "Paris", "date": "2026-12-01"} | change))


def book(context, **more):
    tool = registry.get("train_book")
    input = tool.parse({"train": "DEMO-101: 07:53 to 11:12, 62 EUR"} | more)
    return tool, input, context


def test_a_train_that_was_not_offered_is_not_booked(context):
    tool, input, context = book(context, train="DEMO-999", origin="Rome", destination="Paris")
    with pytest.raises(ToolInputError, match="does not run there"):
        tool.run(input, context)


@pytest.fixture(params=["workspace", "file", "receiver"])
def ledger(request, monkeypatch, tmp_path):
    """Each of the three places for bookings; gives a function that tells the keys in it."""
    if request.param == "workspace":
        path = tmp_path / "workspace" / "demo-bookings.jsonl"
    elif request.param == "file":
        path = tmp_path / "ledger.jsonl"
        monkeypatch.setenv("GOALSITE_DEMO_LEDGER", str(path))
    else:
        server, keys = receiver()
        monkeypatch.setenv("GOALSITE_DEMO_RECEIVER", f"http://127.0.0.1:{server.server_port}/book")
        yield lambda: keys
        server.shutdown()
        server.server_close()
        return
    yield lambda: [json.loads(line)["key"] for line in path.read_text().splitlines()]


def receiver():
    keys: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            keys.append(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["key"])
            self.send_response(200)
            self.end_headers()

        def do_GET(self):
            known = parse_qs(urlsplit(self.path).query)["key"][0] in keys
            self.send_response(200 if known else 404)
            self.end_headers()

        def log_message(self, *args):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, keys


def test_a_booking_is_written_once_and_a_probe_finds_it(context, ledger):
    tool, input, context = book(context)
    assert tool.probe(input, context).happened is False
    value = tool.run(input, context).value
    assert ledger() == ["key-1"]
    probed = tool.probe(input, context)
    assert (probed.happened, probed.result.value) == (True, value)
    other = dataclasses.replace(context, idempotency_key="key-2")
    assert tool.probe(input, other).happened is False


def test_a_receiver_that_is_not_there_is_retryable_and_cannot_be_probed(context, monkeypatch):
    server, _ = receiver()
    server.shutdown()
    server.server_close()
    monkeypatch.setenv("GOALSITE_DEMO_RECEIVER", f"http://127.0.0.1:{server.server_port}/")
    tool, input, context = book(context)
    with pytest.raises(ToolError) as caught:
        tool.run(input, context)
    assert caught.value.retryable
    assert tool.probe(input, context) is None


def test_a_receiver_that_never_answers_leaves_the_outcome_unknown(context, monkeypatch):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("GOALSITE_DEMO_RECEIVER", f"http://127.0.0.1:{server.getsockname()[1]}/")
        tool, input, context = book(dataclasses.replace(context, deadline_seconds=0.5))
        with pytest.raises(OutcomeUnknown):
            tool.run(input, context)


@pytest.mark.parametrize(
    "address", ["http://192.0.2.1/", "https://127.0.0.1/", "http://127.0.0.1.example.org/", "file:///x"]
)
def test_a_receiver_off_loopback_is_refused(context, monkeypatch, address):
    monkeypatch.setenv("GOALSITE_DEMO_RECEIVER", address)
    tool, input, context = book(context)
    with pytest.raises(ToolInputError, match="loopback"):
        tool.run(input, context)
