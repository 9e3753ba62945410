"""Questions on the page: fields by schema, answers that fit, what an approval shows, and who was first."""

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from artifacts.services import latest
from goals import answers, services
from goals.chat import diffs, fields
from goals.chat.showing import shown_question
from goals.chat.timeline import timeline
from goals.effects.making import ask_person
from goals.exceptions import InvalidInput
from goals.models import Goal, Question
from goals.states import QuestionKind
from goals.transitions import writing

pytestmark = pytest.mark.django_db(transaction=True)
SCRIPT = {"X-Requested-With": "goalsite"}
INFORMATION, APPROVAL = QuestionKind.INFORMATION, QuestionKind.APPROVAL


@pytest.fixture
def goal(owner, conversation) -> Goal:
    return services.submit(owner=owner, objective="Plan the fair", conversation=conversation)


@pytest.fixture
def ask(goal):
    def make(schema=None, kind=INFORMATION, **columns) -> Question:
        with writing(goal.pk) as writer:
            return ask_person(writer, kind, "Well?", key="k", schema=schema, **columns)

    return make


def send(client, question, **data):
    return client.post(reverse("answer", args=[question.pk]), data, headers=SCRIPT)


# -- fields


@pytest.mark.parametrize(
    ("schema", "kind", "attributes"),
    [
        (None, "long", {"maxlength": "20000"}),
        ({"type": "string", "maxLength": 80}, "text", {"maxlength": "80"}),
        ({"type": "string", "format": "date"}, "date", {}),
        ({"type": "string", "format": "date-time"}, "datetime-local", {}),
        ({"type": "string", "format": "email"}, "email", {"maxlength": "20000"}),
        ({"type": "integer", "minimum": 1, "maximum": 9}, "number", {"min": "1", "max": "9", "step": "1"}),
        ({"type": ["number", "null"]}, "number", {"step": "any"}),
        ({"type": "number", "multipleOf": 0.5}, "number", {"step": "0.5"}),
        ({"enum": list("abcdefg")}, "select", {}),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, "checks", {}),
        ({"type": "array", "items": {"type": "string"}}, "lines", {}),
        ({"type": "array", "items": {"type": "object"}}, "json", {}),
        ({"type": "object"}, "json", {}),
        ({"type": "string", "contentMediaType": "image/png"}, "file", {"accept": "image/png"}),
        ({"type": "string", "format": "binary"}, "file", {}),
        ({"type": "nonsense", "enum": "no list", "maxLength": "x"}, "long", {"maxlength": "20000"}),
    ],
)
def test_a_field_is_made_for_its_schema(schema, kind, attributes):
    (field,) = fields.fields_of(Question(kind=INFORMATION, schema=schema))
    assert (field.name, field.kind, field.attributes) == ("answer", kind, attributes)


@pytest.mark.parametrize(
    ("schema", "labels"), [({"type": "boolean"}, ["Yes", "No"]), ({"enum": ["North", 2, True]}, ["North", "2", "Yes"])]
)
def test_few_choices_are_a_button_each(ask, schema, labels):
    shown = shown_question(ask(schema))
    assert [choice.label for choice in shown.choices] == labels
    assert shown.fields == []


def test_an_object_is_a_field_for_each_of_its_parts(ask, ada):
    parts = {
        "name": {"type": "string", "minLength": 3, "maxLength": 80, "title": "Your name"},
        "guests": {"type": "integer", "minimum": 0},
        "vegan": {"type": "boolean"},
        "note": {"type": "string"},
    }
    question = ask({"type": "object", "properties": parts, "required": ["name", "vegan"]})
    found = fields.fields_of(question)
    assert [(f.name, f.label, f.kind, f.required) for f in found] == [
        ("answer.name", "Your name", "text", True),
        ("answer.vegan", "Vegan", "radio", True),
        ("answer.guests", "Guests", "number", False),
        ("answer.note", "Note", "long", False),
    ]
    told = send(ada, question, **{"answer.name": "Al", "answer.guests": "many"}).json()["errors"]
    assert set(told) == {"answer.name", "answer.guests", "answer.vegan"}
    assert told["answer.guests"] == "must be a whole number"
    data = {"answer.name": "Alan", "answer.guests": "3", "answer.vegan": "false", "answer.note": " "}
    assert send(ada, question, **data).status_code == 200
    question.refresh_from_db()
    assert question.answer == {"name": "Alan", "guests": 3, "vegan": False}


