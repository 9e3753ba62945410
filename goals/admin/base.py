"""What the pages share: rows that are read and never written, and only one's own without `goals.operate`."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from unfold.admin import ModelAdmin, TabularInline

from goals.admin.narrowing import answered
from goals.admin.paging import BoundedPaginator, OfferedOrder
from goals.admin.searching import searched
from goals.api.access import is_operator

COLOURS = {
    "planning": "info",
    "active": "info",
    "intended": "info",
    "open": "warning",
    "waiting": "warning",
    "blocked": "warning",
    "paused": "warning",
    "unknown": "warning",
    "completed": "success",
    "achieved": "success",
    "succeeded": "success",
    "answered": "success",
    "met": "success",
    "failed": "danger",
    "abandoned": "danger",
    "unmet": "danger",
    "broken": "danger",
}


class Unchanging:
    """Nobody adds, changes or deletes."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class Unwritable(Unchanging):
    """Staff read; nobody adds, changes or deletes."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_active and request.user.is_staff)


class OwnRows(Unwritable, ModelAdmin):
    """A list and a page of rows that belong, over `owner_path`, to somebody."""

    owner_path: ClassVar[str] = "goal__owner"
    show_full_result_count = False
    paginator = BoundedPaginator
    sortable_by: Any = ()  # a table of millions is read in the order of its key
    list_per_page = 50
    list_fullwidth = True
    list_filter_submit = True

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        rows = super().get_queryset(request)
        return rows if is_operator(request.user) else rows.filter(**{self.owner_path: request.user.pk})

    def get_changelist(self, request: HttpRequest, **given: Any) -> Any:
        theirs = super().get_changelist(request, **given)
        return type("ChangeList", (OfferedOrder, theirs), {})

    def get_search_results(self, request: HttpRequest, rows: QuerySet, typed: str) -> tuple[QuerySet, bool]:
        return searched(request, rows, list(self.get_search_fields(request)), typed), False

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list, or say which filter to narrow when it takes too long."""
        return answered(self, request, lambda: super(OwnRows, self).changelist_view(request, extra_context))


class Configured:
    """What operators look at, and who has `goals.configure` changes."""

    def has_configure_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        user = request.user
        return bool(user.is_staff and user.has_perm("goals.configure"))

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        user = request.user
        return self.has_configure_permission(request) or bool(user.is_staff and is_operator(user))

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    has_add_permission = has_change_permission = has_delete_permission = has_configure_permission


class Rows(Unwritable, TabularInline):
    """Rows beneath their goal: a page of them at a time, each with a link to its own page."""

    extra = 0
    per_page = 10
    tab = True
    show_change_link = True
    hide_title = True
