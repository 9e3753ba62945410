"""A list that is asked for more than can be read in time, or by a filter that nobody understands, says so."""

import logging
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.admin.views.main import ERROR_FLAG
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import SimpleTemplateResponse, TemplateResponse

from goals import patience
from goals.exceptions import TookTooLong

logger = logging.getLogger(__name__)
LONGEST_SHOWN = 100
UNSPOKEN = {"p", "o", "e", "all", "csrfmiddlewaretoken"}


def answered(page: Any, request: HttpRequest, view: Callable[[], HttpResponse]) -> HttpResponse:
    """Return a list's page. Reading is bounded in time; an action on a list is not: it acts goal by goal."""
    if "action" in request.POST:
        return view()
    if broken := [name for name, value in request.GET.items() if "\x00" in name + value]:
        named = broken[0].replace("\x00", "")[:LONGEST_SHOWN]
        messages.error(request, f"{named}: no text holds a NUL character; the list is shown whole.")
        return HttpResponseRedirect(request.path)
    try:
        with patience.at_most(settings.GOALSITE_SEARCH_SECONDS):
            response = view()
            if isinstance(response, SimpleTemplateResponse):
                response.render()
    except TookTooLong:
        logger.warning("a list of %s took too long", page.opts.label_lower)
        return too_long(page, request)
    if isinstance(response, HttpResponseRedirect) and response.url.endswith(f"?{ERROR_FLAG}=1"):
        given = ", ".join(f"{name}={value}" for name, value, _ in given_by(request)) or "this address"
        messages.error(request, f"The list cannot be narrowed by {given}; it is shown whole.")
    return response


def too_long(page: Any, request: HttpRequest) -> HttpResponse:
    """Return the page that says which filters were given, each with the list without it."""
    context = {
        **page.admin_site.each_context(request),
        "title": f"{page.opts.verbose_name_plural.capitalize()}: too much to read",
        "seconds": settings.GOALSITE_SEARCH_SECONDS,
        "given": given_by(request),
        "whole": request.path,
        "opts": page.opts,
    }
    return TemplateResponse(request, "admin_goals/too_long.html", context, status=503)


def given_by(request: HttpRequest) -> list[tuple[str, str, str]]:
    """Return (name, value, the address without it) of each filter and search of a list's address."""
    found = []
    for name, value in request.GET.items():
        if name in UNSPOKEN or not value:
            continue
        rest = request.GET.copy()
        del rest[name]
        rest.pop("p", None)
        found.append((name[:LONGEST_SHOWN], value[:LONGEST_SHOWN], f"{request.path}?{rest.urlencode()}"))
    return found
