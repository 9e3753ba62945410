"""Markdown as a person may see it: no raw HTML, no scripts, nothing loaded from elsewhere."""

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

LONGEST = 200_000
TAGS = set(
    "p br hr h1 h2 h3 h4 h5 h6 strong em del s code pre blockquote ul ol li a table thead tbody tr th td".split()  # noqa: SIM905
)
ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}
_parser = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])


def render(text: str) -> SafeString:
    """Return safe HTML. Images are dropped: a picture from elsewhere would tell that it was looked at."""
    html = _parser.render(text[:LONGEST])
    return mark_safe(  # noqa: S308 - cleaned by nh3
        nh3.clean(
            html,
            tags=TAGS,
            attributes=ATTRIBUTES,
            url_schemes={"http", "https", "mailto"},
            link_rel="noopener noreferrer nofollow",
        )
    )
