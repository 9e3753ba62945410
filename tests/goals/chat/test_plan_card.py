"""The card of a plan that waits, as the site renders it; a browser uses it in tests/browser/test_plan.py."""

import json
from html.parser import HTMLParser

import pytest
from django.test import Client
from django.urls import reverse

from goals.models import Checkpoint, Question
from tests.browser import plans
from tests.browser.plans import READ, proposal, step

pytestmark = pytest.mark.django_db(transaction=True)
SCRIPT = {"X-Requested-With": "goalsite"}


class Raw(HTMLParser):
    """Collects what the steps start from."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[dict] = []

    def handle_starttag(self, tag, attributes):
        raw = dict(attributes).get("data-raw")
        if raw:
            self.found.append(json.loads(raw))


def timeline(client: Client, question: Question) -> str:
    return client.get(reverse("timeline", args=[question.goal.conversation_id])).content.decode()


def test_a_plan_is_shown_step_by_step_and_what_it_was_made_of_is_kept(ada, owner):
    question = plans.waiting(owner, proposal(READ, step("Survey")), note="too dear", reason="it rained", revision=True)
    html = timeline(ada, question)
    for words in ("May I carry out this new plan?", "too dear", "it rained", "Survey", "Uses one tool", "read_file"):
        assert words in html
    read = Raw()
    read.feed(html)
    assert [raw["title"] for raw in read.found] == ["Read the old report", "Survey", ""]
    assert read.found[0] == READ


def test_hostile_words_of_a_plan_stay_words(ada, owner):
    evil = "</textarea></li><script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
    hostile = step(evil, description=evil, success_criteria=evil, args={"instructions": f"{evil}!"}, tools=[evil])
    verifier = {"type": "data", "path": evil, "contains": evil}
    question = plans.waiting(owner, proposal({**hostile, "verifier": verifier}, notes=evil), note=evil, reason=evil)
    html = timeline(ada, question)
    assert "<script" not in html
    assert "<img" not in html
    read = Raw()
    read.feed(html)
    assert read.found[0]["title"] == evil


def test_an_edited_plan_that_was_refused_says_where_and_is_not_written(ada, owner):
    question = plans.waiting(owner, proposal(step("Survey")))
    address = reverse("answer", args=[question.pk])
    edited = [step("Survey", success_criteria=""), {**READ, "args": {"tool": "teleport", "input": {}}}]
    refused = ada.post(address, {"value": json.dumps({"plan": edited, "of": 1})}, headers=SCRIPT)
    assert refused.status_code == 400
    assert refused.json()["errors"].keys() == {"answer.plan[0].success_criteria", "answer.plan[1].args.tool"}
    assert not Checkpoint.objects.exists()
    done = ada.post(address, {"value": json.dumps({"plan": edited[:1], "of": 1})}, headers=SCRIPT)
    assert done.status_code == 400
    kept = [step("Survey twice")]
    assert ada.post(address, {"value": json.dumps({"plan": kept, "of": 1})}, headers=SCRIPT).status_code == 200
    assert Checkpoint.objects.get().title == "Survey twice"
    html = timeline(ada, question)
    assert "Approved, as edited" in html
    assert "plan-card" not in html
