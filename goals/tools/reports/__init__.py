"""Named templates of `render_report`: each takes a title (or "") and data, and gives pieces of Markdown."""

from collections.abc import Callable
from typing import Any

from goals.tools.reports import generic, link_index, log_triage, python_inventory, search_results, table_cleaning

TEMPLATES: dict[str, Callable[[str, Any], list[str]]] = {
    "generic": generic.pieces,
    "python_inventory": python_inventory.pieces,
    "table_cleaning": table_cleaning.pieces,
    "log_triage": log_triage.pieces,
    "search_results": search_results.pieces,
    "link_index": link_index.pieces,
}
