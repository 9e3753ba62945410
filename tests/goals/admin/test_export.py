"""Lists as CSV: what is narrowed is what is downloaded, bounded, and harmless in a spreadsheet."""

import csv
import io
from decimal import Decimal

import pytest
from asgiref.sync import async_to_sync
from django.contrib import admin
from django.utils import timezone

from goals import services
from goals.admin import export
from goals.exceptions import TookTooLong
from goals.models import Goal, Spend
from tests.goals.admin.conftest import console_of

pytestmark = pytest.mark.django_db
GOALS = "/admin/goals/goal/export/"


def read(answer):
    text = b"".join(answer.streaming_content).decode("utf-8")
    assert text.startswith("\ufeff")
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ('=HYPERLINK("https://evil.example")', '\'=HYPERLINK("https://evil.example")'),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\tx", "'\tx"),
        ("\r=1", "'\r=1"),
        ("  =1+1", "'  =1+1"),
        ("\uff1d1", "'\uff1d1"),
        ("a=b", "a=b"),
        (Decimal("-1.5"), Decimal("-1.5")),
        (None, ""),
    ],
)
def test_no_cell_begins_a_formula(value, cell):
    assert export.harmless(value) == cell


def test_goals_are_downloaded_as_the_list_is_narrowed(console, ada, goal):
    evil = services.submit(owner=ada, objective='=cmd|"/c calc"!A1, "quoted"\nSchön')
    services.pause(ada, evil.pk, reason="@later")
    answer = console.get(GOALS, {"status": "paused"})
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"].startswith('attachment; filename="goal-')
    (line,) = read(answer)
    assert line["objective"] == '\'=cmd|"/c calc"!A1, "quoted"\nSchön'
    assert (line["reason"], line["owner"], line["cost_usd"]) == ("'@later", "ada", "0.000000")
    assert {line["id"] for line in read(console.get(GOALS))} == {str(goal.pk), str(evil.pk)}
    assert f'{GOALS}?status=paused"' in console.get("/admin/goals/goal/", {"status": "paused"}).content.decode()


def test_a_download_is_bounded_and_says_so(console, ada, goal, monkeypatch, django_assert_max_num_queries):
    monkeypatch.setattr(export, "MOST_ROWS", 3)
    monkeypatch.setattr(export, "PIECE", 2)
    for number in range(4):
        services.submit(owner=ada, objective=f"More {number}")
    with django_assert_max_num_queries(20) as asked:
        lines = read(console.get(GOALS))
    assert any("LIMIT 4" in query["sql"] for query in asked.captured_queries), "no more is read than is told"
    assert [line["objective"] for line in lines[:3]] == ["More 3", "More 2", "More 1"]
    assert "cut off after 3 rows" in lines[3]["id"]
    assert len(lines) == 4


def test_a_download_that_takes_too_long_is_given_up(console, goal, settings, monkeypatch):
    settings.GOALSITE_SEARCH_SECONDS = 0.05
    slow = Goal.objects.extra(where=["pg_sleep(0.2) IS NOT NULL"])
    monkeypatch.setattr("goals.admin.filters.Needs.narrowed", lambda self, rows, value: slow)
    assert console.get(GOALS, {"needs": "budget"}).status_code == 503
    pieces = admin.site._registry[Goal]._lines(slow, [goal.pk])
    assert "id" in next(pieces)
    with pytest.raises(TookTooLong):
        next(pieces)


def test_who_may_not_look_at_a_page_downloads_nothing_from_it(console, goal, monkeypatch):
    monkeypatch.setattr(type(admin.site._registry[Goal]), "has_view_permission", lambda *_, **__: False)
    assert console.get(GOALS).status_code == 403


def test_nobody_downloads_what_is_somebody_elses(staff, ada, goal):
    Spend.objects.create(hour=timezone.now(), owner=ada, model="=m", usd=Decimal("1.25"))
    assert read(console_of(staff).get(GOALS)) == []
    assert read(console_of(staff).get("/admin/goals/spend/export/")) == []
    assert console_of(ada).get(GOALS).status_code == 302


def test_a_download_is_read_and_not_sent(console, goal):
    assert console.post(GOALS).status_code == 405


def test_spend_is_downloaded(console, ada):
    Spend.objects.create(hour=timezone.now(), owner=ada, model="=m", usd=Decimal("1.25"), calls=2)
    (line,) = read(console.get("/admin/goals/spend/export/"))
    assert (line["model"], line["usd"], line["calls"]) == ("'=m", "1.250000", "2")


def test_a_filter_that_nobody_understands_downloads_nothing(console, goal):
    assert console.get(GOALS, {"id__exact": "seven"}).status_code == 302
    assert Goal.objects.count() == 1


def test_pieces_are_made_one_at_a_time_where_the_server_awaits_them():
    made = []

    def lines():
        for number in range(3):
            made.append(number)
            yield [number]

    async def first():
        pieces = export._awaited(export._pieces(lines()))
        assert await anext(pieces) == "\ufeff"
        assert made == []
        return [piece async for piece in pieces]

    assert async_to_sync(first)() == ["0\r\n1\r\n2\r\n"]