@pytest.mark.parametrize(
    ("schema", "said", "value"),
    [
        (None, "answer=two+words", "two words"),
        ({"type": "integer"}, "answer=7", 7),
        ({"type": "number"}, "answer=1.5", 1.5),
        ({"enum": list("abcdefg")}, 'answer="c"', "c"),
        ({"type": "array", "items": {"enum": ["a", "b", "c"]}}, 'answer="a"&answer="c"', ["a", "c"]),
        ({"type": "array", "items": {"type": "string"}}, "answer=a%0D%0A%0D%0Ab", ["a", "b"]),
        ({"type": "object"}, 'answer={"a": 1}', {"a": 1}),
        ({"type": "string", "format": "date"}, "answer=", None),
    ],
)
def test_what_is_filled_in_is_read_back(schema, said, value):
    assert fields.read(Question(kind=INFORMATION, schema=schema), QueryDict(said)) == value


@pytest.mark.parametrize(
    ("schema", "said"), [({"type": "integer"}, "x"), ({"type": "object"}, "{"), ({"type": "number"}, "1e")]
)
def test_what_cannot_be_read_is_told_at_the_field(schema, said):
    with pytest.raises(InvalidInput) as refused:
        fields.read(Question(kind=INFORMATION, schema=schema), QueryDict(f"answer={said}"))
    assert list(refused.value.errors) == ["answer"]


def test_a_value_that_does_not_fit_leaves_the_question_open(ask, ada):
    question = ask({"type": "integer", "maximum": 9})
    assert "maximum" in send(ada, question, answer="12").json()["errors"]["answer"]
    question.refresh_from_db()
    assert question.status == "open"


def test_a_file_becomes_the_artifact_of_the_answer(ask, ada, goal):
    question = ask({"type": "string", "contentMediaType": "text/csv"})
    folder = Path(goal.workspace) / "uploads"
    assert send(ada, question).json()["errors"] == {"answer": "choose a file"}
    folder.mkdir(parents=True)
    (folder / "list.csv").write_text("of somebody else")
    file = SimpleUploadedFile("../../up/list.csv", b"a,b\n1,2\n")
    assert send(ada, question, answer=file).status_code == 200
    artifact = latest(goal.artifact_context_id, ["k"])["k"]
    assert (artifact.type, artifact.value, artifact.trust) == ("file", "uploads/list-2.csv", "person")
    assert (folder / "list-2.csv").read_bytes() == b"a,b\n1,2\n"
    assert (folder / "list.csv").read_text() == "of somebody else"


def test_a_file_that_is_too_large_is_refused(ask, ada, monkeypatch):
    monkeypatch.setattr("goals.chat.questions.MOST_BYTES", 10)
    told = send(ada, ask({"type": "string", "format": "binary"}), answer=SimpleUploadedFile("a", b"x" * 11)).json()
    assert "at most 10" in told["errors"]["answer"]


# -- who was first


def test_who_comes_too_late_is_told_who_was_first(ask, ada, owner, django_user_model):
    question = ask()
    bob = django_user_model.objects.create_superuser("bob")
    answers.answer(bob, question.pk, "Paris", channel="api")
    told = send(ada, question, answer="Rome")
    assert told.status_code == 409
    assert told.json()["message"] == "bob was faster and answered this by api. Their answer stands."
    later = Client()
    later.force_login(bob)
    assert send(later, question, answer="Rome").json()["message"] == "You have answered this already, by api."


def test_who_answers_at_the_same_moment_is_told_as_well(ask, ada, owner, django_user_model, monkeypatch):
    question, bob = ask(), django_user_model.objects.create_superuser("bob")
    read = fields.read

    def meanwhile(found, post):
        answers.answer(bob, found.pk, "Paris", channel="page")
        return read(found, post)

    monkeypatch.setattr(fields, "read", meanwhile)
    assert (
        send(ada, question, answer="Rome").json()["message"].startswith("bob was faster and answered this on the page")
    )


