"""Deliveries on their way, to a real receiver."""

import base64
import hashlib
import hmac
import json
import threading
import time
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from goals import services
from goals.models import Delivery, Event, Message, Webhook
from goals.webhooks import acts, claiming, sending, signing
from goals.webhooks.claiming import claim
from goals.webhooks.senders import Senders
from tests.goals.webhooks.conftest import later

pytestmark = pytest.mark.django_db(transaction=True)


def verified(secret, headers, body):
    """Whether a message is signed as Standard Webhooks says: told by its receiver, with nothing of ours."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    wanted = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return f"v1,{wanted}" in headers["webhook-signature"].split(" ")


def failing(far, status=500, headers=None):
    far.answers["/in"] = (status, headers or {}, b"no")


def test_an_event_arrives_once_signed_and_whole(ada, far, send):
    hook, secret = acts.make(ada, {"address": f"{far.url}/in", "kinds": ["goal.created"]})
    goal = services.submit(owner=ada, objective="Write")
    send()
    [(method, path, headers, body)] = far.came
    event = Event.objects.get(goal=goal)
    assert (method, path, headers["Content-Type"]) == ("POST", "/in", "application/json")
    data = {"goal": str(goal.pk), "seq": 1, "payload": event.payload}
    assert json.loads(body) == {"type": "goal.created", "timestamp": event.at.isoformat(), "data": data}
    assert abs(int(headers["webhook-timestamp"]) - time.time()) < 30
    assert verified(secret, headers, body)
    assert not verified(secret, headers, body + b" ")
    row = hook.deliveries.get()
    assert (row.status, row.status_code, row.attempts, row.error) == ("delivered", 200, 1, "")
    assert row.delivered_at
    send()
    assert len(far.came) == 1


def test_a_failure_is_tried_again_later_and_later_under_one_id_until_it_is_given_up(
    ada, goal, hook, far, send, settings
):
    settings.GOALSITE_WEBHOOK_ATTEMPTS = 3
    failing(far)
    services.steer(ada, goal.pk, "Be brief")
    waits = []
    for _ in range(2):
        send()
        row = hook.deliveries.get()
        assert (row.status, row.status_code, row.error) == ("failed", 500, "it answered (500)")
        waits.append(row.due_at - timezone.now())
        send()
        later(hours=1)
    assert timedelta(seconds=2) < waits[0] < timedelta(seconds=5) < waits[1] < timedelta(seconds=15)
    send()
    row = hook.deliveries.get()
    assert (row.status, row.attempts) == ("given_up", 3)
    later(days=1)
    send()
    assert len(far.came) == 3
    assert len({headers["webhook-id"] for _, _, headers, _ in far.came}) == 1
    assert len({body for *_, body in far.came}) == 1


def test_a_retry_after_is_heeded(ada, goal, hook, far, send):
    failing(far, 503, {"Retry-After": "7200"})
    services.steer(ada, goal.pk, "Be brief")
    send()
    assert hook.deliveries.get().due_at > timezone.now() + timedelta(seconds=7100)


def test_a_redirect_is_not_followed(ada, goal, hook, far, send):
    far.answers["/in"] = (307, {"Location": "/elsewhere"}, b"")
    services.steer(ada, goal.pk, "Be brief")
    send()
    assert [path for _, path, *_ in far.came] == ["/in"]
    assert hook.deliveries.get().error == "it answered with a redirect, which is not followed (307)"


def test_a_name_that_leads_inside_is_refused_when_it_is_sent(ada, goal, far, send, allow, names):
    allow("127.0.0.1")
    names["hook.example"] = [["127.0.0.2"]]
    hook = acts.make(ada, {"address": f"http://hook.example:{far.server_port}/in"})[0]
    services.steer(ada, goal.pk, "Be brief")
    send()
    row = hook.deliveries.get()
    assert (row.status, row.status_code, far.came) == ("failed", None, [])
    assert "127.0.0.2 is loopback" in row.error


def test_a_receiver_that_takes_too_long_has_failed(ada, goal, hook, far, send, settings):
    settings.GOALSITE_WEBHOOK_SECONDS = 1
    far.answers["/in"] = (200, {}, 20.0)
    services.steer(ada, goal.pk, "Be brief")
    send()
    assert hook.deliveries.get().error == "it took longer than 1 s"


def test_a_slow_receiver_holds_nobody_back(ada, far, hook, settings):
    """It has its own few calls in hand and no more; another webhook's go out meanwhile."""
    settings.GOALSITE_WEBHOOK_SECONDS = 30
    slow = acts.make(ada, {"address": f"{far.url}/slow", "kinds": ["goal.created"]})[0]
    far.answers["/slow"] = (200, {}, 60.0)
    goals = [services.submit(owner=ada, objective=f"Write {n}") for n in range(8)]
    with Senders(lambda: False) as senders:
        give_up_at = time.monotonic() + 60
        while hook.deliveries.filter(status="delivered").count() < len(goals):
            assert time.monotonic() < give_up_at
            senders.look()
            time.sleep(0.01)
        assert slow.deliveries.exclude(taken_by=None).count() == claiming.AT_ONCE
        assert not slow.deliveries.exclude(status="pending").exists()
        far.answers.clear()


