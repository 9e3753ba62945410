"""Fragments of the page: named pieces with a version, so that the page replaces only what has changed."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe


@dataclass(frozen=True)
class Piece:
    """One element of the page. `data` becomes data attributes, which the page's script reads."""

    id: str
    html: SafeString
    kind: str = ""
    data: dict[str, Any] = field(default_factory=dict)

    @property
    def version(self) -> str:
        """Equal as long as the piece looks the same."""
        return hashlib.blake2s(repr((self.kind, self.html, self.data)).encode(), digest_size=8).hexdigest()

    def render(self) -> SafeString:
        attributes = format_html_join("", ' data-{}="{}"', self.data.items())
        return format_html(
            '<div class="piece {}" id="{}" data-v="{}"{}>{}</div>',
            self.kind,
            self.id,
            self.version,
            attributes,
            self.html,
        )


def piece(id: str, template: str, context: dict[str, Any], *, kind: str = "", **data: Any) -> Piece:
    """Return a piece rendered from `templates/chat/TEMPLATE`; no CSRF token is in it, so that it stays the same."""
    html = mark_safe(render_to_string(f"chat/{template}", context).strip())  # noqa: S308 - a template escapes by itself
    return Piece(id, html, kind, data)


def joined(pieces: Iterable[Piece]) -> SafeString:
    """Return pieces as they follow each other in their container."""
    return format_html_join("\n", "{}", ((one.render(),) for one in pieces))


def wants_fragment(request: HttpRequest) -> bool:
    """Whether the page's script asks, rather than a person's browser."""
    return request.headers.get("X-Requested-With") == "goalsite"
