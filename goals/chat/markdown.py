"""Markdown as a person may see it: no raw HTML, no scripts, nothing loaded from elsewhere."""

import re
from functools import lru_cache
from typing import Any

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

from goals.chat import code

LONGEST = 200_000
KEPT = 20_000  # characters up to which a rendered text is remembered: a page is rendered again at each event
TAGS = set(
    "p br hr h1 h2 h3 h4 h5 h6 strong em del s code pre blockquote ul ol li a table thead tbody tr th td "  # noqa: SIM905
    "div span button".split()
)
ATTRIBUTES = {
    "a": {"href", "title"},
    "ol": {"start"},
    "div": {"dir", "tabindex", "role", "aria-label"},
    "pre": {"tabindex"},
    "button": {"type", "data-copy"},
}
SIDES = {"left", "right", "center"}
CLASSES = {"div": {"code", "tablebox"}, "span": code.CLASSES, "th": SIDES, "td": SIDES}
ALIGNED = re.compile(' style="text-align:(left|right|center)"')  # the page allows no styles of its own in HTML


def _table_open(renderer: Any, *_: Any) -> str:
    return '<div class="tablebox" tabindex="0" role="group" aria-label="Table"><table>\n'


def _table_close(renderer: Any, *_: Any) -> str:
    return "</table></div>\n"


_parser = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])
for _name, _rule in {
    "fence": code.fence,
    "code_block": code.indented,
    "table_open": _table_open,
    "table_close": _table_close,
}.items():
    _parser.add_render_rule(_name, _rule)


def render(text: str) -> SafeString:
    """Return safe HTML. Images are dropped: a picture from elsewhere would tell that it was looked at."""
    return _remembered(text) if len(text) <= KEPT else _rendered(text[:LONGEST])


def _rendered(text: str) -> SafeString:
    html = ALIGNED.sub(r' class="\1"', _parser.render(text))
    return mark_safe(  # noqa: S308 - cleaned by nh3
        nh3.clean(
            html,
            tags=TAGS,
            attributes=ATTRIBUTES,
            allowed_classes=CLASSES,
            url_schemes={"http", "https", "mailto"},
            link_rel="noopener noreferrer nofollow",
        )
    )


_remembered = lru_cache(maxsize=512)(_rendered)