def test_of_a_receiver_that_fails_one_alone_is_tried_at_once(ada, hook, far):
    for n in range(3):
        services.submit(owner=ada, objective=f"Write {n}")
    Webhook.objects.update(failing_since=timezone.now())
    assert len(claim(10)) == 1
    assert claim(10) == []


def test_a_goals_events_go_out_in_their_order_one_at_a_time(ada, hook, far, send):
    goal = services.submit(owner=ada, objective="Write")
    for n in range(4):
        services.steer(ada, goal.pk, f"Word {n}")
    [first] = claim(10)
    assert Delivery.objects.get(pk=first.delivery_id).seq == 1
    assert claim(10) == []
    sending.send(first)
    send()
    assert [json.loads(body)["data"]["seq"] for *_, body in far.came] == [1, 2, 3, 4, 5]


def test_one_that_failed_and_waits_holds_nobody_back(ada, goal, hook, far, send):
    failing(far)
    services.steer(ada, goal.pk, "First")
    send()
    far.answers.clear()
    services.steer(ada, goal.pk, "Second")
    send()
    assert list(hook.deliveries.order_by("seq").values_list("status", flat=True)) == ["failed", "delivered"]


def test_what_a_dead_worker_had_in_hand_comes_again_and_its_late_word_is_dropped(ada, goal, hook, far, send):
    services.steer(ada, goal.pk, "Be brief")
    [lost] = claim(10)
    assert claim(10) == []
    later(minutes=5)
    failing(far)
    [taken] = claim(10)
    sending.send(lost)  # it wakes after all: its mark is gone
    assert far.came == []
    sending.send(taken)
    row = hook.deliveries.get()
    assert (row.status, row.attempts, len(far.came)) == ("failed", 2, 1)


def test_two_workers_at_once_take_each_delivery_once(ada, hook):
    for n in range(6):
        services.submit(owner=ada, objective=f"Write {n}")
    taken, ready = [], threading.Barrier(4)

    def work():
        ready.wait()
        taken.extend(claim(10))
        connection.close()

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len({one.delivery_id for one in taken}) == len(taken) <= 6


def test_no_connection_is_held_while_a_receiver_is_called(ada, goal, hook, far, send, monkeypatch):
    services.steer(ada, goal.pk, "Be brief")
    held = []
    ask = sending.ask
    monkeypatch.setattr(sending, "ask", lambda *a, **k: (held.append(connection.connection), ask(*a, **k))[1])
    sending.send(claim(1)[0])
    assert held == [None]


def test_a_failure_that_lasts_disables_the_webhook_and_its_owner_is_told(ada, far, send, conversation):
    hook = acts.make(ada, {"address": f"{far.url}/in", "name": "Shop"})[0]
    goal = services.submit(owner=ada, objective="Write", conversation=conversation)
    failing(far)
    send()
    hook.refresh_from_db()
    assert hook.active
    assert hook.failing_since
    later(days=4)
    send()
    hook.refresh_from_db()
    assert not hook.active
    assert "every call since" in hook.disabled_because
    event = Event.objects.get(goal=goal, kind="webhook.disabled")
    assert (event.payload["name"], event.payload["host"]) == ("Shop", "127.0.0.1")
    assert "Your webhook Shop is disabled" in Message.objects.get(conversation=conversation).content
    came = len(far.came)
    later(days=1)
    send()
    assert len(far.came) == came
    hook = acts.change(ada, hook.pk, {"active": True})
    assert (hook.disabled_because, hook.failing_since) == ("", None)


