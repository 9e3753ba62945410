"""What a model or a tool wrote, as a person may see it."""

import re

import pytest

from goals.chat import code
from goals.chat.markdown import render


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "![x](https://example.com/pixel.png)",
        "[x](data:text/html,hello)",
        "<style>*{display:none}</style>",
    ],
)
def test_markdown_brings_no_script_and_nothing_from_elsewhere(text):
    html = render(text)
    assert not any(word in html for word in ("<script", "<img", "<style", 'href="javascript', 'href="data'))


def test_markdown_is_rendered():
    html = render("# A\n\n| a | b |\n|---|---|\n| 1 | *2* |\n\n[x](https://example.com)")
    assert "<h1>A</h1>" in html
    assert "<td><em>2</em></td>" in html
    assert 'rel="noopener noreferrer nofollow"' in html


def test_code_is_coloured_by_its_language_and_can_be_copied():
    html = render('```python\ndef f(): return "<b>"\n```')
    assert '<span class="k">def</span>' in html
    assert "&lt;b&gt;" in html
    assert "data-copy" in html
    assert "<p>python</p>" in html


@pytest.mark.parametrize("fence", ["```nonsense", "```", "```<script>", '```"><b>', "``` __proto__"])
def test_code_in_no_known_language_stays_plain(fence):
    html = render(f"{fence}\nx = 1\n```")
    assert "<code>x = 1\n</code>" in html
    assert "<script" not in html
    assert "<b>" not in html


def test_every_language_that_is_coloured_is_known_and_keeps_the_code():
    for language in code.LANGUAGES:
        assert re.sub("<[^>]*>", "", code.coloured("plain text = 1;\n", language)) == "plain text = 1;\n", language


def test_code_that_a_lexer_chokes_on_stays_plain():
    assert render("```java\n" + "a " * 9000 + "\n```").count("<span") == 0


def test_characters_that_turn_code_around_are_written_out():
    html = render("```python\nif a != 'x\u202e \u2066# y':\n```")
    assert "\u202e" not in html
    assert "<strong>U+202E</strong>" in html


def test_html_can_borrow_none_of_the_page_s_own_marks():
    html = render('<button type="button" data-copy>press</button> <div class="code">x</div>')
    assert "<button" not in html
    assert "<div" not in html


def test_a_wide_table_scrolls_by_itself_and_with_the_keyboard():
    assert '<div class="tablebox" tabindex="0"' in render("| a |\n|---|\n| 1 |")


def test_a_column_of_a_table_is_aligned_without_a_style():
    html = render('| a |\n|--:|\n| 1 |\n\nNot style="text-align:right" here')
    assert '<td class="right">1</td>' in html
    assert "style=" not in html.replace("Not style=", "")
