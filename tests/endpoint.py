"""A scriptable OpenAI-compatible endpoint for tests: in this process on a thread, or as a process of its own.

    with Endpoint({"judge_outcome": [{"status": 429, "headers": {"Retry-After": "1"}}, {"reply": {...}}]}) as endpoint:
        settings.OPENAI_BASE_URL = endpoint.url            # endpoint.requests: what came in, oldest first

    python -m tests.endpoint --port 8400 --script script.json --log requests.jsonl

A script maps a prompt's name (or "*" for all others) to what is answered: one action (always), a list of actions
(one a request, in order; afterwards as if unscripted), {"cycle": [actions]}, or {"match": {words: any of these}}: the
first whose words are in its messages ("*": any). Unscripted prompts are answered by the rehearsal model's rules. An
action is an object with any of:

    reply       the typed reply, sent as JSON text          text        free or malformed text, sent as it is
    tool_calls  [{"name", "arguments": {...} or text}]      then        the action once a tool result is in
    refusal     text of a refusal                           finish_reason, usage (null: none), model: override
    status      an HTTP error, with headers, error          delay       seconds before answering
    hold        a function of the test's own process: answered once it says yes, refused when that takes too long
    cut         "before" | "body" | "stream": break the connection there
    pause       seconds between the chunks of a stream; a finish_reason of null leaves it without one
    body        the raw response body instead of a completion (text is sent as text/html)

"embeddings" stands for requests for those; their actions have a status or a body.
"""

import argparse
import asyncio
import json
import os
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from goals.llm.rehearsal import app as rehearsal
from goals.llm.rehearsal import asked, wire
from goals.llm.rehearsal.reply import Calls, Reply, Text, Typed
from goals.llm.rehearsal.rules import answer

Action = dict[str, Any]
LONGEST_HOLD = 90.0  # longer than whatever waits for the reply has patience


class Endpoint:
    """The server. `requests` holds a record of each request: n, at, name, key, model, stream, body."""

    def __init__(self, script: dict[str, Any] | None = None, *, port: int = 0, log: str | None = None):
        self.script = dict(script or {})
        self.requests: list[dict[str, Any]] = []
        self._answered: dict[str, int] = {}
        self._lock = threading.Lock()
        self._log = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600) if log else None
        self._socket = _listening(port)
        self.port = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self.app = Starlette(
            routes=[
                Route("/v1/chat/completions", self._chat, methods=["POST"]),
                Route("/v1/embeddings", self._embeddings, methods=["POST"]),
                *rehearsal.ROUTES[1:],
            ]
        )
        config = uvicorn.Config(
            self.app, log_level="critical", access_log=False, lifespan="off", ws="none", timeout_graceful_shutdown=1
        )
        self._server = uvicorn.Server(config)
        self._thread: threading.Thread | None = None

    def serve(self) -> None:
        """Serve in this thread until stopped."""
        self._server.run(sockets=[self._socket])

    def __enter__(self) -> "Endpoint":
        self._thread = threading.Thread(target=self.serve, name="endpoint", daemon=True)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.005)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(10)
        self._socket.close()
        if self._log is not None:
            os.close(self._log)

    def named(self, name: str) -> list[dict[str, Any]]:
        """The requests for that prompt."""
        return [request for request in self.requests if request["name"] == name]

    async def _chat(self, request: Request) -> Response:
        body = await request.json()
        question = asked.read(body)
        action = self._record(request, body, question)
        if action.get("delay"):
            await asyncio.sleep(action["delay"])
        if "hold" in action and not await _let_go(action["hold"]):
            return _refused({"status": 400, "error": {"message": "nothing let this reply go"}})
        return _respond(request, body, question, action)

    async def _embeddings(self, request: Request) -> Response:
        body = await request.json()
        with self._lock:
            self.requests.append({"name": "embeddings", "at": time.time(), "body": body})
            action = self._next("embeddings") if "embeddings" in self.script else {}
        if "body" in action:
            return JSONResponse(action["body"])
        return _refused(action) if "status" in action else await rehearsal.embeddings(request)

    def _record(self, request: Request, body: dict[str, Any], question: asked.Asked) -> Action:
        """Note the request, in memory and as a line of the log, before anything is answered."""
        with self._lock:
            record = {
                "n": len(self.requests) + 1,
                "at": time.time(),
                "name": question.name,
                "key": request.headers.get("idempotency-key", ""),
                "model": body.get("model"),
                "stream": bool(body.get("stream")),
                "last": body["messages"][-1]["role"],
            }
            self.requests.append({**record, "body": body, "headers": dict(request.headers)})
            if self._log is not None:
                os.write(self._log, (json.dumps(record) + "\n").encode())
            action = self._next(question.name, said(body))
        return action["then"] if record["last"] == "tool" and "then" in action else action

    def _next(self, name: str, text: str = "") -> Action:
        where = name if name in self.script else "*"
        scripted = self.script.get(where)
        if scripted and "match" in scripted:
            words = next((words for words in scripted["match"] if words == "*" or words in text), "")
            where, scripted = f"{where} {words}", scripted["match"].get(words)
        count = self._answered.get(where, 0)
        self._answered[where] = count + 1
        if isinstance(scripted, list):
            return scripted[count] if count < len(scripted) else {}
        if scripted and "cycle" in scripted:
            return scripted["cycle"][count % len(scripted["cycle"])]
        return scripted or {}

    def play(self, script: dict[str, Any]) -> None:
        """Begin anew with another script."""
        with self._lock:
            self.script, self.requests, self._answered = dict(script), [], {}


