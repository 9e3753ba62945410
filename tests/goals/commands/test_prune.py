"""`manage.py prune` takes what old calls said and nothing that proves, costs or was done outside."""

import os
import threading
import time
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from artifacts import copying, storage
from artifacts.exceptions import BlobMissing
from artifacts.models import Artifact
from artifacts.services import create_artifact
from goals import events, retention, services
from goals.api.certificate import certificate_of
from goals.models import Attachment, Budget, Checkpoint, Delivery, Event, Goal, ModelCall, ToolCall, Verification
from goals.webhooks import acts
from tests.goals import rules
from tests.goals.commands.processes import objects
from tests.goals.effects.work import plan, step

pytestmark = pytest.mark.django_db(transaction=True)
DONE = {"reply": {"status": "done", "result": "Yes.", "outputs": []}}
MET = {"reply": {"met": True, "score": 1, "reason": "so", "evidence": ""}}
WHOLE = (Goal, Checkpoint, Event, Verification, Artifact, Budget)


@pytest.fixture
def old(endpoint, submit, settle):
    """A goal that a model has worked on, ended a moment ago."""
    endpoint.script.update(act=DONE, judge_outcome=MET)
    goal = submit("Act", verifier={"type": "llm"})
    step(goal, 0, "execute", {"instructions": "act"}, operation="think")
    goal = settle(plan(goal))
    assert goal.status == "completed", goal.reason
    columns = {"goal": goal, "checkpoint": goal.checkpoints.get(), "status": "succeeded", "finished_at": timezone.now()}
    for name, effect in (("read_file", "pure"), ("train_book", "external")):
        said = {"request": {"input": {}}, "response": {"value": "x" * 5000}}
        ToolCall.objects.create(tool=name, effect_class=effect, scope=name, key=name, **said, **columns)
    return Goal.objects.get(pk=goal.pk)


def kept():
    """All that must never change."""
    calls = [name.name for name in ModelCall._meta.fields if name.name not in ("request", "response")]
    tools = [name.name for name in ToolCall._meta.fields if name.name != "response"]
    rows = [
        model.objects.order_by("pk").values() for model in (Goal, Checkpoint, Event, Verification, Artifact, Budget)
    ]
    rows += [ModelCall.objects.order_by("pk").values(*calls), ToolCall.objects.order_by("pk").values(*tools)]
    rows += [ToolCall.objects.filter(effect_class="external").values()]
    return [list(one) for one in rows]


def bodies():
    return [*ModelCall.objects.order_by("pk").values("request", "response"), *ToolCall.objects.order_by("pk").values()]


def test_what_calls_said_becomes_its_digest_and_all_else_is_kept(run_here, old):
    proof, before = certificate_of(old), kept()
    code, out, _ = run_here("prune", "--older", "0s", "--json")
    models, tools, *_ = objects(out)
    assert (code, models["rows"], tools["rows"]) == (0, ModelCall.objects.count(), 1)
    assert models["bytes_after"] < models["bytes_before"]
    assert tools["bytes_before"] > 5000
    assert {*models} >= {"on_disk_before", "on_disk_after"}
    for call in ModelCall.objects.all():
        assert len(call.request["pruned"]["sha256"]) == 64
        assert call.response["pruned"]["bytes"] > 0
    assert kept() == before
    assert certificate_of(old) == proof
    assert events.broken_at(old.pk) is None
    rules.hold()


def test_the_second_time_there_is_nothing_left_to_do(run_here, old):
    run_here("prune", "--older", "0s")
    before = bodies()
    assert [row["rows"] for row in objects(run_here("prune", "--older", "0s", "--json")[1])] == [0, 0, 0, 0]
    assert bodies() == before


def test_a_dry_run_counts_the_same_and_changes_nothing(run_here, old, monkeypatch):
    before = bodies()
    with monkeypatch.context() as patched:
        patched.setattr(retention, "reclaim", lambda: pytest.fail("there is nothing to reclaim"))
        tried = objects(run_here("prune", "--older", "0s", "--dry-run", "--json")[1])
        assert run_here("prune", "--older", "0s", "--dry-run")[1].splitlines()[-1] == "nothing was changed"
    assert bodies() == before
    done = objects(run_here("prune", "--older", "0s", "--json")[1])
    assert [(row["rows"], row["bytes_before"]) for row in tried] == [(row["rows"], row["bytes_before"]) for row in done]


