"""`manage.py mcp`: MCP servers from the terminal: list, add, remove, look for tools, let them in, put them out."""

import sys
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from goals.exceptions import InvalidInput
from goals.management import printing
from goals.management.base import DONE, FAILED, GoalsiteCommand, SubcommandParser
from goals.mcp import acts
from goals.models import McpServer, McpTool
from goals.states import McpTransport, Risk

HEADS = ("SERVER", "STATE", "WHERE", "TOOLS")
TOOL_HEADS = ("TOOL", "STATE", "RISK", "EFFECT", "DESCRIPTION")


class Command(GoalsiteCommand):
    """Acts as the site's operator; ends with 1 when a server does not answer."""

    help = "MCP servers: list them and their tools, add, remove, look, let in, put out."

    def add_arguments(self, parser: Any) -> None:
        deeds = parser.add_subparsers(dest="act", required=True, metavar="ACT", parser_class=SubcommandParser)
        listed = deeds.add_parser("list", help="the servers, and where they stand")
        tools = deeds.add_parser("tools", help="a server's tools, or all")
        tools.add_argument("name", nargs="?", metavar="SERVER")
        for one in (listed, tools):
            one.add_argument("--json", action="store_true", dest="as_json", help="one JSON object a line")
        self._add_adding(deeds.add_parser("add", help="add a server; look for its tools afterwards"))
        look = deeds.add_parser("look", help="ask servers what tools they have; none is called")
        look.add_argument("names", nargs="*", metavar="SERVER", help="default: all that are enabled")
        for act, told in (("let-in", "offer tools to goals as they were found"), ("put-out", "offer tools no more")):
            one = deeds.add_parser(act, help=told)
            one.add_argument("names", nargs="+", metavar="TOOL", help="SERVER.TOOL, as `mcp tools` shows it")
        deeds.add_parser("remove", help="remove a server with its tools").add_argument("name", metavar="SERVER")

    def _add_adding(self, add: Any) -> None:
        add.add_argument("name", metavar="SERVER", help="small letters, digits and -; its tools are SERVER.TOOL")
        where = add.add_mutually_exclusive_group(required=True)
        where.add_argument("--address", help="its MCP endpoint, over HTTP")
        where.add_argument("--command", help="the program and its arguments; it is started for each call")
        add.add_argument("--folder", default="", help="the folder that the command reads and runs in")
        add.add_argument("--secret-variable", default="", metavar="GOALSITE_MCP_…", help="what holds its secret")
        add.add_argument("--secret-as", default="", metavar="NAME", help="a header, or the command's own variable")
        add.add_argument("--allow-private", action="store_true", help="a private address; for a command, a network")
        add.add_argument("--risk", choices=Risk.values, default=Risk.DANGEROUS.value)
        add.add_argument("--effect-class", choices=acts.OUTSIDE, default="external")

    def handle(self, *, act: str, **options: Any) -> None:
        """Do it, as the operator."""
        printing.use_utf8(as_json=bool(options.get("as_json")))
        person = import_string(settings.GOALSITE_OPERATOR)()
        getattr(self, f"_{act.replace('-', '_')}")(person, options)

    def _list(self, person: Any, options: dict[str, Any]) -> None:
        rows = [_facts(row) for row in McpServer.objects.prefetch_related("tools")]
        if options["as_json"]:
            printing.json_lines(self.stdout, rows)
            return
        printing.table(self.stdout, HEADS, [[row[head.lower()] for head in HEADS] for row in rows])

    def _tools(self, person: Any, options: dict[str, Any]) -> None:
        rows = McpTool.objects.select_related("server")
        if options["name"]:
            rows = rows.filter(server=_server(options["name"]))
        facts = [_tool_facts(row) for row in rows]
        if options["as_json"]:
            printing.json_lines(self.stdout, facts)
            return
        printing.table(self.stdout, TOOL_HEADS, [[row[head.lower()] for head in TOOL_HEADS] for row in facts])

    def _add(self, person: Any, options: dict[str, Any]) -> None:
        transport = McpTransport.HTTP if options["address"] else McpTransport.STDIO
        taken = ("name", "folder", "secret_variable", "secret_as", "allow_private", "risk", "effect_class")
        given = {name: options[name] for name in taken}
        where = {"address": options["address"] or "", "command": options["command"] or ""}
        row = acts.save(person, {**given, **where, "transport": transport.value})
        self.stdout.write(f"{row.name} is added; `manage.py mcp look {row.name}` asks for its tools")

    def _look(self, person: Any, options: dict[str, Any]) -> None:
        rows = [_server(name) for name in options["names"]] or list(McpServer.objects.filter(enabled=True))
        looked = [acts.look(person, row.pk) for row in rows]
        for row in looked:
            self.stdout.write(f"{row.name}: {row.error or f'{row.tools.filter(gone_at=None).count()} tools'}")
        sys.exit(FAILED if any(row.error for row in looked) else DONE)

    def _let_in(self, person: Any, options: dict[str, Any]) -> None:
        for row in [_tool(name) for name in options["names"]]:
            acts.let_in(person, row.pk, row.found_digest)
            self.stdout.write(f"{row.name} is let in: {row.found_description}")

    def _put_out(self, person: Any, options: dict[str, Any]) -> None:
        for row in [_tool(name) for name in options["names"]]:
            acts.put_out(person, row.pk)
            self.stdout.write(f"{row.name} is offered no more")

    def _remove(self, person: Any, options: dict[str, Any]) -> None:
        acts.remove(person, _server(options["name"]).pk)
        self.stdout.write(f"{options['name']} is removed")


def _facts(row: McpServer) -> dict[str, Any]:
    tools = [tool.standing for tool in row.tools.all()]
    told = ", ".join(f"{tools.count(word)} {word}" for word in dict.fromkeys(sorted(tools)))
    state = "disabled" if not row.enabled else row.error or ("answers" if row.looked_at else "not looked at")
    return {"server": row.name, "state": state, "where": row.address or row.command, "tools": told or "none"}


def _tool_facts(row: McpTool) -> dict[str, Any]:
    return {
        "tool": row.name,
        "state": row.standing,
        "risk": row.risk or row.server.risk,
        "effect": row.effect_class or row.server.effect_class,
        "description": row.refused or row.found_description,
    }


def _server(name: str) -> McpServer:
    row = McpServer.objects.filter(name=name.replace("\0", "")).first()
    if row is None:
        names = ", ".join(McpServer.objects.values_list("name", flat=True)) or "none"
        raise InvalidInput({"SERVER": f"there is no MCP server {name[:80]!r}; there are: {names}"})
    return row


def _tool(name: str) -> McpTool:
    row = McpTool.objects.filter(name=name.replace("\0", ""), gone_at=None).first()
    if row is None:
        raise InvalidInput({"TOOL": f"there is no tool {name[:80]!r}; `manage.py mcp tools` shows what there is"})
    return row
