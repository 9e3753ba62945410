"""Reports: the named templates on real tool results, and the inline syntax with its bounds."""

import pytest
from markdown_it import MarkdownIt

from goals.tools.errors import ToolInputError
from goals.tools.markdown import code, inline, records_table
from goals.tools.template import render

NASTY = ["a|b", "`x`", "``", "<script>", "line\nbreak", "[x](javascript:y)", "*b*", "_i_", "\\|", "# h", "a\\"]


def html(text: str) -> str:
    return MarkdownIt("commonmark", {"html": True}).enable("table").render(text)


def test_no_cell_changes_the_layout_of_a_table():
    text = records_table([{"a": value, "b": "end"} for value in NASTY])
    shown = html(text)
    assert shown.count("<tr>") == len(NASTY) + 1
    assert shown.count("<td>") == len(NASTY) * 2
    assert "<script>" not in shown
    assert "<a " not in shown
    assert "<em>" not in shown


@pytest.mark.parametrize("value", NASTY)
def test_what_is_escaped_reads_as_it_was(value):
    text = MarkdownIt().parseInline(inline(value))[0].children
    assert "".join(token.content for token in text) == " ".join(value.split())


@pytest.mark.parametrize("value", ["`", "a`b", "``x``", "plain"])
def test_code_reads_as_it_was(value):
    children = MarkdownIt().parseInline(code(value))[0].children
    assert [t.content for t in children if t.type == "code_inline"] == [value]


def test_the_inventory_of_modules(root, call):
    (root / "ok.py").write_text('"""Does things."""\n\ndef run(a, *, b=1) -> int:\n    return a\n\nclass _Own: pass\n')
    (root / "broken.py").write_text("def (:\n")
    (root / "nul.py").write_bytes(b"\0\0")
    (root / "latin.py").write_bytes("# -*- coding: latin-1 -*-\nname = 'ü'\n".encode("latin-1"))
    value = call("inspect_python_modules")
    by_path = {m["path"]: m for m in value["modules"]}
    assert by_path["ok.py"]["functions"][0]["signature"] == "run(a, *, b=1) -> int"
    assert by_path["ok.py"]["missing_docstrings"] == ["run"]
    assert by_path["ok.py"]["classes"] == []
    assert by_path["broken.py"]["error"].startswith("line 1:")
    assert by_path["nul.py"]["error"] == "not text"
    assert by_path["latin.py"]["error"] is None
    text = call("render_report", template="python_inventory", data=value, path="out/inventory.md")["text"]
    assert (root / "out" / "inventory.md").read_text() == text
    for part in ("4 modules", "`ok.py`", "`run(a, *, b=1) -> int`", "Does things.", "## Modules that do not parse"):
        assert part in text


def test_a_module_that_nests_too_deep_is_an_entry(root, call):
    (root / "deep.py").write_text("(" * 5000 + ")" * 5000)
    assert call("inspect_python_modules")["modules"][0]["error"]


def test_links_are_indexed_and_broken_ones_told(root, call):
    (root / "docs").mkdir()
    (root / "docs" / "a.md").write_text(
        "[up](../README.md#top) [gone](no%20where.md) ![p](https://x.org/p.png) <https://y.org>\n"
        "`[no](code.md)`\n```\n[no](fence.md)\n```\n[ref]: /README.md\n[out](../../etc/passwd) [m](mailto:a@b.c)\n"
    )
    (root / "README.md").write_text("[here](#x) [f](docs/a.md)")
    value = call("index_markdown_links")
    found = {(k["target"], k["kind"], k["exists"]) for k in value["links"]}
    assert found == {
        ("../README.md#top", "file", True),
        ("no%20where.md", "file", False),
        ("https://x.org/p.png", "web", None),
        ("https://y.org", "web", None),
        ("/README.md", "file", True),
        ("../../etc/passwd", "file", None),
        ("mailto:a@b.c", "mail", None),
        ("#x", "anchor", None),
        ("docs/a.md", "file", True),
    }
    text = call("render_report", template="link_index", data=value)["text"]
    assert "**1 broken link**" in text
    assert "## Broken links" in text


def test_search_results_are_shown_by_file(root, call):
    (root / "a.txt").write_text("TODO: a | b\nTODO: c\n")
    text = call("render_report", template="search_results", data=call("search_files", query="todo"))["text"]
    assert "**2 matches** in 1 of 1 file searched" in text
    assert "| 1 | `TODO: a \\| b` |" in text


@pytest.mark.parametrize("data", [None, [], {"x": 1}, {"modules": [1], "totals": {}}, "text"])
@pytest.mark.parametrize(
    "template", ["python_inventory", "table_cleaning", "log_triage", "search_results", "link_index"]
)
def test_data_of_another_shape_is_refused_with_the_tool_that_gives_it(call, template, data):
    with pytest.raises(ToolInputError, match="takes the result of"):
        call("render_report", template=template, data=data)


@pytest.mark.parametrize("data", [None, 0, "text", [], [1, "a"], [{"a": 1}], {"a": {"b": {"c": {"d": {"e": 1}}}}}])
def test_the_generic_report_takes_any_data(call, data):
    sections = [{"heading": "More", "text": data, "items": data, "records": data}]
    assert call("render_report", title="T", data=data, sections=sections)["text"].startswith("# T\n")


def test_the_same_report_is_the_same_file(call):
    first = call("render_report", title="T", data={"a": 1})
    assert call("render_report", title="T", data={"a": 1})["sha256"] == first["sha256"]


def test_inline_templates_show_values_lists_and_nothing():
    source = "# {{ t }}\n{{#rows}}\n- {{ name }}: {{ n }} {{ flag }}\n{{/rows}}\n"
    source += "{{^none}}\nnothing\n{{/none}}\n{{ rows |count }}"
    data = {"t": "Hi", "rows": [{"name": "a", "n": 0, "flag": False}, {"name": "b", "n": 1, "flag": True}], "none": 0}
    assert render(source, data) == "# Hi\n- a: 0 false\n- b: 1 true\nnothing\n2"


def test_inline_templates_select_by_path_and_show_tables():
    data = {"a": {"rows": [{"x": "1|2"}]}}
    assert render("{{ a.rows.0.x }} {{#a}}{{ rows|table }}{{/a}}", data) == "1|2 | X |\n| --- |\n| 1\\|2 |"


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("{{ missing }}", "there is no 'missing'; there is a"),
        ("{{#a}}x", "'a' is not closed"),
        ("x{{/a}}", "closes no open section"),
        ("{{ a|upper }}", "filters are table"),
        ("{{ a.__class__ }}", "there is no"),
        ("{{#a}}" * 9 + "{{/a}}" * 9, "at most 8 deep"),
    ],
)
def test_a_wrong_template_says_what_is_wrong(source, says):
    with pytest.raises(ToolInputError, match=says):
        render(source, {"a": 1})


def test_a_template_that_multiplies_is_bounded():
    bomb = "{{#a}}" * 6 + "x" + "{{/a}}" * 6
    data: dict = {"a": [1] * 100}
    with pytest.raises(ToolInputError, match="more than"):
        render(bomb, data)
    with pytest.raises(ToolInputError, match="more than"):
        render("{{ big }}" * 100, {"big": "x" * 100_000})
