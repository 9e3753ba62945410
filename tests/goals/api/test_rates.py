"""Who calls too often is told when to come again, by every web process alike."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from goals.api.rates import take
from goals.models import ApiPace, ApiToken, Goal
from goalsite import environment
from tests.goals.api.conftest import client_of
from tests.goals.api.test_tokens import issued

GOALS = "/api/goals/"
BODY = {"objective": "Count to ten"}


def earlier(seconds):
    """As if this much time had gone by."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE goals_apipace SET due = due - %s * interval '1 s'", [seconds])


@pytest.mark.django_db
def test_every_answer_tells_how_much_may_still_be_asked_for(api, settings):
    settings.GOALSITE_API_READS = 60
    for remaining in (59, 58):
        answer = api.get(GOALS)
        told = {name: value for name, value in answer.headers.items() if name.startswith("RateLimit")}
        assert told == {
            "RateLimit-Limit": "60",
            "RateLimit-Remaining": str(remaining),
            "RateLimit-Reset": str(60 - remaining),
        }
    for path in ("/api/sops/", "/api/nothing/", "/api/goals/?page_size=0"):
        assert "RateLimit-Remaining" in api.get(path), path
    assert "RateLimit-Limit" not in client_of(None).get(GOALS)


@pytest.mark.django_db
def test_who_asks_too_often_is_refused_until_time_has_gone_by(api, settings):
    settings.GOALSITE_API_READS, settings.GOALSITE_API_CHANGES = 4, 2
    assert [api.get(GOALS).status_code for _ in range(5)] == [200, 200, 200, 200, 429]
    refused = api.get(GOALS)
    assert (refused["Content-Type"], refused.json()["code"]) == ("application/problem+json", "throttled")
    assert (refused["Retry-After"], refused["RateLimit-Remaining"], refused["RateLimit-Reset"]) == ("15", "0", "60")
    assert [api.post(GOALS, BODY).status_code for _ in range(3)] == [201, 201, 429]
    assert Goal.objects.count() == 2
    earlier(15)
    assert [api.get(GOALS).status_code for _ in range(2)] == [200, 429]
    earlier(1000)
    assert [api.get(GOALS).status_code for _ in range(5)] == [200, 200, 200, 200, 429]


@pytest.mark.django_db
def test_each_token_and_each_person_has_a_pace_of_their_own(ada, others, settings):
    settings.GOALSITE_API_READS = 1
    first, second = issued(ada, "read", name="first"), issued(ada, "read", name="second")
    for client in (first, second, client_of(ada), others):
        assert [client.get(GOALS).status_code for _ in range(2)] == [200, 429]
    assert set(ApiPace.objects.values_list("caller", flat=True)) >= {
        f"token:{token.pk}:read" for token in ApiToken.objects.all()
    }


@pytest.mark.django_db
def test_strangers_are_not_counted_as_one(settings):
    settings.GOALSITE_API_READS = 1
    assert [client_of(None).get("/api/docs/").status_code for _ in range(2)] == [200, 200]
    assert not ApiPace.objects.exists()


@pytest.mark.django_db
def test_none_is_no_limit(api, settings):
    settings.GOALSITE_API_READS = 0
    assert "RateLimit-Limit" not in api.get(GOALS)
    assert not ApiPace.objects.exists()


@pytest.mark.django_db
def test_a_call_is_counted_by_one_statement_in_a_table_that_writes_no_log(ada, django_assert_num_queries):
    take("somebody", 10)
    with django_assert_num_queries(1):
        take("somebody", 10)
    with connection.cursor() as cursor:
        cursor.execute("SELECT relpersistence FROM pg_class WHERE relname = 'goals_apipace'")
        assert cursor.fetchone() == ("u",)


@pytest.mark.django_db(transaction=True)
def test_many_at_once_get_no_more_than_the_limit(transactional_db):
    User.objects.create_user("ada")

    def call(_):
        try:
            return not take("ada", 7).wait
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(call, range(20))) == 7


@pytest.mark.parametrize("value", ["-1", "many", "1.5", "1000001"])
def test_a_limit_that_cannot_be_stops_the_start(monkeypatch, value):
    monkeypatch.setenv("GOALSITE_API_READS", value)
    with pytest.raises(ImproperlyConfigured, match="GOALSITE_API_READS"):
        environment.integer("GOALSITE_API_READS", default=1, minimum=0, maximum=1_000_000)