@pytest.mark.parametrize("words", [["--older", "1h"], ["--older", "0s", "--state", "failed"]])
def test_what_is_younger_or_ended_otherwise_is_left(run_here, old, words):
    before = bodies()
    assert run_here("prune", *words)[0] == 0
    assert bodies() == before


def test_a_goal_that_ended_lately_keeps_what_its_old_calls_said(run_here, old):
    Goal.objects.filter(pk=old.pk).update(finished_at=timezone.now() + timedelta(hours=1))
    before = bodies()
    assert run_here("prune", "--older", "0s")[0] == 0
    assert bodies() == before


def test_what_may_be_asked_for_again_is_left(run_here, old):
    """A goal that lives, a call without an outcome, and a checkpoint that has not ended."""
    now = timezone.now()
    Goal.objects.filter(pk=old.pk).update(status="paused", paused_for="user", outcome="", finished_at=None)
    before = bodies()
    run_here("prune", "--older", "0s")
    assert bodies() == before
    Goal.objects.filter(pk=old.pk).update(status="cancelled", paused_for="", finished_at=now)
    Checkpoint.objects.update(status="active", finished_at=None)
    ModelCall.objects.filter(checkpoint=None).update(status="unknown", finished_at=None)
    before = bodies()
    run_here("prune", "--older", "0s")
    assert bodies() == before


def test_a_goal_that_was_pruned_can_be_looked_at_and_rearmed(run_here, old, settle, django_user_model):
    run_here("prune", "--older", "0s")
    root = django_user_model.objects.create_superuser("root")
    browser = Client()
    browser.force_login(root)
    for call in (*ModelCall.objects.all(), *ToolCall.objects.all()):
        assert browser.get(f"/admin/goals/{call._meta.model_name}/{call.pk}/change/").status_code == 200
    for name in ("model-calls", "tool-calls"):
        assert browser.get(f"/api/goals/{old.pk}/{name}/").status_code == 200
    services.rearm(root, old.pk)
    assert settle(old).status == "completed"
    rules.hold()


def test_batches_of_one_come_to_the_same(old):
    steps = list(retention.prune(timezone.now(), ["completed"], batch=1))
    assert {one.table: one.rows for one in steps} == {"goals_modelcall": 3, "goals_toolcall": 1}
    assert len(steps) == 3 + 1 + 2 + 1


def test_each_state_may_have_an_age_of_its_own(run_here, old):
    before = bodies()
    assert run_here("prune", "--older", "1h", "--older", "failed=0s")[0] == 0
    assert run_here("prune", "--older", "completed=1h", "--older", "0s")[0] == 0
    assert bodies() == before
    taken = objects(run_here("prune", "--older", "1h", "--older", "completed=0s", "--json")[1])
    assert taken[0]["rows"] == ModelCall.objects.count()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--older", "paused=1d"], "--older: 'paused' is none of cancelled, completed, failed"),
        (["--older", "1d", "--older", "2d"], "--older: was given twice for all states"),
        (["--older", "failed=soon"], "--older: 'soon' must be an age"),
        (["--older", "failed=1d", "--state", "failed"], "--state: name states here or as STATE=AGE, not both"),
    ],
)
def test_a_policy_that_says_nothing_clear_is_refused(run_here, words, said):
    code, _, told = run_here("prune", *words)
    assert code == 64
    assert said in told


