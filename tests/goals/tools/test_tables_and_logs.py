"""CSV files and logs as they come: every row and every error is kept or told of."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goals.tools.errors import ToolInputError
from goals.tools.log_entries import moment
from goals.tools.logs import normalise
from goals.tools.table import CleanTableInput, clean

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
    return clean(text, CleanTableInput(path="t.csv", **options))


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
    assert table(f"k\tv\n{lines}\n", drop_duplicates=False).columns()[1]["type"] == kind


def test_a_value_that_does_not_fit_its_column_stays_and_is_told():
    cleaning = table("k,v\n" + "".join(f"a{n},{n}\n" for n in range(20)) + "b,oops\n")
    assert cleaning.records[-1]["v"] == "oops"
    assert cleaning.report()["invalid_values"] == [{"line": 22, "column": "v", "value": "oops"}]


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


LOG = """2026-11-21 10:00:00,123 INFO app started pid 12
2026-11-21 10:00:01,123 ERROR app.db: connection to 10.0.0.1:5432 failed after 30 s
2026-11-21 10:00:02,123 ERROR app.db: connection to 10.0.0.2:5432 failed after 31 s
2026-11-21 10:00:03,123 ERROR request failed
Traceback (most recent call last):
  File "x.py", line 1, in f
ValueError: bad 12

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "x.py", line 3, in f
KeyError: 'x'
2026-11-21 10:00:04,123 INFO fine
Traceback (most recent call last):
  File "x.py", line 9, in main
RuntimeError: uncaught
2026-11-21 10:00:05,123 WARNING slow
"""


def groups(call, **arguments):
    value = call("group_log_errors", **arguments)
    return {(g["message"], g["exception"]): g for g in value["groups"]}, value


def test_errors_that_differ_only_in_numbers_are_one_group(root, call):
    (root / "app.log").write_text(LOG)
    found, value = groups(call)
    failed = found["app.db: connection to <ip> failed after <n> s", ""]
    assert (failed["count"], failed["first"], failed["last"]) == (2, "2026-11-21 10:00:01", "2026-11-21 10:00:02")
    assert value["levels"] == {"error": 4, "warning": 1, "info": 2}
    assert value["total"] == 4


def test_a_traceback_belongs_to_its_entry(root, call):
    (root / "app.log").write_text(LOG)
    found, _ = groups(call)
    assert found["request failed", "KeyError"]["examples"][0]["text"].endswith("KeyError: 'x'")
    assert found["RuntimeError: uncaught", ""]["first"] == "2026-11-21 10:00:04"


@pytest.mark.parametrize(
    ("line", "message", "exception"),
    [
        ("Nov 21 10:00:05 host app[12]: error: disk full", "host app[<n>] disk full", ""),
        ('1.2.3.4 - - [21/Nov/2026:10:00:06 +0100] "GET /a?x=1 HTTP/1.1" 502 12', "GET /a", "HTTP 502"),
        ('{"level":"error","msg":"boom 12","time":"2026-11-21T10:00:07Z"}', "boom <n>", ""),
        ("[2026-11-21T10:00:08Z] [ERROR] [w-1] job 15 died", "[w-<n>] job <n> died", ""),
        ("[Sat Nov 21 10:00:00.123 2026] [core:error] [pid 1] AH001: nope", "[pid <n>] AH001: nope", ""),
        ("E1121 10:00:00.123456 12 main.cc:12] it broke", "it broke", ""),
        ("ERROR: it broke", "it broke", ""),
        ("level=error msg=broke", "msg=broke", ""),
        ('time="2026-11-21T10:00:00Z" level=fatal msg=broke', "msg=broke", ""),
        ("java.lang.IllegalStateException: no", "java.lang.IllegalStateException: no", ""),
    ],
)
def test_the_usual_forms_of_logs_are_read(root, call, line, message, exception):
    (root / "x.log").write_text(line + "\n")
    found, _ = groups(call)
    assert list(found) == [(message, exception)]


def test_what_is_no_error_is_not_one(root, call):
    (root / "x.log").write_text("10:00:00 INFO 0 errors found\n10:00:01 INFO error rate 0\nplain text\n")
    assert groups(call)[1]["total"] == 0


def test_a_folder_without_usual_names_is_read_whole_and_binaries_told(root, call):
    (root / "syslog").write_text("ERROR: x\n")
    (root / "old.gz").write_bytes(b"\x1f\x8b\0\0")
    _, value = groups(call)
    assert value["total"] == 1
    assert "binary" in value["problems"][0]["problem"]


def test_one_file_is_read_by_its_name(root, call):
    (root / "x.txt").write_text("ERROR: x\nERROR: x\n")
    found, _ = groups(call, path="x.txt")
    assert found["x", ""]["count"] == 2
    value = call("group_log_errors", path="x.txt")
    text = call("render_report", template="log_triage", data=value)["text"]
    assert "**2 errors of 1 kind** in 2 lines of 1 file" in text


@given(st.binary(max_size=300))
@settings(max_examples=100, deadline=None)
def test_no_bytes_break_the_reading_of_a_log(data):
    from goals.tools.log_entries import read_entries
    from goals.tools.text import decode, lines_of

    for entry in read_entries(lines_of(decode(data).text)):
        entry.exception()
        normalise(entry.message)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("2026-11-21T10:00:00+02:00", "2026-11-21 08:00:00Z"),
        ("2026/11/21 10:00:00", "2026-11-21 10:00:00"),
        ("Nov  1 10:00:00", "11-01 10:00:00"),
        ("nonsense", ""),
    ],
)
def test_times_become_sortable(text, plain):
    assert moment(text) == plain
