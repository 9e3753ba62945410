"""Lists as CSV: as they are narrowed, a piece at a time, and with nothing in them that a spreadsheet would execute."""

import csv
import io
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from goals import patience
from goals.admin.narrowing import answered
from goals.connections import pooled

MOST_ROWS = 10_000
PIECE = 500
BEGINS_A_FORMULA = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"  # the last four are wide forms of the first four
Column = tuple[str, Callable[[Any], Any]]


class Exported:
    """A list with a link below it that downloads what it shows."""

    csv_columns: Sequence[Column] = ()
    list_after_template = "admin_goals/download.html"

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(require_safe(self.export_view))  # type: ignore[attr-defined]
        return [path("export/", view, name=self._export_name), *super().get_urls()]  # type: ignore[misc]

    @property
    def _export_name(self) -> str:
        return f"goals_{self.opts.model_name}_export"  # type: ignore[attr-defined]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        extra = {"download": reverse(f"admin:{self._export_name}", query=request.GET), "most_downloaded": MOST_ROWS}
        return super().changelist_view(request, {**(extra_context or {}), **extra})  # type: ignore[misc]

    def export_view(self, request: HttpRequest) -> HttpResponse:
        """Return the rows of the list as a file; it says so when there are more than it holds."""
        if not self.has_view_permission(request):  # type: ignore[attr-defined]
            return HttpResponse(status=403)
        return answered(self, request, lambda: self._export(request))

    def _export(self, request: HttpRequest) -> HttpResponse:
        try:
            rows = self.get_changelist_instance(request).get_queryset(request)  # type: ignore[attr-defined]
        except IncorrectLookupParameters:
            return HttpResponseRedirect(f"{reverse('admin:index')}goals/{self.opts.model_name}/?e=1")  # type: ignore[attr-defined]
        keys = list(rows.values_list("pk", flat=True)[: MOST_ROWS + 1])
        return as_file(request, str(self.opts.model_name), self._lines(rows.order_by(), keys))  # type: ignore[attr-defined]

    def _lines(self, rows: Any, keys: list[Any]) -> Iterator[list[Any]]:
        yield [name for name, _ in self.csv_columns]
        kept = keys[:MOST_ROWS]
        for start in range(0, len(kept), PIECE):
            piece = kept[start : start + PIECE]
            with patience.at_most(settings.GOALSITE_SEARCH_SECONDS):
                found = {row.pk: row for row in rows.filter(pk__in=piece)}
            yield from ([read(found[key]) for _, read in self.csv_columns] for key in piece if key in found)
        if len(keys) > MOST_ROWS:
            yield [f"cut off after {MOST_ROWS} rows; narrow the list for the rest"]


def as_file(request: HttpRequest, name: str, lines: Iterator[list[Any]]) -> StreamingHttpResponse:
    """Return lines as a CSV file in UTF-8, with the mark by which spreadsheets know it."""
    pieces = _pieces(lines)
    content = _awaited(pieces) if isinstance(request, ASGIRequest) else pieces
    response = StreamingHttpResponse(content, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}-{timezone.now():%Y-%m-%d}.csv"'
    return response


def harmless(value: Any) -> Any:
    """Return what a cell may hold: a number as it is, a text with `'` before what would begin a formula."""
    if value is None:
        return ""
    if isinstance(value, bool | int | float | Decimal):
        return value
    text = value.isoformat() if isinstance(value, datetime) else str(value)
    return f"'{text}" if text.lstrip(" ")[:1] in tuple(BEGINS_A_FORMULA) else text


def _pieces(lines: Iterable[list[Any]]) -> Iterator[str]:
    yield "\ufeff"
    written: list[list[Any]] = []
    for line in lines:
        written.append([harmless(value) for value in line])
        if len(written) >= PIECE:
            yield _written(written)
            written.clear()
    yield _written(written)


def _written(lines: list[list[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_NONNUMERIC).writerows(lines)
    return text.getvalue()


async def _awaited(pieces: Iterator[str]) -> AsyncIterator[str]:
    """Make each piece on a thread, where the database may be asked; between two, no connection is held."""

    def piece() -> str | None:
        with pooled():
            return next(pieces, None)

    while (text := await sync_to_async(piece)()) is not None:
        yield text
