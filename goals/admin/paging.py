"""Pages of long lists: counted as far as somebody would turn them, never to the end of a table."""

from typing import Any

from django.core.paginator import Paginator
from django.utils.functional import cached_property

MOST_COUNTED = 10_000


class BoundedPaginator(Paginator):
    """`count` is exact up to `MOST_COUNTED`; what lies behind is found by a filter, not by turning pages."""

    template_name = "admin_goals/pages.html"

    @cached_property
    def counted(self) -> int:
        rows: Any = self.object_list
        return rows.order_by().values("pk")[: MOST_COUNTED + 1].count()

    @cached_property
    def count(self) -> int:  # type: ignore[override]
        return min(self.counted, MOST_COUNTED)

    @property
    def has_more(self) -> bool:
        return self.counted > MOST_COUNTED


class OfferedOrder:
    """A list that is put in no order but those whose columns offer it, whatever the address asks for."""

    def get_ordering_field(self, field_name: str) -> Any:
        return super().get_ordering_field(field_name) if field_name in self.sortable_by else None  # type: ignore[misc]
