"""The rehearsal model as the process that the site starts, spoken to by the port as any endpoint."""

import json
import os
import signal
import socket
import subprocess
import sys
import time

import httpx2
import psutil
import pytest

from goals.llm import prompts
from goals.llm.port import Request, complete, embed, stream

MAX_MEMORY = 60 * 1024 * 1024


@pytest.fixture
def rehearsal(settings):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-m", "goals.llm.rehearsal", "--port", str(port)])
    settings.GOALSITE_REHEARSAL = True
    settings.GOALSITE_REHEARSAL_PORT = port
    settings.GOALSITE_MODELS = dict.fromkeys(("planner", "worker", "judge", "summariser"), "rehearsal")
    _wait_for(f"http://127.0.0.1:{port}/healthz")
    yield process
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) in (0, -signal.SIGTERM)


def test_the_same_port_and_client_speak_to_it_and_it_stays_small(rehearsal):
    question = prompts.render("gather_question", key="origin", prompt="Where from?", artifacts="", suggestions=[])
    completion = complete(Request(role="worker", messages=question, reply="gather_question", timeout=60))
    assert completion.value.question == "Where from?"
    assert completion.usage_reported
    chat = prompts.render("chat_reply", message="hello", recent_messages="", goal=None)
    *pieces, last = stream(Request(role="worker", messages=chat, timeout=60))
    assert "".join(pieces) == last.text
    assert "stand-in" in last.text
    assert len(embed(["a", "b"], model="rehearsal-embedding", dimensions=512)) == 2
    short = complete(
        Request(role="worker", messages=question, reply="gather_question", max_output_tokens=2, timeout=60)
    )
    assert short.finish_reason == "length"
    assert "cut off" in short.problem
    assert psutil.Process(rehearsal.pid).memory_info().rss < MAX_MEMORY


def test_it_imports_neither_django_nor_the_client():
    heavy = "('django', 'openai', 'pydantic')"
    code = f"import goals.llm.rehearsal.__main__, sys; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("body", [b"not json", b"[]", b'{"model": "m"}', b'{"messages": 3}', b'{"messages": [1]}'])
def test_a_request_that_is_none_is_a_400_in_the_protocols_form(rehearsal, settings, body):
    url = f"http://127.0.0.1:{settings.GOALSITE_REHEARSAL_PORT}/v1/chat/completions"
    with httpx2.Client(trust_env=False) as browser:
        response = browser.post(url, content=body)
    assert response.status_code == 400
    assert response.json()["error"]["type"] == "invalid_request_error"


def test_the_scripted_endpoint_runs_as_a_process_and_logs_each_request(tmp_path, settings):
    script, log = tmp_path / "script.json", tmp_path / "log.jsonl"
    script.write_text(json.dumps({"gather_question": {"cycle": [{"reply": {"question": "A?", "suggestions": []}}]}}))
    command = [sys.executable, "-m", "tests.endpoint", "--script", str(script), "--log", str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        settings.GOALSITE_REHEARSAL = False
        settings.OPENAI_BASE_URL = process.stdout.readline().strip()
        messages = prompts.render("gather_question", key="k", prompt="p", artifacts="", suggestions=[])
        for key in ("one", "two"):
            request = Request(role="worker", messages=messages, reply="gather_question", key=key, timeout=60)
            assert complete(request).value.question == "A?"
        process.terminate()
    assert [json.loads(line)["key"] for line in log.read_text().splitlines()] == ["one", "two"]


def test_a_forked_child_makes_its_own_client(rehearsal):
    messages = prompts.render("gather_question", key="k", prompt="p", artifacts="", suggestions=[])
    request = Request(role="worker", messages=messages, reply="gather_question", timeout=60)
    complete(request)
    children = [_fork(request) for _ in range(3)]
    for _ in range(20):
        assert complete(request).value.question == "p"
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0, 0]


def _fork(request):
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        code = 0 if all(complete(request).value.question == "p" for _ in range(20)) else 2
    finally:
        os._exit(code)


def _wait_for(url):
    deadline = time.monotonic() + 60
    with httpx2.Client(trust_env=False) as browser:
        while time.monotonic() < deadline:
            try:
                if browser.get(url).status_code == 200:
                    return
            except httpx2.TransportError:
                time.sleep(0.05)
    raise AssertionError(f"{url} does not answer")
