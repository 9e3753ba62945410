"""The tools of MCP servers that goals are offered now, by name: let in, unchanged, of servers that are enabled."""

import json

from goals.lately import Lately
from goals.mcp.places import Place
from goals.mcp.tool import McpCallable
from goals.models import McpTool
from goals.states import EffectClass, Risk


def _read() -> dict[str, McpCallable]:
    rows = McpTool.objects.offered().select_related("server").order_by("name", "pk")
    return {row.name: _callable(row) for row in rows}


def _callable(row: McpTool) -> McpCallable:
    server = row.server
    return McpCallable(
        name=row.name,
        said_name=row.said_name,
        description=f"A tool of the MCP server {server.name}, in that server's words: {row.description}",
        schema_text=json.dumps(row.parameters, ensure_ascii=False),
        digest=row.digest,
        risk=Risk(row.risk or server.risk),
        effect_class=EffectClass(row.effect_class or server.effect_class),
        place=Place.of(server),
    )


tools = Lately(_read)
