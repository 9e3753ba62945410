"""Looking at a server: what it tells of itself now, beside what was let in."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.utils import timezone

from goals.connections import released
from goals.mcp import offered, taming
from goals.mcp.errors import McpFault
from goals.mcp.listing import Listed, Said, listed
from goals.mcp.places import Place
from goals.models import McpServer, McpTool

LONGEST_LOOK = 20.0


def look(server: McpServer) -> McpServer:
    """Ask a server for its tools and keep what it says, or why it says nothing; returns its row."""
    from goals.mcp import session  # the SDK is large

    try:
        with released():
            introduced_as, told = session.look(Place.of(server), min(LONGEST_LOOK, server.timeout_seconds))
    except McpFault as fault:
        facts = {"looked_at": timezone.now(), "error": taming.line(str(fault), 2000)}
        McpServer.objects.filter(pk=server.pk).update(**facts)
    else:
        note(server.name, introduced_as, told)
    server.refresh_from_db()
    return server


def note(name: str, introduced_as: str, told: Iterable[Said]) -> None:
    """Keep what a server has told; what was let in stays as it was, and is offered no more where it changed."""
    now = timezone.now()
    found = {one.said_name: one for one in listed(name, told)}
    with transaction.atomic():
        server = McpServer.objects.select_for_update().filter(name=name).first()
        if server is None:
            return
        server.looked_at = server.answered_at = now
        server.error, server.introduced_as = "", taming.text(introduced_as, 200)
        server.save(update_fields=["looked_at", "answered_at", "error", "introduced_as"])
        known = {row.said_name: row for row in server.tools.all()}
        McpTool.objects.bulk_create(
            McpTool(server=server, said_name=one.said_name, **_found(one, now))
            for one in found.values()
            if one.said_name not in known
        )
        again = [row for row in known.values() if row.said_name in found]
        for row in again:
            for field, value in _found(found[row.said_name], now).items():
                setattr(row, field, value)
        gone = [row.pk for row in known.values() if row.said_name not in found and row.gone_at is None]
        McpTool.objects.bulk_update(again, [*FOUND])
        McpTool.objects.filter(pk__in=gone).update(gone_at=now)
    offered.tools.forget()


FOUND = ("name", "found_description", "found_parameters", "found_digest", "hints", "refused", "found_at", "gone_at")


def _found(one: Listed, now: Any) -> dict[str, Any]:
    values = (one.name, one.description, one.parameters, one.digest, one.hints, one.refused, now, None)
    return dict(zip(FOUND, values, strict=True))
