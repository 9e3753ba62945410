"""The site's own pages: health, one-time login, and what `check` says."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import OperationalError
from django.utils import timezone

from goals.models import Breaker
from goalsite import checks, items
from goalsite.login_once import operator
from goalsite.models import Canary, LoginLink
from goalsite.watchdog import sing


def test_healthz_answers_without_a_database(client):
    assert client.get("/healthz").content == b"ok\n"
    assert client.post("/healthz").status_code == 405


@pytest.mark.parametrize("address", ["/admin/django_q/success/%00/change/", "/%00", "/admin/goals/goal/a%00b/change/"])
def test_an_address_with_a_nul_is_refused_before_any_view(admin_client, address):
    answer = admin_client.get(address)
    assert answer.status_code == 400
    assert "NUL" in answer.content.decode()


@pytest.mark.parametrize("path", ["/ws/zzz/", "/", "/ws/goals/"])
async def test_a_socket_at_an_unknown_address_is_refused(path):
    from goalsite.asgi import sockets

    sent = []

    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        sent.append(message)

    await sockets({"type": "websocket", "path": path}, receive, send)
    assert sent == [{"type": "websocket.close", "code": 4404}]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("endpoint")
class TestReady:
    def canary(self, age: float) -> None:
        Canary.objects.create(number=1, sent_at=timezone.now())
        sing(1)
        Canary.objects.update(run_at=timezone.now() - timedelta(seconds=age))

    def test_it_is_ready_when_every_item_is_well(self, client):
        self.canary(age=1)
        answer = client.get("/readyz")
        assert answer.status_code == 200
        assert answer.json()["ready"]
        assert not answer.json()["degraded"]
        assert set(answer.json()["items"]) == {"database", "migrations", "queue", "model", "breakers"}

    def test_it_is_not_ready_before_a_worker_ran(self, client):
        answer = client.get("/readyz")
        assert answer.status_code == 503
        assert not answer.json()["items"]["queue"]["ok"]

    def test_it_is_not_ready_when_no_worker_ran_lately(self, client):
        self.canary(age=1000)
        assert client.get("/readyz").json()["items"]["queue"] == {"ok": False, "found": "a worker answered 1000 s ago"}

    def test_it_is_not_ready_when_what_it_asks_the_database_fails(self, client, monkeypatch):
        def away() -> items.Finding:
            raise OperationalError

        self.canary(age=1)
        monkeypatch.setattr(items, "migrations", away)
        answer = client.get("/readyz")
        assert answer.status_code == 503
        assert answer.json()["items"]["migrations"] == {"ok": False, "found": "OperationalError"}

    def test_a_breaker_that_is_open_degrades_it_but_does_not_take_it_out(self, client):
        self.canary(age=1)
        assert client.get("/readyz").json()["items"]["breakers"] == {"ok": True, "found": "all closed"}
        at = datetime(2026, 11, 22, 12, 0, 5, tzinfo=UTC)
        Breaker.objects.create(kind="endpoint", name="http://far/v1", state="open", opened_at=at, retry_at=at)
        answer = client.get("/readyz")
        assert (answer.status_code, answer.json()["ready"], answer.json()["degraded"]) == (200, True, True)
        found = "the endpoint http://far/v1: open until 2026-11-22 12:00:05 UTC"
        assert answer.json()["items"]["breakers"] == {"ok": False, "found": found}


@pytest.mark.django_db
class TestLoginOnce:
    def test_it_logs_in_once(self, client):
        token = LoginLink.issue(operator(), timezone.now())
        answer = client.get(f"/login/once/{token}/")
        assert answer.status_code == 302
        assert client.session["_auth_user_id"] == str(operator().pk)
        client.logout()
        assert client.get(f"/login/once/{token}/").status_code == 410
        assert "_auth_user_id" not in client.session

    def test_it_is_too_old_after_a_quarter_of_an_hour(self, client):
        now = timezone.now()
        token = LoginLink.issue(operator(), now - timedelta(minutes=15, seconds=1))
        assert client.get(f"/login/once/{token}/").status_code == 410
        token = LoginLink.issue(operator(), now - timedelta(minutes=14))
        assert client.get(f"/login/once/{token}/").status_code == 302

    def test_looking_at_it_without_following_does_not_use_it_up(self, client):
        token = LoginLink.issue(operator(), timezone.now())
        assert client.head(f"/login/once/{token}/").status_code == 405
        assert client.post(f"/login/once/{token}/").status_code == 405
        assert client.get(f"/login/once/{token}/").status_code == 302

    @pytest.mark.parametrize("token", ["x", "%00", "ä" * 50, "\ud800"])
    def test_a_token_that_is_none_is_refused(self, client, token):
        assert LoginLink.redeem(token, timezone.now()) is None

    def test_the_token_itself_is_not_kept(self):
        token = LoginLink.issue(operator(), timezone.now())
        assert token not in str(list(LoginLink.objects.values()))

    def test_a_deactivated_user_is_refused(self, client):
        user = operator()
        token = LoginLink.issue(user, timezone.now())
        get_user_model().objects.filter(pk=user.pk).update(is_active=False)
        assert client.get(f"/login/once/{token}/").status_code == 410

    def test_the_operator_is_made_only_when_there_is_no_superuser(self):
        first = operator()
        assert (first.username, first.is_superuser, first.has_usable_password()) == ("operator", True, False)
        assert operator() == first
        assert get_user_model().objects.count() == 1

    def test_an_existing_superuser_is_used(self):
        boss = get_user_model().objects.create_superuser("boss", password="x")
        assert operator() == boss


class TestChecks:
    def ids(self, check) -> list[str]:
        return [found.id for found in check(None)]

    def test_the_site_as_it_stands_has_no_complaint(self):
        for check in (checks.data_folder, checks.secret_file, checks.leases, checks.debug_in_the_open):
            assert self.ids(check) == []

    def test_each_complaint_has_an_id_and_a_hint(self, settings, tmp_path):
        (tmp_path / "secret_key").write_text("x")
        (tmp_path / "secret_key").chmod(0o644)
        settings.GOALSITE_DATA_DIR = tmp_path
        settings.GOALSITE_SLICE_SECONDS = 120
        settings.DEBUG, settings.ALLOWED_HOSTS = True, ["*"]
        settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL = "key", ""
        found = [
            *checks.secret_file(None),
            *checks.leases(None),
            *checks.debug_in_the_open(None),
            *checks.model_endpoint(None),
        ]
        settings.GOALSITE_DATA_DIR = tmp_path / "secret_key" / "data"
        found += checks.data_folder(None)
        assert [complaint.id for complaint in found] == [
            "goalsite.W002",
            "goalsite.E003",
            "goalsite.W004",
            "goalsite.I005",
            "goalsite.E001",
        ]
        assert all(complaint.hint for complaint in found)

    def test_traces_that_are_wanted_need_their_library(self, settings, monkeypatch):
        settings.GOALSITE_TRACES = True
        monkeypatch.setattr(checks, "_is_there", lambda module: False)
        assert self.ids(checks.traces) == ["goalsite.E006"]

    def test_they_are_part_of_djangos_check(self, settings):
        settings.GOALSITE_SLICE_SECONDS = 120
        with pytest.raises(SystemCheckError, match=r"goalsite\.E003"):
            call_command("check")
