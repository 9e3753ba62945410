"""Code in Markdown as HTML: coloured by classes where its language is well known, with a button that copies it."""

import time
from collections.abc import Sequence
from html import escape
from io import StringIO
from typing import Any

from markdown_it.token import Token
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.token import STANDARD_TYPES

from goals.chat.turning import TURNING

LONGEST = 20_000  # characters that are coloured; longer code stays plain
PATIENCE = 0.25  # seconds of the processor: a lexer is a heap of regular expressions, and some text takes minutes
# Only those that many people use are run on what a model has written.
LANGUAGES = frozenset(
    "bash c cpp cs css diff docker dockerfile go html java javascript js json jsx kotlin lua make md "  # noqa: SIM905
    "markdown php powershell py python r ruby rust scss sh shell sql swift toml ts tsx typescript xml yaml yml".split()
)
CLASSES = set(STANDARD_TYPES.values()) - {""}
_formatter = HtmlFormatter(nowrap=True)


def fence(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """The rule for code between fences, whose first word names the language."""
    token = tokens[index]
    words = token.info.split(maxsplit=1)
    return block(token.content, words[0][:30] if words else "")


def indented(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """The rule for code that is indented."""
    return block(tokens[index].content, "")


def block(text: str, language: str) -> str:
    """Return a block of code. `dir` keeps it from being turned around by what is in it."""
    name = f"<p>{escape(language)}</p>" if language else ""
    head = f'{name}<button type="button" data-copy>Copy</button>'
    shown = seen(coloured(text, language))
    return f'<div class="code" dir="ltr">{head}<pre tabindex="0"><code>{shown}</code></pre></div>\n'


def seen(html: str) -> str:
    """Return code in which the characters that turn text around are written out."""
    return TURNING.sub(lambda found: f"<strong>U+{ord(found[0]):04X}</strong>", html)


def coloured(text: str, language: str) -> str:
    """Return code as HTML, each token in a span of a class of `code.css`."""
    if language.lower() not in LANGUAGES or len(text) > LONGEST:
        return escape(text)
    lexer = get_lexer_by_name(language.lower(), stripnl=False)
    give_up_at = time.thread_time() + PATIENCE
    tokens = []
    for token in lexer.get_tokens(text):
        if time.thread_time() > give_up_at:
            return escape(text)
        tokens.append(token)
    out = StringIO()
    _formatter.format(tokens, out)
    return out.getvalue()
