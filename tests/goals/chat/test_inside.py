"""Looking inside a goal: nodes, calls, artifacts, verifications and questions, each by its address."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from artifacts.services import create_artifact
from artifacts.shapes import shape_of
from goals import services
from goals.chat.inside.values import LONGEST, shown
from goals.models import Checkpoint, Goal, ModelCall, Subgoal, ToolCall, Verification
from goals.templatetags.inside import shaped

pytestmark = pytest.mark.django_db(transaction=True)
EFFECT = {"effect_class": "pure", "scope": "s", "status": "succeeded", "seconds": 1.5}


@pytest.fixture
def goal(owner) -> Goal:
    return services.submit(owner=owner, objective="Write a report")


@pytest.fixture
def node(goal) -> Subgoal:
    step = Checkpoint.objects.create(goal=goal, position=0, title="Read", predicate="execute", status="active")
    return Subgoal.objects.create(goal=goal, checkpoint=step, gloss="Read all", predicate="execute", operation="search")


@pytest.fixture
def look(owner):
    """Read what is inside a goal; its HTML."""
    client = Client()
    client.force_login(owner)

    def read(goal: Goal, kind: str, row, part: str = "", status: int = 200) -> str:
        address = reverse("goal_inside", args=[goal.pk, kind, row.pk]) + part
        response = client.get(address, headers={"X-Requested-With": "goalsite"})
        assert response.status_code == status, response.content
        return response.content.decode()

    return read


def model_call(goal: Goal, node: Subgoal, key: str = "m", **columns) -> ModelCall:
    wishes = {
        "purpose": "act",
        "role": "worker",
        "model": "a-model",
        "finished_at": timezone.now(),
        **EFFECT,
        **columns,
    }
    return ModelCall.objects.create(goal=goal, subgoal=node, checkpoint=node.checkpoint, key=key, **wishes)


def tool_call(goal: Goal, node: Subgoal, **columns) -> ToolCall:
    wishes = {"tool": "read_file", "key": "t", "finished_at": timezone.now(), **EFFECT, **columns}
    return ToolCall.objects.create(goal=goal, subgoal=node, checkpoint=node.checkpoint, **wishes)


def test_a_node_shows_its_attempts_calls_checks_cost_and_failure(look, goal, node):
    model_call(goal, node, key="1", cost_usd="0.25", input_tokens=1000, output_tokens=200)
    tool_call(goal, node, attempt=2, summary="12 lines were read")
    Verification.objects.create(
        goal=goal, checkpoint=node.checkpoint, verifier={"type": "llm"}, digest="d", met=False, reason="too few"
    )
    Subgoal.objects.filter(pk=node.pk).update(failure={"message": "the file is gone"}, previous_failure="no such file")
    html = look(goal, "subgoals", node)
    for text in ("Read all", "$0.2500", "1,200", "the file is gone", "no such file", "12 lines were read", "Try 2"):
        assert text in html, text
    assert "too few" in look(goal, "checkpoints", node.checkpoint)


def test_a_model_call_shows_its_prompt_its_reply_and_the_tools_that_it_used(look, goal, node):
    call = model_call(
        goal,
        node,
        request={"messages": [{"role": "system", "content": "You work."}, {"role": "user", "content": '{"a": [1]}'}]},
        response={"text": '{"status": "done"}', "tool_calls": []},
    )
    tool_call(goal, node, model_call=call, request={"input": {"path": "a.txt"}}, response={"value": {"text": "hello"}})
    html = look(goal, "model-calls", call)
    for text in ("You work.", "&quot;status&quot;: &quot;done&quot;", "read_file"):
        assert text in html, text
    html = look(goal, "tool-calls", call.tool_calls.get())
    assert "a.txt" in html
    assert "hello" in html


def test_what_is_stored_is_shown_and_never_run(look, goal, node):
    evil = "<script>alert(1)</script>"
    call = model_call(
        goal, node, request={"messages": [{"role": evil, "content": evil}]}, response={"text": evil}, error=evil
    )
    use = tool_call(goal, node, request={"input": evil}, response={"value": evil}, summary=evil, error=evil)
    artifact = create_artifact(
        context=goal.artifact_context_id, name="page", type="text", value=f"# {evil}", description=evil,
        metadata={"subgoal": str(node.pk), "files": [f"../{evil}"]},
    )  # fmt: skip
    Subgoal.objects.filter(pk=node.pk).update(gloss=evil, result={"text": evil}, args={"a": evil})
    for kind, row in (("model-calls", call), ("tool-calls", use), ("artifacts", artifact), ("subgoals", node)):
        assert "<script>" not in look(goal, kind, row)


def test_a_whole_text_is_plain_and_may_run_nothing(owner, goal, node):
    call = model_call(goal, node, response={"text": "<script>alert(1)</script>"})
    client = Client()
    client.force_login(owner)
    response = client.get(reverse("goal_part", args=[goal.pk, "model-calls", call.pk, "reply"]))
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]


def test_a_long_text_is_cut_with_a_way_to_the_whole(look, goal, node):
    long = "word " * LONGEST
    call = tool_call(goal, node, request={"input": {"text": long}}, response={"value": long})
    html = look(goal, "tool-calls", call)
    assert len(html) < 4 * LONGEST
    assert f"{call.pk}/result/" in html
    assert look(goal, "tool-calls", call, "result/") == long
    look(goal, "tool-calls", call, "nothing/", status=404)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"a": 1}, "1 field"),
        ([1, 2, 3], "3 entries"),
        ("some", "4 characters"),
        (b"ab", ""),
        (7, "number"),
        (None, "empty"),
    ],
)
def test_how_much_an_artifact_holds_is_said_in_plain_words(value, words):
    assert shaped(shape_of(value)) == words


def test_a_shown_text_ends_with_a_line():
    assert shown("short").is_cut is False
    assert shown(None).text == ""
    cut = shown("line\n" * 2000)
    assert cut.is_cut
    assert cut.text.endswith("line")
    assert cut.text.count("\n") < 100


def test_a_message_is_read_as_a_whole_by_its_number(look, goal, node):
    call = model_call(goal, node, request={"messages": [{"role": "user", "content": "x" * 9000}]})
    assert look(goal, "model-calls", call, "message-1/") == "x" * 9000
    look(goal, "model-calls", call, "message-2/", status=404)


def test_an_artifact_shows_its_value_its_versions_and_its_lineage(look, goal, node):
    context = goal.artifact_context_id
    source = create_artifact(context=context, name="letters", type="data", value={"count": 0}, description="all")
    first = create_artifact(context=context, name="report", type="text", value="Old", description="the report")
    second = create_artifact(
        context=context, name="report", type="text", value="**New**", description="the report", derived_from=[source]
    )
    html = look(goal, "artifacts", second)
    assert "<strong>New</strong>" in html
    assert "@letters:1" in html
    assert f"artifacts/{first.pk}/" in html
    html = look(goal, "artifacts", source)
    assert "&quot;count&quot;: 0" in html
    assert "@report:2" in html


def test_a_report_that_an_artifact_stands_for_is_shown_as_it_reads(look, goal):
    folder = Path(goal.workspace)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.md").write_text("# The *report*\n\n<script>alert(1)</script>")
    (folder / "secret.md").write_text("# Not said by a tool")
    facts = {"context": goal.artifact_context_id, "type": "file", "value": {"path": "report.md"}, "description": "r"}
    shown = look(goal, "artifacts", create_artifact(name="report", metadata={"files": ["report.md"]}, **facts))
    assert "<h1>The <em>report</em></h1>" in shown
    assert "<script>" not in shown
    for number, files in enumerate((["../../etc/x.md"], ["gone.md"], "secret.md", [7])):
        row = create_artifact(name=f"odd{number}", metadata={"files": files}, **facts)
        assert "Preview" not in look(goal, "artifacts", row)


@pytest.mark.parametrize("value", [0, False, "", None, [], {}])
def test_the_emptiest_values_are_values(look, goal, value):
    import json

    row = create_artifact(context=goal.artifact_context_id, name="v", type="data", value=value, description="v")
    assert "too large" not in look(goal, "artifacts", row)
    assert value == "" or json.dumps(value) in look(goal, "artifacts", row)


def test_what_is_unknown_inside_a_goal_is_not_found(look, goal, node):
    look(goal, "subgoals", goal, status=404)
    look(goal, "secrets", node, status=404)


def test_a_picture_is_shown_and_other_bytes_are_only_for_saving(look, goal):
    context = goal.artifact_context_id
    picture = create_artifact(
        context=context, name="plot", type="file", blob=b"\x89PNG\0", description="a plot", media_type="image/png"
    )
    other = create_artifact(
        context=context, name="page", type="file", blob=b"<svg\0>", description="it", media_type="image/svg+xml"
    )
    assert f'src="{reverse("artifact-content", args=[picture.pk])}"' in look(goal, "artifacts", picture)
    assert "<img" not in look(goal, "artifacts", other)
