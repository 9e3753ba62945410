"""What a person does to MCP servers and their tools: add, change, remove, look, let in, put out."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from goals.exceptions import InvalidInput, NotAllowed, NotFound, StaleGoal
from goals.mcp import looking, offered
from goals.mcp.rules import FIELDS, OUTSIDE, checked
from goals.models import McpServer, McpTool
from goals.states import Risk

CONFIGURE, HOST = "goals.configure", "goals.use_host_verifiers"


def save(user: Any, given: dict[str, Any], server_id: Any = None) -> McpServer:
    """Add a server, or change one; what is not given stays. Another place or program is looked at before it is used."""
    refuse_strangers(user)
    with transaction.atomic():
        row = McpServer(name=given.get("name", "")) if server_id is None else _locked(server_id)
        moved = change(user, row, given)
        row.changed_by = user
        try:
            with transaction.atomic():
                row.save()
        except IntegrityError:
            raise InvalidInput({"name": f"there is a server {row.name!r} already"}) from None
        if moved:
            row.tools.update(digest="", accepted_by=None, accepted_at=None)
    offered.tools.forget()
    return row


def change(user: Any, row: McpServer, given: dict[str, Any]) -> bool:
    """Put what is given into a row, held to the rules; whether tools that were let in are now another's."""
    was_of_host, is_new = row.is_of_host, row._state.adding
    before = (row.transport, row.address, row.command, row.folder)
    if not is_new and given.get("name", row.name) != row.name:
        raise InvalidInput({"name": "stays as it is; add another server instead"})
    for field, value in checked({**_as_it_is(row), **given}).items():
        setattr(row, field, value)
    if (was_of_host or row.is_of_host) and not user.has_perm(HOST):
        raise NotAllowed(f"a command, and a server with a private address, need the permission {HOST}")
    return not is_new and before != (row.transport, row.address, row.command, row.folder)


def remove(user: Any, server_id: Any) -> None:
    """Remove a server with its tools; calls that were made stay in the histories of their goals."""
    refuse_strangers(user)
    _found(McpServer, server_id).delete()
    offered.tools.forget()


def look(user: Any, server_id: Any) -> McpServer:
    """Ask a server for its tools now."""
    refuse_strangers(user)
    return looking.look(_found(McpServer, server_id))


def let_in(user: Any, tool_id: Any, seen: str) -> McpTool:
    """Offer a tool to goals as it was found; `seen` is the digest of what the person has looked at."""
    refuse_strangers(user)
    with transaction.atomic():
        row = _locked_tool(tool_id)
        if row.refused or row.gone_at is not None:
            raise StaleGoal(f"{row.name} cannot be let in: {row.refused or 'its server has it no more'}")
        if row.found_digest != seen:
            raise StaleGoal(f"{row.name} has changed since you looked: look again")
        row.description, row.parameters, row.digest = row.found_description, row.found_parameters, row.found_digest
        row.accepted_by, row.accepted_at = user, timezone.now()
        row.save()
    offered.tools.forget()
    return row


def put_out(user: Any, tool_id: Any) -> McpTool:
    """Offer a tool no more."""
    refuse_strangers(user)
    with transaction.atomic():
        row = _locked_tool(tool_id)
        row.digest, row.accepted_by, row.accepted_at = "", None, None
        row.save()
    offered.tools.forget()
    return row


def judge(user: Any, tool_id: Any, *, risk: Any = "", effect_class: Any = "") -> McpTool:
    """Say what one tool's risk and effect are, where they are not its server's. Its server's own hints say nothing."""
    refuse_strangers(user)
    errors = {}
    if risk not in ("", *Risk.values):
        errors["risk"] = f"must be empty or one of {', '.join(Risk.values)}"
    if effect_class not in ("", *OUTSIDE):
        errors["effect_class"] = f"must be empty or one of {', '.join(OUTSIDE)}"
    if errors:
        raise InvalidInput(errors)
    with transaction.atomic():
        row = _locked_tool(tool_id)
        row.risk, row.effect_class = risk, effect_class
        row.save(update_fields=["risk", "effect_class"])
    offered.tools.forget()
    return row


def refuse_strangers(user: Any) -> None:
    if not (user.is_active and user.has_perm(CONFIGURE)):
        raise NotAllowed(f"to set MCP servers you need the permission {CONFIGURE}")


def _as_it_is(row: McpServer) -> dict[str, Any]:
    return {name: getattr(row, name) for name in FIELDS}


def _locked(server_id: Any) -> McpServer:
    return _found(McpServer, server_id, McpServer.objects.select_for_update())


def _locked_tool(tool_id: Any) -> McpTool:
    return _found(McpTool, tool_id, McpTool.objects.select_for_update())


def _found(model: Any, row_id: Any, rows: Any = None) -> Any:
    try:
        return (model.objects if rows is None else rows).get(pk=row_id)
    except (model.DoesNotExist, ValidationError, ValueError, TypeError):
        raise NotFound(f"there is no {model._meta.verbose_name} {str(row_id)[:80]}") from None
