"""What the templates of a goal's inside share: links to what is inside, marks of states, bounded texts."""

import re
from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator, capfirst

from goals.chat.inside.values import Shown
from goals.chat.standing import title_of
from goals.chat.turning import unturned
from goals.models import Goal

register = template.Library()
COUNTED = re.compile(r"(?P<of>object|array|(?=\d))[{[]?(?P<number>\d+)(?: (?:keys?|chars?))?[\]}]?")
COUNTS = {"object": ("field", "fields"), "array": ("entry", "entries"), "": ("character", "characters")}
MARKS = {
    "achieved": "check",
    "completed": "check",
    "abandoned": "cross",
    "failed": "cross",
    "blocked": "cross",
    "active": "dot",
    "waiting": "ask",
    "skipped": "skip",
}
WORDS = {
    "pending": "Not begun",
    "active": "At work",
    "waiting": "Waiting",
    "blocked": "Blocked",
    "achieved": "Achieved",
    "completed": "Done",
    "abandoned": "Given up",
    "failed": "Failed",
    "skipped": "Left out",
}


@register.simple_tag
def see(goal: Goal, kind: str, row_id: Any, text: Any) -> SafeString:
    """A link to one thing inside the goal, which opens in the sheet where there is one."""
    address = reverse("goal_inside", args=[goal.pk, kind, row_id])
    return format_html(
        '<a data-see="{}/{}" href="{}">{}</a>', kind, row_id, address, Truncator(str(text)).chars(140) or "untitled"
    )


@register.filter
def shaped(shape: str) -> str:
    """How much an artifact holds: "6 fields", "3 entries", "12 characters"; nothing where its size says it."""
    if shape.endswith(("byte", "bytes")):
        return ""
    found = COUNTED.fullmatch(shape)
    if found is None:
        return shape
    number = found["number"]
    one, several = COUNTS[found["of"]]
    return f"{number} {one if number == '1' else several}"


@register.filter
def titled(goal: Goal) -> str:
    """A goal's objective as a title."""
    return title_of(goal)


register.filter("unturned", unturned)


@register.simple_tag
def icon(name: str) -> SafeString:
    return format_html('<svg class="i" aria-hidden="true"><use href="#i-{}"/></svg>', name)


@register.simple_tag
def state(status: str) -> SafeString:
    """A node's state: its mark and its word, coloured."""
    return tone(WORDS.get(status, status), MARKS.get(status, "ring"), status)


@register.simple_tag
def tone(word: str, mark: str, status: str) -> SafeString:
    """A word with a mark, in the colour of a node's state."""
    return format_html('<span class="tone {}">{} {}</span>', status, icon(mark), capfirst(word))


@register.inclusion_tag("chat/inside/long.html")
def long(shown: Shown, goal: Goal, base: str, label: str) -> dict[str, Any]:
    """The beginning of a text, and where the whole is."""
    whole = f"{reverse('goal_page', args=[goal.pk])}{base}/{shown.part}/" if shown.part else ""
    return {"shown": shown, "whole": whole, "label": label}
