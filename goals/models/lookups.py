"""Lookups that Django does not have."""

from typing import Any

from django.db.models import CharField, TextField
from django.db.models.lookups import Contains


@CharField.register_lookup
@TextField.register_lookup
class HasWords(Contains):
    """`icontains` by ILIKE: Postgres knows of a column, not of its capitals, how frequent a word is."""

    lookup_name = "has_words"

    def get_rhs_op(self, connection: Any, rhs: str) -> str:
        return f"ILIKE {rhs}"
