"""CSV files as they come: every row and every value is kept or told of."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goals.tools.errors import ToolInputError
from goals.tools.table import CleanTableInput
from goals.tools.table_cleaning import clean

EXPORT = (
    "Report of sales\n\nName;Straße;Amount (€);Datum;ok\n"
    'Änne;"a; b";1.234,50;03.04.2026;yes\nBob;x;12,00;13.04.2026;no\nBob;x;12,00;13.04.2026;no\n'
    ';;;;\nbad;row\n"unclosed;x;1,0;13.04.2026;no\nZed;"two\nlines";n/a;14.04.2026;no\n'
)


def test_an_export_is_cleaned_and_told_about(root, call):
    (root / "export.csv").write_bytes(EXPORT.encode("cp1252"))
    value = call("clean_table", path="export.csv", output="out/clean.json")
    records = json.loads((root / "out" / "clean.json").read_text())
    assert records == value["records"]
    assert [r["name"] for r in records] == ["Änne", "Bob", "Zed"]
    assert records[0] == {"name": "Änne", "straße": "a; b", "amount": 1234.5, "datum": "2026-04-03", "ok": True}
    assert records[2]["straße"] == "two\nlines"
    assert records[2]["amount"] is None
    report = value["report"]
    assert [(b["line"], b["problem"]) for b in report["bad_rows"]] == [
        (1, "stands before the table"),
        (8, "has 2 cells, not 5"),
        (9, "a quotation mark is not closed"),
    ]
    assert (report["encoding"], report["delimiter"], report["header"]) == ("cp1252", "semicolon", "line 3")
    text = call("render_report", template="table_cleaning", data=value)["text"]
    assert "**3 records kept of 8 rows read** (3 bad, 1 blank, 1 duplicate)" in text


def table(text, **options):
    given = CleanTableInput(path="t.csv", **options)
    return clean(text, **given.model_dump(exclude={"output", "chosen_from"}))


@given(st.text(alphabet='ab1,;"\n\t |', max_size=200))
@settings(max_examples=200, deadline=None)
def test_no_row_is_lost_whatever_the_text_is(text):
    try:
        cleaning = table(text)
    except ToolInputError:
        return
    report = cleaning.report()
    lost = report["blank_rows"] + report["duplicate_rows"] + report["bad_row_count"]
    assert report["rows_read"] == report["rows_kept"] + lost
    assert len(cleaning.records) == report["rows_kept"]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "-2", "30"], "integer"),
        (["01", "02"], "text"),
        (["1.5", "2"], "number"),
        (["1,234.5", "2"], "number"),
        (["1,5", "2,25"], "number (decimal comma)"),
        (["2026-01-02"], "date"),
        (["03/04/2026"], "text (dates of unclear order)"),
        (["03/14/2026", "03/04/2026"], "date (month/day/year)"),
        (["yes", "No"], "boolean"),
        (["yes", "maybe"], "text"),
        (["n/a", ""], "text"),
        (["9" * 30], "text"),
    ],
)
def test_types_are_found(values, kind):
    lines = "\n".join(f'x\t"{value}"' for value in values)
    assert table(f"k\tv\n{lines}\n", drop_duplicates=False).columns[1].kind.name == kind


def test_a_value_that_does_not_fit_its_column_stays_and_is_told():
    cleaning = table("k,v\n" + "".join(f"a{n},{n}\n" for n in range(20)) + "b,oops\n")
    assert cleaning.records[-1]["v"] == "oops"
    assert cleaning.report()["invalid_values"] == [
        {"line": 22, "column": "v", "value": "oops", "problem": "is not a number"}
    ]


def test_names_are_made_usable_and_each_once():
    names = table("A b,A-b,,2024 €\nq,r,s,t\n", header="first_row").names
    assert names == ["a_b", "a_b_2", "column_3", "column_2024"]


def test_the_work_grows_with_the_rows_not_with_their_square():
    """Twenty times the rows take about twenty times the time; with the square it would be four hundred times."""

    def seconds(rows):
        text = "k,v\n" + "".join(f"a{n},{n}\n" for n in range(rows))
        started = time.process_time()
        table(text)
        return time.process_time() - started

    seconds(100)
    assert seconds(40_000) < max(seconds(2_000), 0.005) * 100


def test_a_table_without_a_header_has_numbered_columns():
    assert table("1,2\n3,4\n").records == [{"column_1": 1, "column_2": 2}, {"column_1": 3, "column_2": 4}]


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\0\0\0"])
def test_a_file_without_rows_is_refused(root, call, data):
    (root / "t.csv").write_bytes(data)
    with pytest.raises(ToolInputError):
        call("clean_table", path="t.csv")


def test_the_file_that_is_read_is_never_written_over(root, call):
    (root / "t.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ToolInputError, match="must not be the file that is read"):
        call("clean_table", path="t.csv", output="./t.csv")
