"""What calls cost, hour by hour: the lines that the dashboard sums up."""

from django.contrib import admin

from goals.admin.base import OwnRows
from goals.admin.export import Exported
from goals.admin.filters import named, owned_over
from goals.models import Spend


@admin.register(Spend)
class SpendAdmin(Exported, OwnRows):
    owner_path = "owner"
    list_display = ["hour", "model", "procedure", "owner", "usd", "calls", "tokens"]
    list_display_links = None
    list_select_related = ["owner"]
    list_filter = [named("model"), named("sop"), owned_over("owner")]
    ordering = ["-hour", "-usd"]
    csv_columns = [
        ("hour", lambda row: row.hour),
        ("owner", lambda row: row.owner),
        ("model", lambda row: row.model),
        ("procedure", lambda row: row.sop),
        ("usd", lambda row: row.usd),
        ("calls", lambda row: row.calls),
        ("tokens", lambda row: row.tokens),
    ]
    fields = ["hour", "owner", ("model", "sop"), ("usd", "calls", "tokens")]

    @admin.display(description="procedure")
    def procedure(self, row: Spend) -> str:
        return row.sop or "–"
