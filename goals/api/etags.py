"""`ETag` on what is read, `If-None-Match` for 304, `If-Match` on changes: 412 with what has changed meanwhile.

A tag is of the answer's bytes. That of a goal, and of what is read below it, begins with the number of the goal's last
event, that of a conversation with its last message's, that of a question with how far it has come: `If-Match` compares
this version alone, under the row's lock, so that a change is made to what its asker saw or not at all.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.db import transaction
from django.http import HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.http import parse_etags
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from goals.api.problems import Problem

HEADER = "If-Match"
ONLY_FOR = "is for changes of a goal, a question or a conversation"
MOST_TOLD = 50  # changes that a refusal names
NUMBERED = re.compile(r'(?:W/)?"(\d{1,18})-[0-9a-f]{16}"')


def tag(content: bytes, version: int | None = None) -> str:
    """Return the strong tag of an answer."""
    mark = hashlib.sha256(content).hexdigest()[:16]
    return f'"{mark}"' if version is None else f'"{version}-{mark}"'


def tag_response(request: Request, response: Response, version: int | None) -> None:
    """Have the answer tagged once it is rendered; a GET that knows it already gets 304 instead."""

    def rendered(whole: Response) -> HttpResponse | None:
        whole["ETag"] = tag(whole.content, version)
        if request.method not in ("GET", "HEAD"):
            return None
        return get_conditional_response(request._request, etag=whole["ETag"], response=whole)

    response.add_post_render_callback(rendered)


def expected(request: Request) -> list[str] | None:
    """Return the tags of `If-Match`, None when there is none; raises ValidationError."""
    given = request.headers.get(HEADER)
    if given is None:
        return None
    tags = parse_etags(given)
    if not tags or len(given) > 2000:
        raise ValidationError({HEADER: 'must be the ETag that was read, such as "17-0123456789abcdef", or *'})
    return tags


def held(view: Any, tags: list[str], handler: Callable[..., Response]) -> Callable[..., Response]:
    """Return the handler as it is done to what was seen: the row is locked and compared in the same transaction."""

    def work(request: Request, *given: Any, **named: Any) -> Response:
        if "pk" not in named:
            raise ValidationError({HEADER: ONLY_FOR})
        with transaction.atomic():
            view.hold(tags, **named)
            return handler(request, *given, **named)

    return work


def require(tags: Sequence[str], version: int, changes: Callable[[int], list[dict[str, Any]]]) -> None:
    """Raise 412 unless one of the tags has this version; `changes` tells what came after an earlier one."""
    known = list(_versions(tags))
    if "*" in tags or version in known:
        return
    since = max((number for number in known if number < version), default=None)
    told = [] if since is None else changes(since)
    what = ", ".join(dict.fromkeys(str(row.get("kind", row.get("role"))) for row in told)) or "see `version`"
    seen = "this tag is none of it" if since is None else f"since {since}: {what}"
    raise Problem(412, "changed", f"it has changed ({seen}); look at it again", version=version, changed=told)


def _versions(tags: Sequence[str]) -> Iterator[int]:
    for name in tags:
        if found := NUMBERED.fullmatch(name):
            yield int(found[1])
