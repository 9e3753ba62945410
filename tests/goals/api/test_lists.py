"""Lists: pages by cursor that neither lose nor repeat a row, filters, orderings and sparse fields."""

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from goals import services
from goals.api.counts import with_counts
from goals.models import Conversation, Goal, Message
from goals.patience import at_most
from sops.models import Sop, SopStatus
from tests.goals.api.conftest import client_of, work_on

pytestmark = pytest.mark.django_db
GOALS = "/api/goals/"
NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


@pytest.fixture
def seven(ada):
    """Goals 0 to 6; 2, 3 and 4 were made in the same instant, and 0, 1 and 5 were cancelled in that order."""
    goals = [services.submit(owner=ada, objective=f"Count to {number}") for number in range(7)]
    for number, goal in enumerate(goals):
        Goal.objects.filter(pk=goal.pk).update(created_at=NOON + timedelta(hours=3 if number in (2, 3, 4) else number))
    for number in (0, 1, 5):
        services.cancel(ada, goals[number].pk)
    return goals


def numbers(page):
    return [int(row["objective"][-1]) for row in page["results"]]


def walk(api, path, link="next", **query):
    """Follow the links to the end; return what each page has."""
    page = api.get(path, query).json()
    pages = [page]
    while page[link]:
        page = api.get(page[link]).json()
        pages.append(page)
    return pages


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8])
@pytest.mark.parametrize("ordering", ["created_at", "-created_at", "finished_at", "-finished_at"])
def test_pages_hold_every_row_once_in_order_and_back_again(api, seven, ordering, size):
    whole = numbers(api.get(GOALS, {"ordering": ordering}).json())
    assert len(whole) == (3 if "finished" in ordering else 7)
    assert (
        whole
        == numbers(api.get(GOALS, {"ordering": ordering.removeprefix("-")}).json())[
            :: -1 if ordering.startswith("-") else 1
        ]
    )
    pages = walk(api, GOALS, ordering=ordering, page_size=size)
    assert [number for page in pages for number in numbers(page)] == whole
    back = walk(api, pages[-1]["previous"], "previous") if pages[-1]["previous"] else []
    assert [number for page in reversed(back) for number in numbers(page)] == whole[
        : -len(pages[-1]["results"])
    ] or not back
    assert (pages[0]["previous"], pages[-1]["next"]) == (None, None)


def test_what_comes_and_goes_meanwhile_neither_repeats_nor_hides_a_row(api, ada, seven):
    first = api.get(GOALS, {"page_size": 3}).json()
    services.submit(owner=ada, objective="Count to 9")
    shown = seven[numbers(first)[-1]]
    Goal.objects.filter(pk=shown.pk).update(created_at=NOON - timedelta(days=1))
    second = api.get(first["next"]).json()
    assert not set(numbers(first)) & set(numbers(second))
    assert numbers(second)[:2] == [number for number in (4, 3, 2, 1, 0) if number not in numbers(first)][:2]


def test_what_changes_while_a_page_is_read_ends_no_walk(api, ada, seven, monkeypatch):
    class Meanwhile(type(Goal.objects.none())):
        def filter(self, *given, **named):
            if "pk__in" in named:
                Goal.objects.filter(pk__in=named["pk__in"]).update(mode="monitor")
            return super().filter(*given, **named)

    monkeypatch.setattr("goals.api.views.goals.with_counts", lambda rows: with_counts(Meanwhile(Goal)))
    page = api.get(GOALS, {"mode": "drive", "page_size": 2}).json()
    assert page["results"] == []
    assert api.get(page["next"]).status_code == 200


def test_a_page_costs_the_same_statements_wherever_it_begins_and_counts_nothing(api, seven, django_assert_num_queries):
    page = api.get(GOALS, {"page_size": 1}).json()
    with CaptureQueriesContext(connection) as first:
        page = api.get(page["next"]).json()
    with django_assert_num_queries(len(first)):
        api.get(GOALS, {"page_size": 200})
    assert not any("COUNT(*)" in query["sql"] for query in first)


def test_a_cursor_belongs_to_its_list_and_its_order(api, seven, question):
    link = api.get(GOALS, {"page_size": 1}).json()["next"]
    cursor = parse_qs(urlsplit(link).query)["cursor"][0]
    for path, query in [
        ("/api/questions/", {}),
        (GOALS, {"ordering": "created_at"}),
        (GOALS, {"cursor": cursor[:-1]}),
    ]:
        answer = api.get(path, {"cursor": cursor, **query})
        assert (answer.status_code, list(answer.json()["errors"])) == (400, ["cursor"]), path


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"outcome": "achieved"}, []),
        ({"status": ["cancelled", "active"]}, [5, 1, 0]),
        ({"mode": "drive", "q": "count 6"}, [6]),
        ({"q": "count " * 10 + "but not further"}, [6, 5, 4, 3, 2, 1, 0]),
        ({"created_after": "2026-11-01T16:00:00Z"}, [6, 5]),
        ({"created_before": "2026-11-01T13:00:00Z"}, [0]),
        ({"created_after": "2026-11-01T14:00:00+01:00", "created_before": "2026-11-01T14:00:00Z"}, [1]),
        ({"finished_after": "2020-01-01T00:00:00Z", "ordering": "finished_at"}, [0, 1, 5]),
        ({"finished_before": "2020-01-01T00:00:00Z"}, []),
        ({"paused_for": "user"}, [6]),
        ({"waits_for": "question"}, []),
        ({"sop": "book-train"}, []),
    ],
)
def test_goals_are_filtered(api, ada, seven, query, found):
    services.pause(ada, seven[6].pk)
    assert numbers(api.get(GOALS, query).json()) == found


