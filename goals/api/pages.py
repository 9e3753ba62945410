"""Pages of lists: `?cursor=&page_size=&ordering=&fields=`.

A page costs the same wherever it begins, and nothing is counted.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from goals.api.cursors import Order, cursor_at, read
from goals.api.query import only, thin, wanted, whole_number
from goals.patience import at_most

OWN = ("cursor", "page_size", "ordering", "fields")
BY_TIME = {"created_at": ("created_at", "id")}


class Pages(BasePagination):
    """Fifty rows a page, two hundred at most.

    A view says in `orderings` by which columns it can be ordered, each backed by an index, in `ordering` which one it
    is by itself, and in `more_parameters` what else it reads.
    """

    size, most = 50, 200
    serializer: Any = None

    def paginate_queryset(self, queryset: QuerySet, request: Request, view: Any = None) -> list[Any]:
        """Return the rows of the page; raises ValidationError by parameter, and TookTooLong."""
        only(request, [*OWN, *_filters(view, queryset), *getattr(view, "more_parameters", ())])
        size = whole_number(request, "page_size", default=self.size, least=1, most=self.most)
        order = _order(request, view)
        serializer = self.serializer or view.get_serializer_class()
        self.names = wanted(request, serializer().fields)
        self.request, self.order, self.backwards = request, order, False
        text = request.query_params.get("cursor")
        rows = queryset
        if text is not None:
            self.backwards, values = read(request.path, order, text)
            rows = rows.filter(order.beyond(values, backwards=self.backwards))
        with at_most(settings.GOALSITE_SEARCH_SECONDS):
            keys = list(order.sort(rows, backwards=self.backwards).values_list("pk", *order.fields)[: size + 1])
            more, keys = len(keys) > size, keys[:size]
            if self.backwards:
                keys.reverse()
            # What hangs on a row is read for these alone; one that has just gone is left out, and no page lost with it.
            found = {row.pk: row for row in queryset.filter(pk__in=[key for key, *_ in keys])}
        self.places = [values for _, *values in keys]
        came = text is not None
        self.has_next = came if self.backwards else more
        self.has_previous = more if self.backwards else came
        return [found[key] for key, *_ in keys if key in found]

    def get_paginated_response(self, data: Sequence[dict[str, Any]]) -> Response:
        """Return the page with the addresses of its neighbours, null at the ends."""
        links = {
            "next": self._link(-1, backwards=False) if self.has_next else None,
            "previous": self._link(0, backwards=True) if self.has_previous else None,
        }
        return Response({**links, "results": [thin(row, self.names) for row in data]})

    def _link(self, position: int, *, backwards: bool) -> str | None:
        if not self.places:
            return None
        cursor = cursor_at(self.request.path, self.order, self.places[position], backwards=backwards)
        return replace_query_param(self.request.build_absolute_uri(), "cursor", cursor)

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Return the parameters as the schema tells them."""
        size = {"type": "integer", "minimum": 1, "maximum": self.most, "default": self.size}
        orders = list(_orders(view))
        known = {
            "cursor": ({"type": "string"}, "where to go on: from `next` or `previous` of another page"),
            "page_size": (size, "how many rows"),
            "ordering": ({"type": "string", "enum": orders, "default": view.ordering}, "what comes first"),
            "fields": ({"type": "string"}, "names of fields, separated by commas: the rows have these only"),
        }
        return [{"name": n, "in": "query", "schema": s, "description": d} for n, (s, d) in known.items()]

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the answer as the schema tells it."""
        link = {"type": ["string", "null"], "format": "uri"}
        properties = {"next": link, "previous": link, "results": schema}
        return {"type": "object", "required": list(properties), "properties": properties}


class LongPages(Pages):
    """For short rows."""

    size, most = 200, 500


def page_of(view: Any, rows: Any, serializer: Any) -> Any:
    """Return the response with one page of `rows`."""
    view.paginator.serializer = serializer
    page = view.paginate_queryset(rows)
    return view.get_paginated_response(serializer(page, many=True, context=view.get_serializer_context()).data)


def _filters(view: Any, rows: QuerySet) -> Iterator[str]:
    for backend in view.filter_backends:
        kind = backend().get_filterset_class(view, rows)
        yield from kind.base_filters if kind else ()


def _orders(view: Any) -> Iterator[str]:
    for name in view.orderings:
        yield from (name, f"-{name}")


def _order(request: Request, view: Any) -> Order:
    name = request.query_params.get("ordering", view.ordering)
    if name not in _orders(view):
        raise ValidationError({"ordering": f"must be one of {', '.join(_orders(view))}"})
    return Order(name, view.orderings[name.removeprefix("-")])
