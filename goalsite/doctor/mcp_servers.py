"""MCP servers: each is really asked, and what it says held against what was let in."""

from goals.mcp import looking
from goals.models import McpServer, McpTool
from goalsite.doctor.finding import Finding, fail, warn, well


def mcp_servers() -> Finding:
    """Whether every server answers, and tells of its tools as when they were let in."""
    looked = [looking.look(row) for row in McpServer.objects.filter(enabled=True)]
    if not looked:
        return well("there are none")
    if silent := [row for row in looked if row.error]:
        shown = "; ".join(row.error[:300] for row in silent)
        return fail(shown, "Mend the server or its row in the admin, or disable it there: goals cannot use its tools.")
    here = McpTool.objects.filter(server__enabled=True)
    if changed := list(here.changed().values_list("name", flat=True)[:20]):
        remedy = "Look at them in the admin, and let them in again if they are what they should be."
        return warn(f"changed since they were let in, and not offered: {', '.join(changed)}", remedy)
    offered = McpTool.objects.offered().count()
    if new := here.new().count():
        return warn(
            f"{offered} tools are offered; nobody has looked at {new}", "Let them in, in the admin, or leave it."
        )
    return well(f"{len(looked)} answer; {offered} tools are offered")
