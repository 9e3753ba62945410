"""A page's script with all that it imports asked for at once, instead of one after the other as each is read."""

import re
from functools import cache
from pathlib import Path

from django import template
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

register = template.Library()
IMPORT = re.compile(r"""^(?:import|export)\b[^;]*?["']\./([\w.-]+\.js)["']""", re.MULTILINE)


@register.simple_tag
def script(name: str) -> SafeString:
    """The script `goals/NAME` as a module, and its imports."""
    loads = format_html_join("", '<link rel="modulepreload" href="{}">', ((static(one),) for one in imported(name)))
    return format_html('{}<script type="module" src="{}"></script>', loads, static(name))


@cache
def imported(name: str) -> tuple[str, ...]:
    """Return what a script imports, and what that imports, each once."""
    found: dict[str, None] = {}
    ahead = [name]
    while ahead:
        one = ahead.pop()
        path = finders.find(one)
        for other in IMPORT.findall(Path(path).read_text()) if path else []:
            address = f"{one.rpartition('/')[0]}/{other}"
            if address not in found and address != name:
                found[address] = None
                ahead.append(address)
    return tuple(found)
