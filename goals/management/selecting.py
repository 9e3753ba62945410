"""Which goals a command is about: ids or beginnings of them, or a selection by state, owner, age and reason."""

import re
from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import reduce
from operator import or_
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import Q, QuerySet
from django.utils import timezone

from goals import validation
from goals.exceptions import InvalidInput, NotFound
from goals.models import Goal
from goals.states import GoalStatus

MOST = 500
AGE = re.compile(r"([0-9]{1,6})([smhdw])")
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
OLDEST = 1000 * SECONDS["w"]
PREFIX = re.compile(r"[0-9a-f]{1,32}")
SHOWN = 5
NAMED_REASONS = ("paused_for", "waits_for", "outcome")


def add_ids(parser: Any, *, most: str = "*") -> None:
    parser.add_argument("goals", nargs=most, metavar="ID", help="a goal's id, or an unambiguous beginning of it")


def add_selection(parser: Any, *, everything: str = "") -> None:
    """Add what selects goals; `everything` says what `--all` means, where there is one."""
    group = parser.add_argument_group("selection (what is given must all hold)")
    group.add_argument("--state", action="append", choices=GoalStatus.values, help="may be given several times")
    group.add_argument("--owner", metavar="USERNAME")
    group.add_argument("--reason", metavar="TEXT", help="why it rests or ended: budget, error, question; or its words")
    group.add_argument("--older", metavar="AGE", help="made longer ago: 90s, 30m, 12h, 7d, 2w")
    group.add_argument("--newer", metavar="AGE", help="made since")
    if everything:
        group.add_argument("--all", action="store_true", help=everything)


def selects(options: dict[str, Any]) -> bool:
    """Whether anything was said that selects."""
    return any(options.get(name) for name in ("state", "owner", "reason", "older", "newer", "all"))


def chosen(
    person: Any, options: dict[str, Any], *, among: Iterable[str] = (), order: Sequence[str] = ("created_at", "pk")
) -> list[Goal]:
    """Return the goals that were named, or those selected `among` these states, at most `MOST`.

    Raises InvalidInput when nothing was said, or both; NotFound for an id that there is not.
    """
    if options["goals"] and selects(options):
        raise InvalidInput({"ID": "name goals or select them (--state, --owner, …, --all), not both"})
    if options["goals"]:
        return [*dict.fromkeys(goal_of(person, text) for text in options["goals"])]
    if not selects(options):
        raise InvalidInput({"ID": "name goals, or select them by --state, --owner, --reason, --older, --newer, --all"})
    rows = selection(person, options)
    among = list(among)
    return list((rows.filter(status__in=among) if among else rows).order_by(*order)[:MOST])


def beyond(goals: Sequence[Goal]) -> str:
    """Return what is to be said where a selection may go on beyond the goals that were taken; empty elsewhere."""
    return f"at most {MOST} goals are taken at once; narrow the selection to reach others" if len(goals) == MOST else ""


def selection(person: Any, options: dict[str, Any]) -> QuerySet[Goal]:
    """Return the goals of a selection that this person may see; raises InvalidInput with every error."""
    now = timezone.now()
    owner, reason, older, newer = validation.collect(
        lambda: _person("--owner", options.get("owner")),
        lambda: validation.text("--reason", options.get("reason"), most=200),
        lambda: age("--older", options.get("older")),
        lambda: age("--newer", options.get("newer")),
    )
    rows = Goal.objects.owned_by(person)
    if options.get("state"):
        rows = rows.filter(status__in=options["state"])
    if owner:
        rows = rows.filter(owner__username=owner)
    if reason:
        rows = rows.filter(_because(reason))
    if older is not None:
        rows = rows.filter(created_at__lt=now - older)
    if newer is not None:
        rows = rows.filter(created_at__gte=now - newer)
    return rows


def age(flag: str, text: str | None) -> timedelta | None:
    """Return a length of time; raises InvalidInput."""
    if text is None:
        return None
    found = AGE.fullmatch(text)
    seconds = int(found[1]) * SECONDS[found[2]] if found else 0
    if found is None or seconds > OLDEST:
        raise InvalidInput({flag: f"{text[:40]!a} must be an age such as 90s, 30m, 12h, 7d or 2w, at most 1000w"})
    return timedelta(seconds=seconds)


def _person(flag: str, name: str | None) -> str:
    """Return the name of somebody whom there is, or nothing; raises InvalidInput."""
    given = validation.text(flag, name, most=150)
    if given and not get_user_model().objects.filter(username=given).exists():
        raise InvalidInput({flag: f"there is nobody called {given[:80]!a}"})
    return given


def goal_of(person: Any, text: str) -> Goal:
    """Return the one goal whose id begins so; raises NotFound, or InvalidInput that lists the first of several."""
    return by_prefix(Goal.objects.owned_by(person), text, "goal")


def by_prefix(rows: QuerySet, text: str, what: str) -> Any:
    """Return the one row whose id begins so, dashes or not."""
    letters = text.strip().lower().replace("-", "")
    if not PREFIX.fullmatch(letters):
        raise NotFound(f"there is no {what} {text[:80]!a}")
    found = list(beginning(rows, letters).order_by("pk")[: SHOWN + 1])
    if not found:
        raise NotFound(f"there is no {what} {text[:80]}")
    if len(found) > 1:
        listed = ", ".join(str(row.pk) for row in found[:SHOWN]) + (", …" if len(found) > SHOWN else "")
        raise InvalidInput({"ID": f"{text} is the beginning of several: {listed}; write more of it"})
    return found[0]


def beginning(rows: QuerySet, letters: str) -> QuerySet:
    """Return the rows whose id begins with these hexadecimal letters; the key's index finds them."""
    return rows.filter(pk__gte=UUID(letters.ljust(32, "0")), pk__lte=UUID(letters.ljust(32, "f")))


def _because(reason: str) -> Q:
    words: Sequence[Q] = [Q(**{name: reason}) for name in NAMED_REASONS]
    return reduce(or_, words, Q(reason__icontains=reason))
