"""Views of the goals' list: some that everybody has, and those that people keep from the list as it is narrowed."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_POST

from goals import validation
from goals.api.access import is_operator
from goals.exceptions import InvalidInput
from goals.models import SavedView

MOST_VIEWS = 50
LONGEST_QUERY = 2000
BUILT_IN = (
    ("All", ""),
    ("Need an answer", "needs=answer"),
    ("Stuck", "needs=worker"),
    ("Tried again", "needs=help"),
    ("Near their budget", "needs=budget"),
    ("Paused", "status=paused"),
    ("Failed in the last day", "status=failed&ended=1d"),
)
BESIDES = {"q", "o", "p"}  # what may stand in a query beside the names of filters


class SavedViews:
    """The list's part of it: the views above the list, and what keeps and drops them."""

    list_before_template = "admin_goals/views.html"

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view  # type: ignore[attr-defined]
        return [
            path("views/keep/", view(require_POST(self.keep_view)), name="goals_goal_keep_view"),
            path("views/<uuid:view_id>/drop/", view(require_POST(self.drop_view)), name="goals_goal_drop_view"),
            *super().get_urls(),  # type: ignore[misc]
        ]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        given = _essential(request.GET)
        views = SavedView.objects.offered_to(request.user).select_related("owner").order_by("name")[: 2 * MOST_VIEWS]
        extra = {
            "built_in": [(name, query, query == given) for name, query in BUILT_IN],
            "views": [(view, view.query == given, view.owner_id == request.user.pk) for view in views],
            "given": given,
            "may_share": is_operator(request.user),
        }
        return super().changelist_view(request, {**(extra_context or {}), **extra})  # type: ignore[misc]

    def keep_view(self, request: HttpRequest) -> HttpResponse:
        """Keep the list as it is narrowed, under a name; the same name again replaces it."""
        query = request.POST.get("query", "")
        allowed = {str(one.parameter_name) for one in self.list_filter} | BESIDES  # type: ignore[attr-defined]
        try:
            name, query, shared = validation.collect(
                lambda: " ".join(validation.text("name", request.POST.get("name"), most=60, required=True).split()),
                lambda: _checked(query, allowed),
                lambda: _may_share(request),
            )
            _keep(request.user, name, query, shared)
        except InvalidInput as error:
            messages.error(request, str(error))
            return HttpResponseRedirect(_list("" if "query" in error.errors else query))
        messages.success(request, f"The view {name} is kept.")
        return HttpResponseRedirect(_list(query))

    def drop_view(self, request: HttpRequest, view_id: Any) -> HttpResponse:
        """Drop one's own view, or as an operator one that is shared."""
        rows = SavedView.objects.offered_to(request.user)
        rows = rows if is_operator(request.user) else rows.filter(owner=request.user)
        found = rows.filter(pk=view_id).first()
        if found is None:
            raise Http404("there is no such view of yours")
        found.delete()
        messages.success(request, f"The view {found.name} is dropped.")
        return HttpResponseRedirect(_list(""))


def _keep(user: Any, name: str, query: str, shared: bool) -> None:
    with transaction.atomic():
        mine = list(SavedView.objects.select_for_update().filter(owner=user).values_list("name", flat=True))
        if name not in mine and len(mine) >= MOST_VIEWS:
            raise InvalidInput({"name": f"you keep {MOST_VIEWS} views already; drop one first"})
        SavedView.objects.update_or_create(owner=user, name=name, defaults={"query": query, "is_shared": shared})


def _may_share(request: HttpRequest) -> bool:
    shared = "shared" in request.POST
    if shared and not is_operator(request.user):
        raise InvalidInput({"shared": "to share a view you need the permission goals.operate"})
    return shared


def _checked(query: str, allowed: set[str]) -> str:
    """Return a query as the list writes it; raises InvalidInput for what no filter of the list understands."""
    if len(query) > LONGEST_QUERY or "\x00" in query:
        raise InvalidInput({"query": f"at most {LONGEST_QUERY} characters, and no NUL"})
    try:
        given = QueryDict(query)
    except (ValidationError, ValueError) as error:
        raise InvalidInput({"query": "cannot be read"}) from error
    if unknown := sorted(set(given) - allowed):
        known = ", ".join(sorted(allowed))
        raise InvalidInput({"query": f"{', '.join(unknown)[:200]} narrows no list of goals; {known} do"})
    if not given:
        raise InvalidInput({"query": "the list is not narrowed; there is nothing to keep"})
    return _essential(given)


def _essential(given: QueryDict) -> str:
    """Return a query without the page's number and the like, so that the same view is written the same."""
    kept = given.copy()
    for name in [name for name in kept if name in {"p", "e", "all"} or not kept[name]]:
        del kept[name]
    return kept.urlencode()


def _list(query: str) -> str:
    address = reverse("admin:goals_goal_changelist")
    return f"{address}?{query}" if query else address
