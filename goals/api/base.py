"""What every view of the API shares."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.permissions import SAFE_METHODS
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from goals.api import etags
from goals.api.idempotency import key_of, once
from goals.api.pages import BY_TIME, Pages
from goals.api.parsers import BoundedJSONParser


class Api:
    """JSON in and out, with an ETag; `If-Match` is honoured, and a POST with an `Idempotency-Key` done once."""

    parser_classes = [BoundedJSONParser]
    renderer_classes = [JSONRenderer]
    pagination_class = Pages
    orderings = BY_TIME
    ordering = "-created_at"
    more_parameters: tuple[str, ...] = ()
    lookup_value_converter = "uuid"

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)  # type: ignore[misc]
        name = (request.method or "").lower()
        handler = getattr(self, name, None)
        if request.method in SAFE_METHODS or handler is None:
            return
        work = handler
        if tags := etags.expected(request):
            work = etags.held(self, tags, handler)
        if request.method == "POST" and (key := key_of(request)):
            held = work
            work = lambda *given, **named: once(request, key, partial(held, *given, **named))  # noqa: E731
        setattr(self, name, work)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        final = super().finalize_response(request, response, *args, **kwargs)  # type: ignore[misc]
        if isinstance(final, Response) and final.status_code in (200, 201):
            etags.tag_response(request, final, getattr(final, "version", None))
        return final

    def hold(self, tags: Sequence[str], **named: Any) -> None:
        """Lock what is about to be changed and raise 412 unless it is as one of the tags says."""
        raise ValidationError({etags.HEADER: etags.ONLY_FOR})


class ApiViewSet(Api, GenericViewSet):
    """The base of our viewsets; `filter_backends` are named where a list is filtered."""

    filter_backends: list[Any] = []


class NowhereViewSet(Api, GenericViewSet):
    """Every address that nobody else answers."""

    schema = None
    serializer_class = None

    def nothing(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise NotFound(f"there is nothing at {request.path[:200]}; see /api/docs/")
