"""Embeddings go to the endpoint: they tell its breaker and mind it, and a search goes on by words meanwhile."""

import pytest
from django.utils import timezone

from goals.breaker import Standing
from goals.effects.embedding import GuardedEmbedder, embedder
from goals.models import Breaker
from goals.states import BreakerState, GoalStatus
from sops.embedding import HashingEmbedder
from sops.exceptions import EmbedderUnavailable
from tests.endpoint import said
from tests.goals.effects.breakers.far import only, opened
from tests.goals.test_model_goals import DONE, MET, plan, step

NONE = {"reply": {"sop": None, "confidence": 0, "missing_prerequisites": [], "inputs": {}, "reasoning": "none"}}
BUSY = {"status": 503, "headers": {"x-should-retry": "false"}}


@pytest.fixture
def embeddings(endpoint, settings):
    settings.GOALSITE_EMBEDDING_MODEL = "rehearsal-embedding"
    return endpoint


def embed():
    return embedder().embed(["a train", "a boat"])


def test_they_come_from_the_endpoint_that_the_settings_name(embeddings, settings):
    first, second = embed()
    assert len(first) == len(second) == 512
    assert embeddings.named("embeddings")[0]["body"]["model"] == "rehearsal-embedding"
    assert not Breaker.objects.exists()
    settings.GOALSITE_EMBEDDING_MODEL = ""
    assert isinstance(embedder(), HashingEmbedder)


def test_an_endpoint_that_fails_is_left_alone_and_its_next_answer_closes_the_breaker(embeddings):
    embeddings.script["embeddings"] = BUSY
    for _ in range(3):
        with pytest.raises(EmbedderUnavailable, match="503"):
            embed()
    assert (only().kind, only().name, only().state) == ("endpoint", f"{embeddings.url}/embeddings", BreakerState.OPEN)
    with pytest.raises(EmbedderUnavailable, match="is left alone, until"):
        embed()
    assert len(embeddings.named("embeddings")) == 3
    del embeddings.script["embeddings"]
    Breaker.objects.update(retry_at=only().opened_at)
    embed()
    assert only().standing == Standing()


def test_an_endpoint_that_is_left_alone_is_not_asked_for_vectors_nor_tried_by_them(embeddings):
    opened(kind="endpoint", name=embeddings.url, retry_at=timezone.now())
    with pytest.raises(EmbedderUnavailable, match="is left alone"):
        embed()
    assert embeddings.requests == []
    assert only().state == BreakerState.OPEN


def test_a_vector_that_is_no_direction_is_not_used(embeddings):
    embeddings.script["embeddings"] = {"body": {"data": [{"index": 0, "embedding": [0.0] * 512}]}}
    with pytest.raises(EmbedderUnavailable, match="no direction"):
        GuardedEmbedder("rehearsal-embedding").embed(["a train"])


def test_a_goal_finds_its_procedure_by_words_while_the_endpoint_gives_no_vectors(
    embeddings, library, submit, settle, settings
):
    settings.GOALSITE_BREAKER_FAILURES = 1
    indexed = len(embeddings.requests)
    embeddings.script.update(embeddings=BUSY, plan_checkpoints=[plan(step())], act=DONE, judge_outcome=MET)
    embeddings.script["judge_applicability"] = NONE
    goal = settle(submit("group the errors in the logs"))
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert len(embeddings.named("embeddings")) == indexed + 1
    assert "log-triage" in said(embeddings.named("judge_applicability")[0]["body"]), "found by its words"
