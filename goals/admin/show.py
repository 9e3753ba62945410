"""How values are shown: JSON and tracebacks as text in `<pre>`, long ones cut, links to other pages."""

import json
from typing import Any

from django.db.models import Model
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

SHOWN_CHARACTERS = 20_000
BOX = "white-space: pre-wrap; overflow-wrap: anywhere; max-height: 28rem; overflow: auto; font-family: monospace"


def pre(value: Any) -> SafeString | str:
    """Return a text or a JSON value as it is, escaped."""
    if value in (None, "", {}, []):
        return "–"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=str)
    shown = text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}\n… {len(text)} characters in all"
    return format_html('<pre class="text-xs" style="{}">{}</pre>', BOX, shown)


def short(text: str, most: int = 120) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def link(row: Model | None, text: str | None = None) -> SafeString | str:
    """Return a link to a row's page."""
    if row is None:
        return "–"
    return anchor(page(row), text or row)


def anchor(address: str, text: Any) -> SafeString:
    return format_html('<a class="text-primary-600 dark:text-primary-500" href="{}">{}</a>', address, text)


def page(row: Model) -> str:
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])


def listing(model: type[Model], **filters: Any) -> str:
    """Return the address of a list, filtered."""
    query = "&".join(f"{name}={value}" for name, value in filters.items())
    return f"{reverse(f'admin:{model._meta.app_label}_{model._meta.model_name}_changelist')}?{query}"