def test_old_blobs_that_no_row_names_are_deleted_and_those_that_any_row_names_are_kept(run_here, old, owner):
    context, file = Goal.objects.get().artifact_context, {"name": "a.txt", "media_type": "text/plain", "size": 16}
    kept = [
        create_artifact(context=context, name="big", type="file", blob=b"of an artifact", description="b").blob_sha256,
        Attachment.objects.create(owner=owner, blob_sha256=storage.write(b"of an attachment"), **file).blob_sha256,
    ]
    gone, young = storage.write(b"of nobody, long ago"), storage.write(b"of nobody, yet")
    for digest in (*kept, gone):
        os.utime(storage._path(digest), (0, time.time() - 90_000))
    tried, done = (objects(run_here("prune", "--older", "52w", *more, "--json")[1])[2] for more in (["--dry-run"], []))
    assert [(row["table"], row["rows"], row["bytes_before"]) for row in (tried, done)] == [("blobs", 1, 19)] * 2
    assert tried["on_disk_before"] == tried["on_disk_after"] == done["on_disk_before"] == done["on_disk_after"] + 19
    with pytest.raises(BlobMissing):
        storage.read(gone)
    assert [storage.read(digest) for digest in (*kept, young)]


def test_no_blob_is_deleted_while_a_backup_is_made_and_none_copied_while_some_are(run_here, old):
    digest = storage.write(b"of nobody, long ago")
    os.utime(storage._path(digest), (0, time.time() - 90_000))
    began, over = threading.Event(), threading.Event()

    def make_a_backup():
        with copying.copying():
            began.set()
            over.wait(30)
        connection.close()

    backup = threading.Thread(target=make_a_backup)
    backup.start()
    assert began.wait(10)
    code, _, told = run_here("prune", "--older", "52w")
    over.set()
    backup.join(30)
    assert (code, storage.read(digest)) == (0, b"of nobody, long ago")
    assert "a backup is being made: no blob was deleted; prune again when it is done" in told
    began.clear()
    with copying.taking_away():
        late = threading.Thread(target=make_a_backup)
        late.start()
        assert not began.wait(0.3)
    assert began.wait(10)
    late.join(30)
    run_here("prune", "--older", "52w")
    with pytest.raises(BlobMissing):
        storage.read(digest)


def test_deliveries_that_are_over_are_deleted_and_those_that_wait_are_kept(old, owner, run_here):
    hook, _ = acts.make(owner, {"address": "https://example.org/in"})
    rows = [acts.test(owner, hook.pk) for _ in range(5)]
    states = ["delivered", "given_up", "delivered", "failed", "pending"]
    for row, status in zip(rows, states, strict=True):
        over = timezone.now() if status == "delivered" else None
        Delivery.objects.filter(pk=row.pk).update(status=status, delivered_at=over)
    counted = objects(run_here("prune", "--older", "0s", "--dry-run", "--json")[1])[-1]
    assert (counted["table"], counted["rows"], Delivery.objects.count()) == ("goals_delivery", 3, 5)
    run_here("prune", "--older", "0s", "--state", "failed")
    run_here("prune", "--older", "1h")
    run_here("prune", "--older", "1h", "--older", "failed=0s")
    assert Delivery.objects.count() == 5
    run_here("prune", "--older", "0s", "--batch", "1")
    assert sorted(Delivery.objects.values_list("status", flat=True)) == ["failed", "pending"]


def test_a_row_that_somebody_holds_is_left_for_the_next_time(old, run_here):
    held, go = threading.Event(), threading.Event()

    def hold():
        with transaction.atomic():
            list(ModelCall.objects.select_for_update().order_by("pk")[:1])
            held.set()
            go.wait(60)
        connection.close()

    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(60)
    before = timezone.now()
    first = {one.table: one.rows for one in retention.prune(before, ["completed"])}
    go.set()
    holder.join(60)
    assert first["goals_modelcall"] == 2
    assert {one.table: one.rows for one in retention.prune(before, ["completed"])}["goals_modelcall"] == 1


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (["--older", "soon"], "--older: 'soon' must be an age"),
        (["--older", "9d", "--batch", "0"], "--batch: must be from 1 to 10000"),
    ],
)
def test_wrong_usage_is_refused_by_name(run_here, old, words, field):
    before = bodies()
    code, out, error = run_here("prune", *words)
    assert (code, out, bodies()) == (64, "", before)
    assert field in error


def test_only_states_in_which_goals_have_ended_can_be_pruned():
    with pytest.raises(ValueError, match="active"):
        list(retention.prune(timezone.now(), ["active"]))
