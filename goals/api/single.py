"""Answers with one thing: whole or in the fields that are wanted, with its version."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from goals.api.query import only, thin, wanted


class Versioned(Response):
    """An answer whose ETag begins with a version, for `If-Match`."""

    def __init__(self, data: Any, version: int | None, status: int = 200) -> None:
        super().__init__(data, status)
        self.version = version


def one_of(request: Request, serializer: Any, row: Any, version: int | None = None) -> Response:
    """Return the response with one row, or with those of its fields that are wanted; its ETag tells the version."""
    only(request, ["fields"])
    names = wanted(request, serializer().fields)
    return Versioned(thin(serializer(row).data, names), version)
