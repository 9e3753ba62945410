"""Pages of lists: `?limit=&offset=`, refused by name when they are not what is allowed."""

from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.request import Request

LARGEST = 2**31 - 1
YES, NO = ("true", "1", "yes"), ("false", "0", "no")


def whole_number(request: Request, name: str, *, default: int, least: int = 0, most: int = LARGEST) -> int:
    """Return a whole number of the query string; raises ValidationError that says what is allowed."""
    given = request.query_params.get(name)
    if given is None or given == "":
        return default
    if not (given.isascii() and given.isdigit() and len(given) < 20 and least <= int(given) <= most):
        raise ValidationError({name: f"must be a whole number from {least} to {most}"})
    return int(given)


def yes_or_no(request: Request, name: str) -> bool:
    """Return a yes or no of the query string, no when it is not there; raises ValidationError."""
    given = request.query_params.get(name, "false").lower()
    if given not in YES + NO:
        raise ValidationError({name: f"must be one of {', '.join(YES + NO)}"})
    return given in YES


class Pages(LimitOffsetPagination):
    """Fifty rows a page, two hundred at most."""

    default_limit = 50
    max_limit = 200

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Return the parameters as the schema tells them."""
        limit = {"type": "integer", "minimum": 1, "maximum": self.max_limit, "default": self.default_limit}
        offset = {"type": "integer", "minimum": 0, "maximum": LARGEST, "default": 0}
        return [
            {"name": "limit", "in": "query", "schema": limit, "description": "how many rows"},
            {"name": "offset", "in": "query", "schema": offset, "description": "how many to leave out"},
        ]

    def get_limit(self, request: Request) -> int:
        return whole_number(request, self.limit_query_param, default=self.default_limit, least=1, most=self.max_limit)

    def get_offset(self, request: Request) -> int:
        return whole_number(request, self.offset_query_param, default=0)


class LongPages(Pages):
    """For short rows."""

    default_limit = 200
    max_limit = 500


def page_of(view: Any, rows: Any, serializer: Any) -> Any:
    """Return the response with one page of `rows`."""
    page = view.paginate_queryset(rows)
    return view.get_paginated_response(serializer(page, many=True, context=view.get_serializer_context()).data)
