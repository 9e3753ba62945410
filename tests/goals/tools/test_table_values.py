"""What the cells of a table become: nothing is lost silently, and the report says what does not fit, and where."""

import json

import pytest

ORDERS = """id,Name,Order date,Amount,Note
1,"Smith, John",2026-01-05,12.50,"said ""hi\"""

2,Ann,05/02/2026,"1,234.00",ok
3,Bob,2026-02-30,9.99,bad date
1,"Smith, John",2026-01-05,12.50,"said ""hi\"""
4,,2026-03-01,abc,no name
5,Eve,31.12.2025,-3,"multi
line"
6,Zoë,yesterday,4.00,x
7,Short
   
9, Trim ,2026-01-09, 7 ,  sp  
10,Nul,2026-01-10,NaN,nan
11,Inf,2026-01-11,1e400,inf
12,Bool,2026-01-12,007,lead
12,Dup id,2026-01-13,3,dupid
"""


def cleaned(root, call, text, **options):
    (root / "t.csv").write_text(text)
    value = call("clean_table", path="t.csv", **options)
    return value, call("render_report", template="table_cleaning", data=value)["text"]


def column(root, call, values, name="v"):
    """A table of one column of these values; gives the column, its values in the records, and the report."""
    value, text = cleaned(root, call, f"{name}|w\n" + "".join(f"{v}|w{n}w x\n" for n, v in enumerate(values)))
    return value["columns"][0], [r[name] for r in value["records"]], text


def test_a_messy_table_is_validated_value_by_value(root, call):
    value, text = cleaned(root, call, ORDERS, output="clean.json")
    records = json.loads((root / "clean.json").read_text())
    assert [r["order_date"] for r in records[:5]] == [
        "2026-01-05", "05/02/2026", "2026-02-30", "2026-03-01", "2025-12-31",
    ]  # fmt: skip
    assert [r["amount"] for r in records] == [12.5, 1234.0, 9.99, "abc", -3.0, 4.0, 7.0, None, "1e400", "007", 3.0]
    assert {c["name"]: (c["type"], c["misfits"]) for c in value["columns"]} == {
        "id": ("integer", 0),
        "name": ("text", 0),
        "order_date": ("date", 3),
        "amount": ("number", 3),
        "note": ("text", 0),
    }
    found = [(m["line"], m["column"], m["value"], m["problem"]) for m in value["report"]["invalid_values"]]
    assert found == [
        (4, "order_date", "05/02/2026", "may be day/month or month/day"),
        (5, "order_date", "2026-02-30", "is not in the calendar"),
        (7, "amount", "abc", "is not a number"),
        (10, "order_date", "yesterday", "is not a date"),
        (15, "amount", "1e400", "is larger or more precise than a number can be kept"),
        (16, "amount", "007", "has leading zeros"),
    ]
    for part in (
        "**11 records kept of 15 rows read** (1 bad, 2 blank, 1 duplicate); **6 values** do not fit.",
        "In `clean.json` they stay the text that they are.",
        "| 5 | `order_date` | `2026-02-30` | is not in the calendar |",
        "1 value of column order_date was read as date (day.month.year): 31.12.2025 in line 8 is 2025-12-31.",
        "1 cell became empty, since it says that there is no value: amount: NaN (1).",
        "Kept as text, although it may say that there is no value: note: nan (1).",
        "Spaces around 3 values were taken away: line 13.",
        "1 duplicate row was dropped: line 6 repeats line 2.",
        "2 blank rows were dropped: lines 3, 12.",
        "Column id looks like an identifier, but 1 value stands in more than one row: 12 (lines 16, 17).",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("Name;Date;Name", ["name", "date", "name_2"]),
        ("Größe;Datum;Größe", ["größe", "datum", "größe_2"]),
    ],
)
def test_a_repeated_name_leaves_the_header_a_header(root, call, header, names):
    (root / "t.csv").write_bytes(f"{header}\nx;01.02.2026;y\nz;13.02.2026;w\n".encode("latin-1"))
    value = call("clean_table", path="t.csv")
    assert list(value["records"][0]) == names
    assert value["report"]["header"] == "line 1"
    old, new = header.split(";")[0], f"{names[0]}, {names[2]}"
    assert f"The header names 2 columns {old}; they are called {new}." in value["report"]["notes"]


def test_in_a_text_column_a_word_is_never_taken_for_nothing(root, call):
    found, values, text = column(root, call, ["Ann", "NA", "None", "nan", "N/A", "-", "-", ""])
    assert values == ["Ann", "NA", "None", "nan", None, None, None, None]
    assert (found["filled"], found["empty"]) == (4, 4)
    assert "3 cells became empty, since they say that there is no value: v: - (2), N/A (1)." in text
    assert "Kept as text, although it may say that there is no value: v: NA (1), None (1), nan (1)." in text


