"""A real MCP server that does what a file says: `far_server.py http|stdio SCRIPT [PORT]`.

The script is JSON, read anew for each request: `tools` (as MCP lists them) and `does`, by tool: `say`, `structured`,
`error`, `slow` (seconds), `huge` (characters), `die`, `spawn`, `parts`, `echo` (headers, environment). Calls are noted.
"""

import asyncio
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

KIND, SCRIPT = sys.argv[1], Path(sys.argv[2])


def script() -> dict:
    return json.loads(SCRIPT.read_text())


async def tools(context: object, params: object) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[types.Tool.model_validate(one) for one in script()["tools"]])


async def call(context: object, params: types.CallToolRequestParams) -> types.CallToolResult:
    with suppress(OSError), (SCRIPT.parent / "calls").open("a") as calls:  # a sandbox lets it write nothing there
        calls.write(json.dumps([params.name, params.arguments]) + "\n")
    does = script()["does"].get(params.name, {"say": "done"})
    await asyncio.sleep(does.get("slow", 0))
    if "spawn" in does:
        subprocess.Popen(["sleep", does["spawn"]])
    if does.get("die"):
        os._exit(1)
    content = [{"type": "text", "text": text} for text in _texts(does, context)]
    parts = [*content, *does.get("parts", [])]
    return types.CallToolResult.model_validate(
        {"content": parts, "structuredContent": does.get("structured"), "isError": "error" in does}
    )


def _texts(does: dict, context: object) -> list[str]:
    texts = [does[name] for name in ("say", "error") if name in does]
    texts += ["x" * does["huge"]] if "huge" in does else []
    texts += [json.dumps(dict(os.environ))] if does.get("echo") == "environment" else []
    texts += [json.dumps(dict(context.request.headers))] if does.get("echo") == "headers" else []
    return texts


server = Server("far", version="1", on_list_tools=tools, on_call_tool=call)


async def on_pipes() -> None:
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


if KIND == "stdio":
    asyncio.run(on_pipes())
else:
    import uvicorn

    uvicorn.run(server.streamable_http_app(), port=int(sys.argv[3]), log_level="error")
