"""A new goal is given what its words name after an @."""

import pytest

from artifacts.models import Artifact
from goals import services
from goals.chat.interpreter import interpret_waiting
from goals.effects.making import make_artifact
from goals.transitions import writing
from tests.goals.rules import hold

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def earlier(owner, conversation):
    """A goal of the conversation with a list of trains."""
    goal = services.submit(owner=owner, objective="Find trains", conversation=conversation)
    with writing(goal.pk) as writer:
        make_artifact(writer, "trains", type="data", value=["ICE 1"], description="Trains")
        make_artifact(writer, "trains", type="data", value=["ICE 2"], description="Trains", trust="untrusted")
        make_artifact(writer, "report", type="file", value="report.md", description="The report")
    return goal


def of(goal):
    return Artifact.objects.filter(context_id=goal.artifact_context_id)


def test_a_goal_is_given_the_newest_artifact_of_a_name_with_its_lineage_and_its_label(earlier, owner, conversation):
    goal = services.submit(owner=owner, objective="Book the first of @trains, please", conversation=conversation)
    [given] = of(goal)
    assert (given.name, given.version, given.value, given.trust) == ("trains", 1, ["ICE 2"], "untrusted")
    assert [source.value for source in given.derived_from.all()] == [["ICE 2"]]
    assert "artifact.created" in goal.events.values_list("kind", flat=True)
    hold()


ODD = ("mail ada@trains.example", "@@trains", "@train", "@trainspotting", "@report", "@", "trains")


@pytest.mark.parametrize("words", ODD)
def test_what_names_no_value_is_only_words(earlier, owner, conversation, words):
    assert not of(services.submit(owner=owner, objective=words, conversation=conversation)).exists()


def test_nothing_of_another_conversation_is_given(earlier, owner):
    goal = services.submit(owner=owner, objective="Book @trains", conversation_title="Elsewhere")
    assert not of(goal).exists()


def test_what_the_person_named_is_given_also_where_the_model_says_it_in_other_words(endpoint, earlier, post):
    wish = {"gloss": "Book the first train"}
    endpoint.script["interpret_message"] = {"reply": {"action": "new_goal", "goal": wish, "reasoning": "r"}}
    message = post("Take the first of @trains")
    interpret_waiting()
    message.refresh_from_db()
    assert [(given.name, given.version) for given in of(message.goal)] == [("trains", 1)]