def test_goals_of_a_conversation_are_found_by_it(api, ada, seven, conversation):
    made = services.submit(owner=ada, objective="Count to 8", conversation=conversation)
    assert numbers(api.get(GOALS, {"conversation": str(made.conversation_id)}).json()) == [8]


@pytest.mark.parametrize(
    "path",
    [
        "model-calls/?status=succeeded&purpose=act&role=worker",
        "tool-calls/?status=succeeded&tool=list_files",
        "questions/?status=open&kind=information",
    ],
)
def test_parts_of_a_goal_are_filtered_too(api, worked, path):
    path = f"{GOALS}{worked.pk}/{path}"
    assert len(api.get(path).json()["results"]) == 1
    other = api.get(path.replace("succeeded", "failed").replace("open", "answered"))
    assert (other.status_code, other.json()["results"]) == (200, [])


@pytest.mark.parametrize("query", ["model-calls/?purpose", "model-calls/?role", "tool-calls/?tool"])
def test_what_no_part_could_be_called_is_refused_by_name(api, worked, query):
    refused = api.get(f"{GOALS}{worked.pk}/{query}={'x' * 101}")
    assert (refused.status_code, list(refused.json()["errors"])) == (400, [query.partition("?")[2]])


@pytest.mark.parametrize("part", ["artifacts", "model-calls", "tool-calls", "verifications", "progress"])
def test_every_part_is_paged(api, worked, part):
    work_on(worked, 4)
    path = f"{GOALS}{worked.pk}/{part}/"
    pages = walk(api, path, page_size=2)
    assert [row["id"] for page in pages for row in page["results"]] == [
        row["id"] for row in api.get(path).json()["results"]
    ]
    assert [len(page["results"]) for page in pages] == [2, 2, 1]


def test_conversations_and_messages_and_procedures_are_paged(api, ada, library_of_two):
    talks = [Conversation.objects.create(owner=ada, title=f"{n}") for n in range(3)]
    Message.objects.bulk_create(
        Message(conversation=talks[0], number=n, role="user", content="x", author=ada) for n in range(1, 6)
    )
    assert [r["title"] for p in walk(api, "/api/conversations/", page_size=2) for r in p["results"]] == ["2", "1", "0"]
    said = walk(api, f"/api/conversations/{talks[0].pk}/messages/", page_size=2, after=1)
    assert [[row["number"] for row in page["results"]] for page in said] == [[2, 3], [4, 5]]
    assert [[r["slug"] for r in p["results"]] for p in walk(api, "/api/sops/", page_size=1)] == [["a"], ["b"]]


@pytest.fixture
def library_of_two(db):
    for slug in "ba":
        Sop.objects.create(slug=slug, status=SopStatus.ACTIVE)


def test_only_the_fields_that_are_wanted_are_shown(api, worked, question, conversation):
    (row,) = api.get(GOALS, {"fields": "id,status"}).json()["results"]
    assert row == {"id": str(worked.pk), "status": "planning"}
    for path in (f"{GOALS}{worked.pk}/", f"/api/questions/{question.pk}/", f"/api/conversations/{conversation.pk}/"):
        assert list(api.get(path, {"fields": "id"}).json()) == ["id"]
        refused = api.get(path, {"fields": "id,secret"})
        assert (refused.status_code, list(refused.json()["errors"])) == (400, ["fields"])
        assert "'secret': no such field; allowed are id, " in refused.json()["errors"]["fields"]
        misspelt = api.get(path, {"feilds": "id"})
        assert (misspelt.status_code, list(misspelt.json()["errors"])) == (400, ["feilds"])
    kept = api.get(f"{GOALS}{worked.pk}/model-calls/", {"fields": "id,request", "full": "true"}).json()["results"]
    assert set(kept[0]) == {"id", "request"}


def test_an_operator_searches_among_everybodys(operator, seven):
    found = client_of(operator).get(GOALS, {"owner": "ada", "ordering": "-finished_at", "page_size": 1}).json()
    assert numbers(found) == [5]


def test_a_search_that_takes_too_long_is_given_up_politely(api, seven, settings, monkeypatch):
    settings.GOALSITE_SEARCH_SECONDS = 0.2
    slow = Goal.objects.extra(where=["pg_sleep(0.1) IS NOT NULL"])
    monkeypatch.setattr("goals.api.views.goals.with_counts", lambda rows: slow)
    answer = api.get(GOALS)
    assert (answer.status_code, answer.json()["code"]) == (503, "took_too_long")
    assert "ask for less" in answer.json()["detail"]
    assert Goal.objects.count() == 7


def test_the_limit_of_a_search_ends_with_it(db):
    with at_most(0.05):
        pass
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(0.1), current_setting('statement_timeout')")
        assert cursor.fetchone()[1] == "0"


@pytest.mark.parametrize(
    "query", ["", "?status=active", "?ordering=-finished_at", "?owner=ada&created_before=2026-11-01T13:00:00Z"]
)
def test_each_ordering_is_read_from_an_index(operator, seven, query):
    client = client_of(operator)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off")
    with CaptureQueriesContext(connection) as seen:
        client.get(f"{GOALS}{query}")
    (listing,) = [q["sql"] for q in seen if "LIMIT 51" in q["sql"]]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {listing}")
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "goal_by_" in plan or "goal_list" in plan
    assert "  Sort Key" not in plan or "Incremental Sort" in plan
