"""What every view of the API shares."""

from functools import partial
from typing import Any

from rest_framework.exceptions import NotFound
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.viewsets import GenericViewSet

from goals.api.idempotency import key_of, once
from goals.api.pages import BY_TIME, Pages
from goals.api.parsers import BoundedJSONParser


class Api:
    """JSON in and out; a POST with an `Idempotency-Key` is done once."""

    parser_classes = [BoundedJSONParser]
    renderer_classes = [JSONRenderer]
    pagination_class = Pages
    orderings = BY_TIME
    ordering = "-created_at"
    more_parameters: tuple[str, ...] = ()
    lookup_value_converter = "uuid"

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)  # type: ignore[misc]
        handler = getattr(self, "post", None)
        if request.method == "POST" and handler is not None and (key := key_of(request)):
            self.post = lambda *given, **named: once(request, key, partial(handler, *given, **named))


class ApiViewSet(Api, GenericViewSet):
    """The base of our viewsets; `filter_backends` are named where a list is filtered."""

    filter_backends: list[Any] = []


class NowhereViewSet(Api, GenericViewSet):
    """Every address that nobody else answers."""

    schema = None
    serializer_class = None

    def nothing(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise NotFound(f"there is nothing at {request.path[:200]}; see /api/docs/")