def test_a_success_ends_the_count(ada, goal, hook, far, send):
    failing(far)
    services.steer(ada, goal.pk, "Be brief")
    send()
    far.answers.clear()
    later(days=4)
    send()
    hook.refresh_from_db()
    assert (hook.active, hook.failing_since) == (True, None)


def test_a_receiver_that_is_gone_is_told_no_more(ada, goal, hook, far, send):
    failing(far, 410)
    services.steer(ada, goal.pk, "Be brief")
    send()
    hook.refresh_from_db()
    assert (hook.active, hook.deliveries.get().status) == (False, "given_up")


def test_a_disabled_site_wide_webhook_is_told_to_nobody_elses_goal(operator, ada, far, send, conversation):
    hook = acts.make(operator, {"address": f"{far.url}/in", "site_wide": True})[0]
    failing(far, 410)
    services.submit(owner=ada, objective="Write", conversation=conversation)
    send()
    hook.refresh_from_db()
    assert not hook.active
    assert not Event.objects.filter(kind="webhook.disabled").exists()
    assert not Message.objects.exists()


def test_who_may_no_longer_see_a_goal_is_told_no_more_of_it(operator, goal, far, send, ada):
    hook = acts.make(operator, {"address": f"{far.url}/in", "site_wide": True})[0]
    services.steer(ada, goal.pk, "Be brief")
    operator.user_permissions.clear()
    send()
    row = hook.deliveries.get()
    assert (row.status, far.came) == ("given_up", [])
    assert "no longer" in row.error


def test_who_has_left_is_told_nothing(ada, goal, hook, far, send):
    services.steer(ada, goal.pk, "Be brief")
    type(ada).objects.update(is_active=False)
    send()
    assert far.came == []


def test_a_delivery_is_made_once_more_by_hand_under_its_id(ada, goal, hook, far, send):
    services.steer(ada, goal.pk, "Be brief")
    send()
    acts.redeliver(ada, hook.pk, hook.deliveries.get().pk)
    send()
    assert len(far.came) == 2
    assert far.came[0][2]["webhook-id"] == far.came[1][2]["webhook-id"]
    assert hook.deliveries.get().status == "delivered"


def test_a_test_arrives_and_tells_of_nothing(ada, hook, far, send):
    row = acts.test(ada, hook.pk)
    send()
    [(*_, body)] = far.came
    assert json.loads(body)["type"] == "webhook.test"
    assert json.loads(body)["data"] == {"webhook": str(hook.pk)}
    row.refresh_from_db()
    assert row.status == "delivered"


def test_a_rotated_secret_signs_beside_the_one_before_for_a_day(ada, far, send):
    hook, before = acts.make(ada, {"address": f"{far.url}/in"})
    hook, after = acts.rotate(ada, hook.pk)
    assert before != after
    acts.test(ada, hook.pk)
    send()
    Webhook.objects.update(previous_until=timezone.now())
    acts.test(ada, hook.pk)
    send()
    (*_, first, body), (*_, second, text) = far.came
    assert verified(before, first, body)
    assert verified(after, first, body)
    assert verified(after, second, text)
    assert not verified(before, second, text)


def test_no_secret_is_in_the_database(ada, far):
    hook, secret = acts.make(ada, {"address": f"{far.url}/in"})
    kept = " ".join(str(value) for value in Webhook.objects.filter(pk=hook.pk).values().get().values())
    assert secret.removeprefix("whsec_") not in kept
    assert base64.b64decode(secret.removeprefix("whsec_")).hex() not in kept


def test_a_secret_lasts_as_long_as_its_key(ada, hook, far, send, settings):
    secret = signing.secret_of(hook)
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "k" * 40
    assert signing.secret_of(hook) == secret
    settings.SECRET_KEY_FALLBACKS = []
    acts.test(ada, hook.pk)
    send()
    assert "rotate the secret" in hook.deliveries.get().error
    assert far.came == []
    acts.rotate(ada, hook.pk)
    later(hours=1)
    send()
    assert len(far.came) == 1


def test_a_removed_webhook_gives_up_what_waits(ada, goal, hook, far, send):
    services.steer(ada, goal.pk, "Be brief")
    acts.remove(ada, hook.pk)
    send()
    assert (hook.deliveries.get().status, far.came) == ("given_up", [])
