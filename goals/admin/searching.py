"""What is typed into a list's search: (the beginning of) an id is looked up, words are looked for in texts."""

import re
from functools import reduce
from operator import and_, or_
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest

LONGEST = 200
MOST_WORDS = 10
ID_BEGINS = re.compile(r"[0-9a-f]{8}(-[0-9a-f-]{0,28})?", re.IGNORECASE)
DIGEST = re.compile(r"[0-9a-f]{64}(:\d{1,9})?")


def searched(request: HttpRequest, rows: QuerySet, fields: list[str], typed: str) -> QuerySet:
    """Return the rows found. A field that begins with `=` holds an id or a digest; the others hold texts."""
    typed = typed.strip()
    if not typed:
        return rows
    if len(typed) > LONGEST:
        messages.error(request, f"q: {len(typed)} characters; at most {LONGEST} can be searched for")
        return rows.none()
    exact = [name[1:] for name in fields if name.startswith("=")]
    texts = [name for name in fields if not name.startswith("=")]
    if ID_BEGINS.fullmatch(typed):
        begins = typed.replace("-", "").lower()[:32]
        between = [UUID(begins.ljust(32, "0")), UUID(begins.ljust(32, "f"))]
        return _any(rows, {f"{name}__range": between for name in exact if name.endswith("id")})
    if DIGEST.fullmatch(typed):
        return _any(rows, {name: typed for name in exact if not name.endswith("id")})
    if not texts:
        return rows.none()
    words = [reduce(or_, (Q(**{f"{name}__has_words": word}) for name in texts)) for word in typed.split()]
    return rows.filter(reduce(and_, words[:MOST_WORDS]))


def _any(rows: QuerySet, wanted: dict[str, Any]) -> QuerySet:
    return rows.filter(reduce(or_, (Q(**{name: value}) for name, value in wanted.items()))) if wanted else rows.none()
