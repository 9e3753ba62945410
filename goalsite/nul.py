"""No page's address holds a NUL: Postgres knows no text with one, and not every view of others expects that."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest

OWN_ERRORS = "/api/"  # says itself which field holds one


class RefuseNul:
    """Middleware: 400 for a path with a NUL."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\x00" in request.path_info and not request.path_info.startswith(OWN_ERRORS):
            return HttpResponseBadRequest("The address holds a NUL character; take it out.", content_type="text/plain")
        return self.get_response(request)
