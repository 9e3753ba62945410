"""Every address of the site, found by walking its resolver, so that none can be forgotten."""

import re
from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.urls import URLPattern, URLResolver, get_resolver

from goals.chat.routing import websocket_urlpatterns

PLACE = re.compile(r"<(?:\w+:)?(\w+)>")
GROUP = re.compile(r"\(\?P<(\w+)>(?:[^()]|\([^()]*\))*\)")


def addresses() -> dict[str, URLPattern]:
    """Return what is behind each address of the site, as the table writes it: places in <>, without ^ and $."""
    return dict(_below(get_resolver().url_patterns, ""))


def sockets() -> list[str]:
    """Return the addresses of the live sockets."""
    return [str(route.pattern) for route in websocket_urlpatterns]


def models() -> list[str]:
    """Return every model that has pages in the admin, as app.model."""
    return [model._meta.label_lower for model in admin.site._registry]


def filled(address: str, places: dict[str, Any]) -> str:
    """Return an address with its places filled in."""
    return "/" + PLACE.sub(lambda place: str(places[place[1]]), address)


def _below(patterns: list[Any], prefix: str) -> Iterator[tuple[str, URLPattern]]:
    for entry in patterns:
        here = prefix + _plain(str(entry.pattern))
        if isinstance(entry, URLResolver):
            yield from _below(entry.url_patterns, here)
        else:
            yield here, entry


def _plain(pattern: str) -> str:
    plain = pattern.removeprefix("^").removesuffix("$").replace(r"(?:[\s\S]*/)?", "<anything>")
    return GROUP.sub(r"<\1>", plain)
