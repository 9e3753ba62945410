"""Following events of the real site, whose web server is killed meanwhile."""

from collections.abc import Iterator

import pytest
from django.db import connection

from goals import services
from goals.models import ApiToken
from tests.goals.api.site import Site, next_event

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.drill]
FOLLOWERS = 30


@pytest.fixture
def site(site_environment: dict[str, str]) -> Iterator[Site]:
    running = Site(site_environment, GOALSITE_API_FOLLOWERS=str(FOLLOWERS))
    try:
        yield running
    finally:
        running.stop()


def test_a_follower_misses_nothing_when_the_web_server_is_killed_and_waits_at_no_cost(site, goal, ada):
    _, secret = ApiToken.objects.issue(ada, name="follower", scopes=["read"])
    path = f"/api/goals/{goal.pk}/events/"
    as_stream = {"Authorization": f"Bearer {secret}", "Accept": "text/event-stream", "Accept_Encoding": "gzip"}
    streams = [site.get(path, **as_stream) for _ in range(FOLLOWERS)]
    assert [next_event(stream)[0] for stream in streams] == [1] * FOLLOWERS
    assert site.threads < FOLLOWERS
    assert backends(site) < FOLLOWERS / 2
    services.steer(ada, goal.pk, "Hurry")
    assert {next_event(stream)[0] for stream in streams} == {2}
    site.kill()
    services.steer(ada, goal.pk, "while the server is away")
    site.start()
    again = site.get(path, **as_stream, Last_Event_ID="2")
    assert next_event(again)[1]["payload"]["text"] == "while the server is away"
    services.steer(ada, goal.pk, "and after")
    assert next_event(again)[0] == 4
    for answer in [*streams, again]:
        answer.close()


def backends(site: Site) -> int:
    """How many connections to the test's database others than the test hold."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        return cursor.fetchone()[0]