async def _let_go(hold: Callable[[], Any]) -> bool:
    """Wait for it, however many others do, and not for ever: a test that fails must end."""
    give_up_at = time.monotonic() + LONGEST_HOLD
    while not hold():
        if time.monotonic() > give_up_at:
            return False
        await asyncio.sleep(0.01)
    return True


def said(body: dict[str, Any]) -> str:
    """The text of a request's messages."""
    return "\n".join(str(message.get("content") or "") for message in body["messages"])


def _listening(port: int) -> socket.socket:
    """A listening socket that says it is TCP: asyncio takes Nagle's delay (40 ms a reply) off only such."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", port))
    listening.listen(256)
    return listening


def _respond(request: Request, body: dict[str, Any], question: asked.Asked, action: Action) -> Response:
    if action.get("cut") == "before":
        return _abort(request)
    if "status" in action:
        return _refused(action)
    if "body" in action:
        raw = action["body"]
        return PlainTextResponse(raw, media_type="text/html") if isinstance(raw, str) else JSONResponse(raw)
    reply = _reply(question, action)
    if body.get("stream"):
        return StreamingResponse(_stream(request, body, reply, action), media_type="text/event-stream")
    whole = _overridden(wire.completion(body, reply), action)
    if action.get("cut") == "body":
        half = json.dumps(whole)[:40].encode()
        return StreamingResponse(
            _half(request, half), headers={"content-length": "4000"}, media_type="application/json"
        )
    return JSONResponse(whole)


def _refused(action: Action) -> Response:
    error = action.get("error") or {"message": f"scripted {action['status']}", "type": "scripted", "code": None}
    return JSONResponse({"error": error}, status_code=action["status"], headers=action.get("headers"))


def _reply(question: asked.Asked, action: Action) -> Reply:
    if "reply" in action:
        return Typed(action["reply"])
    if "text" in action or "refusal" in action:
        return Text(action.get("text", ""))
    if "tool_calls" in action:
        return Calls(tuple((call["name"], call.get("arguments", {})) for call in action["tool_calls"]))
    return answer(question)


def _overridden(whole: dict[str, Any], action: Action) -> dict[str, Any]:
    choice = whole["choices"][0]
    if "refusal" in action:
        choice["message"] |= {"content": None, "refusal": action["refusal"]}
    for call, scripted in zip(choice["message"].get("tool_calls", ()), action.get("tool_calls", ()), strict=False):
        if isinstance(scripted.get("arguments"), str):
            call["function"]["arguments"] = scripted["arguments"]
    choice["finish_reason"] = action.get("finish_reason", choice["finish_reason"])
    if "usage" in action:
        whole["usage"] = action["usage"]
    whole["model"] = action.get("model", whole["model"])
    return whole


async def _stream(request: Request, body: dict[str, Any], reply: Reply, action: Action):
    for position, chunk in enumerate(wire.chunks(body, reply)):
        if position == 3 and action.get("cut") == "stream":
            _transport(request).abort()
            return
        for choice in chunk["choices"]:
            if choice["finish_reason"]:
                choice["finish_reason"] = action.get("finish_reason", choice["finish_reason"])
        yield f"data: {json.dumps(chunk)}\n\n"
        await asyncio.sleep(action.get("pause", 0))
    yield "data: [DONE]\n\n"


async def _half(request: Request, half: bytes):
    yield half
    await asyncio.sleep(0.05)
    _transport(request).abort()


def _abort(request: Request) -> Response:
    _transport(request).abort()
    return Response(status_code=204)


def _transport(request: Request) -> asyncio.Transport:
    """The connection under this request, which ASGI hides."""
    return request.receive.__self__.transport


def main() -> None:
    """Serve a script as a process of its own."""
    parser = argparse.ArgumentParser(prog="python -m tests.endpoint")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", help="a JSON file")
    parser.add_argument("--log", help="one JSON line a request is appended here")
    given = parser.parse_args()
    script: dict[str, Any] = {}
    if given.script:
        with open(given.script, encoding="utf-8") as file:
            script = json.load(file)
    endpoint = Endpoint(script, port=given.port, log=given.log)
    print(endpoint.url, flush=True)
    endpoint.serve()


if __name__ == "__main__":
    main()