@pytest.mark.parametrize("others", [["1", "2"], ["2026-01-01", "2026-01-02"], ["yes", "no"], []])
def test_in_any_other_column_every_spelling_of_nothing_is_empty_and_counted(root, call, others):
    found, values, text = column(root, call, [*others, "NA", "None", "null", "N/A"])
    assert values[-4:] == [None] * 4
    assert (found["filled"], found["empty"]) == (len(others), 4)
    assert (
        "4 cells became empty, since they say that there is no value: v: NA (1), None (1), null (1), N/A (1)." in text
    )


@pytest.mark.parametrize(
    ("values", "kind", "misfits"),
    [
        (["1", "2", "3", "4", "x"], "integer", 1),
        (["1", "2", "3", "x"], "text", 0),
        (["1", "2.5", "3", "4", "x"], "number", 1),
        (["12", "3,50", "1.234"], "number (decimal comma)", 0),
        (["01234", "98765", "12345"], "text", 0),
        (["98765", "12345", "45678", "23456", "34567", "01234"], "text", 0),
        (["+491701234567", "+491701234568"], "text", 0),
        (["1", "22", "333", "4444", "5", "6", "007"], "integer", 1),
        (["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04", "soon"], "date", 1),
        (["2026-01-01", "2026-01-02", "2026-13-01", "2026-02-30", "2026-02-29"], "text", 0),
        (["13/04/2026", "05/04/2026", "2026-04-01"], "date (day/month/year)", 0),
        (["13/04/2026", "04/13/2026", "05/04/2026", "2026-04-01"], "date (day/month/year)", 1),
        (["05/05/2026"], "date (day/month/year)", 0),
        (["05/04/2026", "06/04/2026"], "text (dates of unclear order)", 0),
        (["1.2.3", "1.2.4"], "text", 0),
        (["10.0.0.1", "10.0.0.2"], "text", 0),
        (["yes", "no", "yes", "no", "maybe"], "text", 0),
    ],
)
def test_a_column_is_what_most_of_its_values_are(root, call, values, kind, misfits):
    found, records, _ = column(root, call, values)
    assert (found["type"], found["misfits"]) == (kind, misfits)
    assert None not in records


def test_what_the_type_leaves_unclear_is_named(root, call):
    assert "day and month are unclear (05/04/2026), so it stays text" in column(root, call, ["05/04/2026"])[2]
    assert "1,234 was read as 1234" in column(root, call, ["1,234", "5"])[2]
    assert "was read as" not in column(root, call, ["1,234.5", "5"])[2]
    assert "taken as codes" in column(root, call, ["01", "02"])[2]


def test_the_lists_are_bounded_and_the_counts_are_not(root, call):
    rows = (
        "".join(f"{n},{n},x{n}y z\n" for n in range(4000))
        + "bad,worse,q r\n" * 1
        + "".join(f"bad{n},worse{n},q r\n" for n in range(600))
    )
    value, text = cleaned(root, call, f"a,b,c\n{rows}\n\n")
    assert value["report"]["invalid_value_count"] == 1202
    assert len(value["report"]["invalid_values"]) == 40
    assert {m["column"] for m in value["report"]["invalid_values"]} == {"a", "b"}
    assert "(1,162 more are not shown.)" in text


def test_many_dropped_rows_are_named_by_the_first_few(root, call):
    _, text = cleaned(root, call, "a,b\n" + "1,2\n" * 50 + "\n" * 30)
    assert "49 duplicate rows were dropped: line 3 repeats line 2," in text
    assert "and 39 more." in text
    assert "30 blank rows were dropped: lines 52, 53," in text


@pytest.mark.parametrize(
    ("name", "values", "told"),
    [
        ("id", ["1", "2", "3", "4", "4"], True),
        ("sku", ["ab-1", "ab-2", "ab-3", "cd-4", "cd-4"], True),
        ("id", ["1", "1", "2", "2", "3"], False),
        ("person", ["Ann", "Bob", "Eve", "Zoë", "Zoë"], False),
        ("weight", ["1.5", "2.5", "3.5", "4.5", "4.5"], False),
        ("id", ["1", "2", "3", "4", "5"], False),
    ],
)
def test_an_identifier_that_repeats_is_remarked_on(root, call, name, values, told):
    assert ("looks like an identifier" in column(root, call, values, name)[2]) is told


def test_the_file_that_was_the_only_choice_is_told(root, call):
    _, text = cleaned(root, call, "a,b\n1,2\n", chosen_from=["t.csv"])
    assert "- **File**: t.csv (the only one in the folder)" in text
    assert "- **File**: t.csv (one of 2)" in cleaned(root, call, "a,b\n1,2\n", chosen_from=["t.csv", "u.csv"])[1]