def test_a_withdrawn_question_says_so(ask, ada, owner, goal):
    question = ask()
    services.cancel(owner, goal.pk)
    assert "no longer needed" in send(ada, question, answer="Rome").json()["message"]


@pytest.mark.parametrize(
    ("channel", "by_owner", "words"),
    [("page", True, ""), ("page", False, "bob on the page"), ("api", True, "ada by api"), ("beforehand", True, "said")],
)
def test_an_answer_says_by_whom_where_that_is_not_obvious(ask, owner, django_user_model, channel, by_owner, words):
    bob = django_user_model.objects.create_superuser("bob")
    answers.answer(owner if by_owner else bob, ask().pk, "Paris", channel=channel)
    shown = shown_question(Question.objects.select_related("goal", "answered_by").get())
    assert shown.whence.startswith(words)
    assert bool(shown.whence) == bool(words)


# -- approvals


@pytest.fixture
def approval(ask, goal):
    def make(tool, given, **details) -> Question:
        Path(goal.workspace).mkdir(parents=True, exist_ok=True)
        return ask(kind=APPROVAL, details={"tool": tool, "input": given, "risk": "dangerous", **details})

    return make


def marks(change) -> list[str]:
    return [f"{line.mark}{line.text}" for line in change.lines if line.kind in {"add", "del"}]


def test_an_approval_of_an_edit_shows_what_would_change_in_the_file(approval, goal):
    question = approval("edit_file", {"path": "a.txt", "old": "two\n", "new": "zwei\ndrei\n"})
    (Path(goal.workspace) / "a.txt").write_text("one\ntwo\nfour\n")
    shown = shown_question(question)
    assert marks(shown.change) == ["−two", "+zwei", "+drei"]
    assert (shown.change.added, shown.change.removed, shown.arguments) == (2, 1, [])
    html = "".join(one.render() for one in timeline(goal.conversation))
    assert '<tr class="del"><td class="sign">−</td><td>two</td></tr>' in html


@pytest.mark.parametrize(
    ("given", "note"),
    [
        ({"path": "new.txt", "content": "x"}, "A new file."),
        ({"path": "a.txt", "content": "one\n"}, "Nothing would change"),
        ({"path": "../a.txt", "content": "x"}, "../a.txt"),
        ({"path": "/etc/passwd", "content": "x"}, "outside the workspace"),
        ({"path": "link.txt", "content": "x"}, "link"),
        ({"path": "large.txt", "content": "x"}, "too large"),
        ({"path": "binary", "content": "x"}, "binary"),
        ({"path": "a.txt", "content": "x\n" * 5000}, "too many"),
    ],
)
def test_a_change_that_is_special_says_how(approval, goal, given, note):
    question, folder = approval("write_file", given), Path(goal.workspace)
    (folder / "a.txt").write_text("one\n")
    (folder / "large.txt").write_text("x" * (diffs.MOST_BYTES + 1))
    (folder / "binary").write_bytes(b"\0\1\2")
    (folder / "link.txt").symlink_to("/etc/passwd")
    change = diffs.change_of(question)
    assert note in change.note
    assert "root:" not in str(change)


def test_a_long_change_is_shown_up_to_a_bound(approval):
    change = diffs.change_of(approval("write_file", {"path": "a.txt", "content": "x" * 900 + "\n" + "line\n" * 900}))
    assert (len(change.lines), change.left_out, change.added) == (diffs.MOST_SHOWN, 602, 901)
    assert len(change.lines[1].text) == diffs.LONGEST_LINE + 1


def test_other_tools_show_their_arguments_and_why_a_person_is_asked(approval):
    shown = shown_question(approval("web_post", {"url": "https://example.com", "body": {"a": 1}}, untrusted=True))
    assert shown.change is None
    assert shown.arguments == [("url", "https://example.com"), ("body", '{\n  "a": 1\n}')]
    assert [reason.split()[0] for reason in shown.reasons] == ["This", "What"]


def test_what_a_tool_would_be_given_is_shown_as_text(approval, goal):
    approval("write_file", {"path": "<b>.html", "content": "<script>alert(1)</script>"})
    html = "".join(one.render() for one in timeline(goal.conversation))
    assert "&lt;script&gt;alert(1)" in html
    assert "<script>" not in html
