"""Logs as they come: every error is counted once and named, and what is not one is none."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goals.tools.errors import ToolInputError
from goals.tools.log_entries import moment, read_entries
from goals.tools.log_groups import normalise
from goals.tools.text import decode, lines_of
from tests.goals.tools.conftest import call_tool

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
    assert found["RuntimeError: uncaught", "RuntimeError"]["first"] == "2026-11-21 10:00:04"


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
        (
            "java.lang.IllegalStateException: no",
            "java.lang.IllegalStateException: no",
            "java.lang.IllegalStateException",
        ),
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
    for entry in read_entries(lines_of(decode(data).text)):
        entry.raised()
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


def answered(status, n=0):
    return f'1.2.3.4 - - [21/Nov/2026:10:00:06 +0100] "GET /a/{n} HTTP/1.1" {status} 12 "-" "curl"\n'


def report(call, value):
    return call("render_report", template="log_triage", data=value)["text"]


def test_only_answers_of_5xx_are_errors_and_the_report_says_so(root, call):
    (root / "access.log").write_text("".join(answered(s) for s in (200, 200, 301, 404, 404, 404, 500, 503, 503)))
    found, value = groups(call)
    assert {key: group["count"] for key, group in found.items()} == {("GET /a/<n>", "HTTP 503"): 2} | {
        ("GET /a/<n>", "HTTP 500"): 1
    }
    assert value["levels"] == {"error": 3, "warning": 3, "info": 3}
    assert value["files"][0]["errors"] == value["total"] == 3
    text = report(call, value)
    assert "Answers in access logs: 2 of 2xx, 1 of 3xx, 3 of 4xx, 3 of 5xx." in text
    assert "Those of 5xx count as errors, of 4xx as warnings" in text
    assert "GET /a/\\<n> (HTTP 503)" in text


FRAMES = "".join(f"\tat com.x.Y.run{n}(Y.java:{n})\n" for n in range(6))
CAUSE = "Caused by: java.io.IOException: disk\n\tat Z(Z.java)\n\t... 2 more\n"
JAVA = f"java.lang.IllegalStateException: bad 1\n{FRAMES}{CAUSE}"


@pytest.mark.parametrize(
    "head",
    [
        "2026-11-01 10:0{n}:00.000 ERROR [main] Y - Boom",
        "ERROR [main] Y - Boom",
        "10:0{n}:00 SEVERE [main] Y - Boom",
    ],
)
def test_a_java_error_and_its_trace_are_one_error_with_its_root_cause(root, call, head):
    """Nine lines of ten have no time, and the exception's own line begins at the margin."""
    (root / "java.log").write_text("".join(f"{head.format(n=n)}\n{JAVA}" for n in range(5)))
    found, value = groups(call)
    (group,) = found.values()
    assert value["total"] == group["count"] == 5
    assert (group["exception"], group["cause"]) == ("java.lang.IllegalStateException", "java.io.IOException")
    assert "java.lang.IllegalStateException (caused by java.io.IOException)" in report(call, value)
    assert group["examples"][0]["text"].endswith("... 2 more")


def test_long_traces_do_not_make_a_log_an_undated_one(root, call):
    """A line at the margin goes on with a dated entry, however few of all the lines have a time."""
    (root / "a.log").write_text(f"2026-11-01 10:00:00 ERROR no answer\nfrom the other side\n{FRAMES}" * 3)
    found, value = groups(call)
    assert value["levels"] == {"error": 3}
    assert "from the other side" in found["no answer", ""]["examples"][0]["text"]


def test_java_traces_without_a_line_before_them_are_counted_one_by_one(root, call):
    (root / "err.log").write_text(JAVA * 3)
    found, value = groups(call)
    assert value["total"] == 3
    assert list(found) == [("java.lang.IllegalStateException: bad <n>", "java.lang.IllegalStateException")]


def test_an_undated_exception_after_what_was_fine_is_an_error_of_its_own(root, call):
    (root / "a.log").write_text(f"2026-11-01 10:00:00 INFO started\n{JAVA}2026-11-01 10:00:01 INFO going on\n")
    _, value = groups(call)
    assert value["levels"] == {"error": 1, "info": 2}
    assert value["groups"][0]["first"] == "2026-11-01 10:00:00"


def test_an_exception_that_an_entry_only_mentions_does_not_change_its_level(root, call):
    (root / "a.log").write_text("2026-11-01 10:00:00 INFO TimeoutError: is retried\n")
    assert groups(call)[1]["levels"] == {"info": 1}


def test_pythons_direct_cause_is_the_root_cause(root, call):
    link = "\nThe above exception was the direct cause of the following exception:\n\n"
    trace = 'Traceback (most recent call last):\n  File "x.py", line 1, in f\n'
    (root / "a.log").write_text(f"2026-11-01 10:00:00 ERROR no\n{trace}KeyError: 1\n{link}{trace}a.b.LoadError: 2\n")
    (group,) = groups(call)[1]["groups"]
    assert (group["exception"], group["cause"]) == ("a.b.LoadError", "KeyError")


def test_a_panic_in_a_dated_log_is_an_entry_of_its_own(root, call):
    dated = "2026-11-01 10:00:00 INFO fine\n"
    (root / "a.log").write_text(f"{dated}panic: index out of range\n\ngoroutine 1 [running]:\nmain.go:3\n{dated}")
    found, value = groups(call)
    assert list(found) == [("index out of range", "")]
    assert value["levels"] == {"critical": 1, "info": 2}


def test_the_levels_are_shown_most_serious_first_whatever_their_order(call):
    levels = {"info": 1, "error": 2, "none": 3, "debug": 4, "critical": 5, "warning": 6}
    text = report(call, {"groups": [], "levels": levels, "files": []})
    shown = [line.split("|")[1].strip() for line in text.split("## ")[0].splitlines() if line.startswith("| ")]
    assert shown == ["Level", "---", "critical", "error", "warning", "info", "debug", "none"]


def test_counts_of_one_are_singular(context, root):
    (root / "x.log").write_text("ERROR: x\n")
    assert call_tool(context, "group_log_errors").summary == "1 error of 1 kind in 1 log."


def test_upper_case_names_are_logs_too(root, call):
    (root / "APP.LOG").write_text("no time and no level\n")
    assert groups(call)[1]["files"][0]["path"] == "APP.LOG"


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({}, r"There are no log files in the folder: none is named like \*.log\*\."),
        (
            {"notes.txt": b"Nothing here.\n", "t.csv": b"a,b\n1,2\n", "r.json": b'[\n{"a": 1},\n{"a": 2}\n]\n'},
            r"none is named like \*.log\*, and none of the 3 other files reads like one",
        ),
        ({"old.log.gz": b"\x1f\x8b\0\0"}, r"No log could be read in the folder: old.log.gz is binary"),
    ],
)
def test_without_a_log_there_is_nothing_to_triage(root, call, files, says):
    for name, data in files.items():
        (root / name).write_bytes(data)
    with pytest.raises(ToolInputError, match=says):
        call("group_log_errors")


def test_what_does_not_read_like_a_log_beside_one_that_does_is_told(root, call):
    (root / "syslog").write_text("Nov 21 10:00:05 host app[12]: error: disk full\n")
    (root / "notes.txt").write_text("Nothing here.\n")
    _, value = groups(call)
    assert [f["path"] for f in value["files"]] == ["syslog"]
    assert value["problems"] == [{"path": "notes.txt", "problem": "does not look like a log"}]
