"""How a goal ended, as the conversation shows it."""

from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from artifacts.services import create_artifact
from goals import services
from goals.chat.endings import endings
from goals.chat.outcome import LONGEST, outcomes
from goals.chat.results import LONGEST_PREVIEW, beginning
from goals.effects.making import add_message
from goals.models import Goal, Role
from tests.goals.test_model_goals import DONE, MET
from tests.goals.test_model_goals import plan as replied
from tests.goals.test_model_goals import step as drafted

pytestmark = pytest.mark.django_db(transaction=True)
ANSWER = "# Compared\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<script>alert(1)</script>\n\n" + "Word for word. " * 400


def ended(goal) -> str:
    ((_, piece),) = endings([goal])
    return piece.render()


@pytest.fixture
def done(endpoint, submit, settle, conversation):
    """A goal that a model has reached, with this as the words of its last step."""

    def make(text=ANSWER, outputs=()) -> Goal:
        last = {"reply": {"status": "done", "result": text, "outputs": list(outputs)}}
        endpoint.script.update(
            plan_checkpoints=replied(drafted("First"), drafted("Second")), act=[DONE, last], judge_outcome=MET
        )
        return settle(submit(conversation=conversation))

    return make


def test_the_words_of_a_models_goal_are_shown_whole_and_safe(done):
    goal = done()
    html = ended(goal)
    assert "<h1>Compared</h1>" in html
    assert "<td>2</td>" in html
    assert "<script>" not in html
    assert html.count("Word for word.") == 400
    assert 'class="foldable long"' in html
    assert "How it was checked" in html
    assert "seen" in html
    assert "7 model calls" in html
    assert "$" in html


def test_what_is_left_behind_is_linked(done):
    outputs = [{"name": "table", "type": "text", "description": "The table", "purpose": "", "value": "x"}]
    goal = done("Here it is.", outputs)
    assert "@table" in ended(goal)


def test_the_artifact_that_is_called_result_comes_first(done):
    goal = done("All done.", [{"name": "result", "type": "text", "description": "r", "purpose": "", "value": "Of 42."}])
    assert "Of 42." in ended(goal)
    assert "All done." not in ended(goal)
    assert "@result" not in ended(goal)


def test_what_the_conversation_says_already_is_not_said_again(done):
    goal = done("The answer is 42.")
    assert "The answer is 42." in ended(goal)
    add_message(goal.conversation_id, role=Role.ASSISTANT, content="The answer is 42.", goal=goal)
    assert "The answer is 42." not in ended(goal)


def test_a_very_long_result_is_cut_between_paragraphs_and_says_so(done):
    goal = done()
    text = "A paragraph of some words.\n\n" * 2000
    create_artifact(context=goal.artifact_context_id, name="result", type="text", value=text, description="d")
    found = outcomes([goal])[goal.pk]
    assert found.is_cut
    assert len(found.text) <= LONGEST
    assert found.text.endswith("words.")
    assert "This is the beginning" in ended(goal)


def test_a_goal_that_was_not_reached_says_why_and_what_it_had_come_to(done, owner):
    goal = done()
    Goal.objects.filter(pk=goal.pk).update(status="cancelled", reason="not wanted any more")
    html = ended(Goal.objects.get(pk=goal.pk))
    assert "not wanted any more" in html
    assert "What it had come to" in html


def test_the_beginning_of_a_report_is_cut_between_two_blocks(owner, submit):
    goal = submit()
    folder = Path(goal.workspace)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "short.md").write_text("# All of it\n")
    (folder / "long.md").write_text("# Long\n\n" + "| a | ä |\n|---|---|\n| 1 | 2 |\n\n" * 900)
    (folder / "code.md").write_text("```\n" + "line\n\n" * 4000 + "```\n")
    assert beginning(goal, "short.md") == ("# All of it\n", False)
    text, is_more = beginning(goal, "long.md")
    assert is_more
    assert text.endswith("| 1 | 2 |")
    assert LONGEST_PREVIEW - 100 < len(text.encode()) <= LONGEST_PREVIEW
    assert beginning(goal, "code.md")[0].endswith("\n```")
    assert beginning(goal, "gone.md") == beginning(goal, "../../x.md") == beginning(goal, "a.txt") == ("", False)


def test_a_long_report_is_folded_below_its_beginning(done):
    goal = done("Here it is.")
    add_message(goal.conversation_id, role=Role.ASSISTANT, content="Here it is.", goal=goal)
    facts = {"context": goal.artifact_context_id, "type": "file", "description": "d", "metadata": {"files": ["r.md"]}}
    create_artifact(name="report", value="x", **facts)
    folder = Path(goal.workspace)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "r.md").write_text("# All of it\n")
    assert 'class="foldable"' in ended(goal)
    (folder / "r.md").write_text("# All of it\n\n" + "A line.\n\n" * 40)
    assert 'class="foldable long"' in ended(goal)


def test_many_endings_cost_as_many_queries_as_one(owner, conversation):
    goals = []
    for number in range(6):
        goal = services.submit(owner=owner, objective=f"Goal {number}", conversation=conversation)
        facts = {"context": goal.artifact_context_id, "type": "text", "description": "d"}
        create_artifact(name="result", value=f"Result {number}", **facts)
        create_artifact(name="other", value="x", metadata={"files": [f"{number}.md"]}, **facts)
        goals.append(services.cancel(owner, goal.pk))
    goals = list(Goal.objects.order_by("created_at"))
    with CaptureQueriesContext(connection) as one:
        endings(goals[:1])
    with CaptureQueriesContext(connection) as all_of_them:
        shown = endings(goals)
    assert len(all_of_them) == len(one)
    assert all(f"Result {number}" in piece.html for number, (_, piece) in enumerate(shown))
