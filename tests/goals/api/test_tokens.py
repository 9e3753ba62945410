"""API tokens: hashed, scoped, and ended by time or by hand."""

from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
from rest_framework.test import APIClient

from goals import services
from goals.api.authentication import TokenAuthentication
from goals.models import ApiToken, Goal
from tests.goals.api.conftest import permitted


def issued(user: User, *scopes: str, **facts) -> APIClient:
    _, secret = ApiToken.objects.issue(user, name=facts.pop("name", "api"), scopes=list(scopes), **facts)
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def submit(client: APIClient):
    return client.post("/api/goals/", {"objective": "Count to ten"})


def test_the_token_itself_is_kept_nowhere(ada):
    token, secret = ApiToken.objects.issue(ada, name="api", scopes=["read"])
    with connection.cursor() as cursor:
        cursor.execute("SELECT row_to_json(t)::text FROM goals_apitoken t")
        assert secret not in cursor.fetchone()[0]
    assert secret.startswith(token.beginning)


def test_what_a_token_may_do_is_in_its_scopes(ada):
    reads = issued(ada, "read")
    assert reads.get("/api/goals/").status_code == 200
    refused = submit(reads)
    assert (refused.status_code, refused.json()["code"]) == (403, "not_allowed")
    assert "scope act" in refused.json()["detail"]
    assert not Goal.objects.exists()
    acts = issued(ada, "act", name="writer")
    assert submit(acts).status_code == 201
    assert acts.get("/api/goals/").status_code == 403
    for path in ("/api/sops/", "/api/artifacts/00000000-0000-0000-0000-000000000000/"):
        assert acts.get(path).status_code == 403, path


def test_without_the_scope_operate_an_operators_token_sees_only_what_is_theirs(operator, ada):
    goal = services.submit(owner=ada, objective="Count to ten")
    permitted(operator, "operate", "rearm")
    assert issued(operator, "read", "act").get(f"/api/goals/{goal.pk}/").status_code == 404
    assert issued(operator, "read", "operate", name="wide").get(f"/api/goals/{goal.pk}/").status_code == 200


def test_a_superusers_token_is_no_more_than_its_scopes(ada, admin_user):
    goal = services.submit(owner=ada, objective="Count to ten")
    client = issued(admin_user, "read", "act")
    assert client.post(f"/api/goals/{goal.pk}/cancel/").status_code == 404
    assert submit(client).status_code == 201
    admin_user.refresh_from_db()
    assert admin_user.is_superuser


def test_without_the_scope_operate_its_person_is_neither_staff_nor_a_superuser(rf, admin_user):
    _, secret = ApiToken.objects.issue(admin_user, name="api", scopes=["read", "act"])
    person, _ = TokenAuthentication().authenticate(rf.get("/", headers={"Authorization": f"Token {secret}"}))
    assert (person.pk, person.is_staff, person.is_superuser) == (admin_user.pk, False, False)


def test_a_token_that_is_over_says_so(ada):
    expired = issued(ada, "read", expires_at=timezone.now() - timedelta(minutes=1))
    assert "expired" in expired.get("/api/goals/").json()["detail"]
    assert expired.get("/api/goals/").status_code == 401
    ended = issued(ada, "read", name="second")
    ApiToken.objects.update(ended_at=timezone.now(), expires_at=None)
    assert "ended" in ended.get("/api/goals/").json()["detail"]


def test_a_token_of_the_same_name_takes_the_place_of_the_one_before(ada):
    first, second = issued(ada, "read"), issued(ada, "read")
    assert [client.get("/api/goals/").status_code for client in (first, second)] == [401, 200]


def test_a_token_that_has_expired_is_followed_by_one_of_its_name(ada):
    expired = issued(ada, "read", expires_at=timezone.now() - timedelta(minutes=1))
    assert issued(ada, "read").get("/api/goals/").status_code == 200
    assert "ended" in expired.get("/api/goals/").json()["detail"]


def test_who_may_not_log_in_has_no_token(ada):
    client = issued(ada, "read")
    User.objects.update(is_active=False)
    assert client.get("/api/goals/").status_code == 401


@pytest.mark.parametrize("header", ["Token", "Token a b", "Bearer \xff\xfe", "Token gs_" + "x" * 5000])
def test_a_bad_header_is_refused(db, header):
    assert APIClient().get("/api/goals/", HTTP_AUTHORIZATION=header).status_code == 401


def test_use_is_noted_but_not_at_each_call(ada, django_assert_num_queries):
    client = issued(ada, "read")
    client.get("/api/goals/")
    used_at = ApiToken.objects.get().used_at
    assert used_at is not None
    client.get("/api/goals/")
    assert ApiToken.objects.get().used_at == used_at


def test_tokens_are_made_listed_and_ended_on_the_command_line(ada):
    def run(*words: str) -> str:
        out = StringIO()
        call_command("api_token", "ada", *words, stdout=out)
        return out.getvalue()

    secret = run("--name", "nightly", "--scope", "read", "--days", "30").strip()
    token = ApiToken.objects.get()
    assert (token.scopes, token.expires_at.date()) == (["read"], (timezone.now() + timedelta(days=30)).date())
    listed = run("--list")
    assert "nightly" in listed
    assert secret not in listed
    run("--end", "--name", "nightly")
    assert not ApiToken.objects.living().exists()


@pytest.mark.parametrize(
    ("words", "field"), [(["--days", "0"], "days"), (["--name", " "], "name"), (["--end", "--name", "none"], "name")]
)
def test_a_bad_wish_is_refused_by_its_name(ada, words, field, capsys):
    with pytest.raises(SystemExit) as end:
        call_command("api_token", "ada", *words)
    assert end.value.code == 64
    assert field in capsys.readouterr().err
    assert not ApiToken.objects.exists()


def test_who_was_shut_out_is_given_no_token(ada, capsys):
    User.objects.update(is_active=False)
    with pytest.raises(SystemExit):
        call_command("api_token", "ada")
    assert "there is no active user 'ada'" in capsys.readouterr().err
    assert not ApiToken.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_token_of_the_earlier_kind_goes_on_working(transactional_db):
    ada = User.objects.create_user("ada")
    MigrationExecutor(connection).migrate([("goals", "0018_outside_of_goal")])
    try:
        with connection.cursor() as cursor:
            cursor.execute(
                "CREATE TABLE authtoken_token (key varchar(40) PRIMARY KEY, created timestamptz, user_id int)"
            )
            cursor.execute("INSERT INTO authtoken_token VALUES (%s, now(), %s)", ["a" * 40, ada.pk])
    finally:
        executor = MigrationExecutor(connection)
        executor.migrate(executor.loader.graph.leaf_nodes())
    assert "authtoken_token" not in connection.introspection.table_names()
    answer = APIClient().get("/api/goals/", HTTP_AUTHORIZATION=f"Token {'a' * 40}")
    assert answer.status_code == 200
