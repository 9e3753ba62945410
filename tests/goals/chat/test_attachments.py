"""Files that a person gives: kept at once, sent with a message, given to the goals that they concern."""

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from artifacts.models import Artifact
from artifacts.references import NAME
from artifacts.services import catalogue
from goals import attachments, file_kinds, services
from goals.chat import conversations, corrections, timeline
from goals.chat.frames import message_frame
from goals.chat.interpreter import interpret_waiting
from goals.exceptions import InvalidInput, NotFound
from goals.models import Attachment, Conversation, Goal, Message
from tests.goals.rules import hold

pytestmark = pytest.mark.django_db(transaction=True)
SCRIPT = {"X-Requested-With": "goalsite"}
PICTURE = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


@pytest.fixture
def keep(owner):
    return lambda name="notes.txt", data=b"buy milk": attachments.keep(owner, SimpleUploadedFile(name, data))


@pytest.fixture
def say(owner, conversation):
    """Say something with files."""

    def run(words, *files):
        return conversations.post(owner, conversation.pk, words, attached=[file.pk for file in files])

    return run


def test_a_goal_gets_what_came_with_the_wish_as_a_file_and_as_an_artifact(endpoint, say, keep, said):
    say("Sum up these notes", keep())
    interpret_waiting()
    goal = Goal.objects.get()
    assert (Path(goal.workspace) / "attachments/notes.txt").read_bytes() == b"buy milk"
    artifact = Artifact.objects.get(context_id=goal.artifact_context_id)
    assert (artifact.name, artifact.type, artifact.value) == ("notes_txt", "file", "attachments/notes.txt")
    assert (artifact.trust, artifact.metadata["sha256"]) == ("person", Attachment.objects.get().blob_sha256)
    assert "@notes_txt (file): notes.txt" in catalogue(goal.artifact_context_id)
    assert "attachments/notes.txt" in catalogue(goal.artifact_context_id)
    assert "artifact.created" in goal.events.values_list("kind", flat=True)
    assert "notes.txt" in endpoint.named("interpret_message")[0]["body"]["messages"][-1]["content"]
    hold()


def test_a_goal_that_begins_gets_what_was_attached_before_and_a_command_does_as_well(endpoint, say, keep):
    endpoint.script["interpret_message"] = {"reply": {"action": "continue", "reply": "I see.", "reasoning": "r"}}
    say("Here is something?", keep("one.txt", b"1"))
    interpret_waiting()
    say("/goal Sum it up", keep("two.txt", b"2"))
    goal = Goal.objects.get()
    assert sorted(path.name for path in (Path(goal.workspace) / "attachments").iterdir()) == ["one.txt", "two.txt"]


def test_a_goal_under_way_gets_what_comes_with_a_word_that_steers_it_once(endpoint, say, keep, owner, conversation):
    goal = services.submit(owner=owner, objective="Write", conversation=conversation)
    endpoint.script["interpret_message"] = {"reply": {"action": "continue", "reply": "Yes.", "reasoning": "r"}}
    message = say("Use these numbers.", keep("numbers.csv", b"a,b\n1,2\n"))
    interpret_waiting()
    attachments.give(owner, goal, message)
    [artifact] = Artifact.objects.filter(context_id=goal.artifact_context_id)
    assert (artifact.name, artifact.version) == ("numbers_csv", 1)
    assert (Path(goal.workspace) / artifact.value).read_bytes() == b"a,b\n1,2\n"
    hold()


def test_a_correction_gives_the_files_to_the_right_goal(endpoint, say, keep, owner, conversation):
    endpoint.script["interpret_message"] = {"reply": {"action": "continue", "reply": "Yes.", "reasoning": "r"}}
    message = say("What is in it?", keep())
    interpret_waiting()
    corrections.correct(owner, conversation.pk, message.number, "goal", before="talk")
    assert (Path(Goal.objects.get().workspace) / "attachments/notes.txt").exists()


def test_files_of_one_name_lie_side_by_side_and_are_versions_of_one_artifact(endpoint, say, keep):
    say("/goal Compare them", keep("a.txt", b"1"), keep("a.txt", b"2"), keep("b", b"3"), keep("b", b"4"))
    goal = Goal.objects.get()
    rows = Artifact.objects.filter(context_id=goal.artifact_context_id).order_by("name", "version")
    assert [(row.name, row.version, row.value) for row in rows] == [
        ("a_txt", 1, "attachments/a.txt"),
        ("a_txt", 2, "attachments/a-2.txt"),
        ("b", 1, "attachments/b"),
        ("b", 2, "attachments/b-2"),
    ]
    hold()


def test_a_link_in_the_workspace_is_not_followed(endpoint, say, keep, tmp_path, owner, conversation):
    folder, outside = tmp_path / "work", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    (folder / "attachments").symlink_to(outside)
    say("Here?", keep())
    with pytest.raises(InvalidInput, match=r"notes\.txt cannot be put into the workspace"):
        services.submit(owner=owner, objective="Sum up", conversation=conversation, workspace=str(folder))
    assert list(outside.iterdir()) == []
    assert not Goal.objects.exists()


def test_what_is_refused_says_why_and_nothing_is_sent(owner, keep, say, monkeypatch, conversation):
    monkeypatch.setattr(attachments, "LONGEST", 4)
    with pytest.raises(InvalidInput, match=r"has 8 bytes; at most 4 bytes are allowed"):
        keep()
    with pytest.raises(InvalidInput, match="is empty"):
        keep(data=b"")
    with pytest.raises(InvalidInput, match="is missing"):
        attachments.keep(owner, None)
    monkeypatch.setattr(attachments, "MOST", 1)
    one, two = keep(data=b"1"), keep(data=b"2")
    with pytest.raises(InvalidInput, match="at most 1 go with one message"):
        say("both", one, two)
    monkeypatch.setattr(attachments, "MOST_UNSENT", 2)
    with pytest.raises(InvalidInput, match="2 files wait to be sent"):
        keep(data=b"3")
    assert not Message.objects.exists()
    assert Attachment.objects.filter(message=None).count() == 2


def test_what_was_never_sent_is_forgotten_after_a_month(keep, say):
    sent, unsent = keep(), keep()
    say("/help", sent)
    Attachment.objects.update(created_at=timezone.now() - attachments.KEPT_UNSENT)
    fresh = keep()
    assert set(Attachment.objects.values_list("pk", flat=True)) == {sent.pk, fresh.pk}
    with pytest.raises(InvalidInput):
        say("look", unsent)


def test_a_file_goes_with_one_message_only(keep, say):
    file = keep()
    say("/help", file)
    with pytest.raises(InvalidInput, match="attach it again"):
        say("again", file)
    assert Message.objects.filter(role="user").count() == 1


@pytest.mark.parametrize("wrong", ["nonsense", "0" * 99, "", "01a0b0c0-0000-7000-8000-000000000000"])
def test_a_file_that_is_not_there_begins_no_conversation(ada, wrong):
    response = ada.post(reverse("conversation_begin"), {"content": "hello", "attachment": wrong}, headers=SCRIPT)
    assert (response.status_code, list(response.json()["errors"])) == (400, ["attachments"])
    assert not Conversation.objects.exists()


def test_nobody_sees_sends_or_drops_the_file_of_another(keep, django_user_model):
    file = keep()
    eve = django_user_model.objects.create_superuser("eve")
    client = Client()
    client.force_login(eve)
    assert client.get(reverse("attachment", args=[file.pk])).status_code == 404
    assert client.post(reverse("detach", args=[file.pk])).status_code == 404
    mine = conversations.start(eve)
    with pytest.raises(InvalidInput):
        conversations.post(eve, mine.pk, "look", attached=[file.pk])
    with pytest.raises(NotFound):
        attachments.find(eve, file.pk)
    assert Attachment.objects.filter(message=None).exists()


def test_a_file_that_was_not_sent_can_be_dropped_and_one_that_was_stays(ada, keep, say):
    one, two = keep(), keep()
    say("/help", two)
    for file in (one, two):
        ada.post(reverse("detach", args=[file.pk]))
    assert list(Attachment.objects.values_list("pk", flat=True)) == [two.pk]


def test_a_file_is_uploaded_shown_and_downloaded(ada, say, owner, conversation):
    kept = ada.post(reverse("attach"), {"file": SimpleUploadedFile("a.md", b"# Title")}, headers=SCRIPT).json()
    assert (kept["name"], kept["size"], kept["type"]) == ("a.md", "7 bytes", "text/markdown")
    address = reverse("attachment", args=[kept["id"]])
    assert "<h1>Title</h1>" in ada.get(address).content.decode()
    download = ada.get(address, {"download": ""})
    assert (download.content, download["Content-Type"]) == (b"# Title", "application/octet-stream")
    assert 'filename="a.md"' in download["Content-Disposition"]


def test_a_picture_is_shown_and_whatever_else_is_only_ever_saved(ada, keep):
    picture, page = keep("a.png", PICTURE), keep("a.html", b"<script>alert(1)</script>")
    drawing, bytes_ = keep("a.svg", b"<svg onload='alert(1)'/>"), keep("a.png", b"\0<script>")
    assert ada.get(reverse("attachment", args=[picture.pk]), {"raw": ""})["Content-Type"] == "image/png"
    for text in (page, drawing):
        response = ada.get(reverse("attachment", args=[text.pk]), {"raw": ""})
        assert "&lt;" in response.content.decode()
        assert "<script>alert" not in response.content.decode()
        assert text.media_type == "text/plain"
    saved = ada.get(reverse("attachment", args=[bytes_.pk]), {"raw": ""})
    assert saved["Content-Type"] == "application/octet-stream"
    assert saved["Content-Disposition"].startswith("attachment")


def test_the_message_shows_its_files(keep, say, conversation):
    message = say("/help", keep("a<b>.txt"), keep("a.png", PICTURE))
    html = timeline.timeline(conversation)[0].render()
    assert "a&lt;b&gt;.txt" in html
    assert "?raw" in html
    assert [file["name"] for file in message_frame(message)["attachments"]] == ["a<b>.txt", "a.png"]


@pytest.mark.parametrize(
    ("given", "name", "artifact"),
    [
        ("Sales 2024.csv", "Sales 2024.csv", "Sales_2024_csv"),
        ("../../etc/passwd", "passwd", "passwd"),
        ("C:\\temp\\x.txt", "x.txt", "x_txt"),
        (".bashrc", "bashrc", "bashrc"),
        ("a\u202egnp.exe", "agnp.exe", "agnp_exe"),
        ("a\n\x00b.txt", "ab.txt", "ab_txt"),
        ("/", "file", "file"),
        ("2024-11.csv", "2024-11.csv", "file_2024-11_csv"),
        ("…", "…", "file"),
        ("日本.txt", "日本.txt", "日本_txt"),
        ("x" * 300 + ".csv", "x" * 116 + ".csv", "x" * 100),
    ],
)
def test_names_are_made_safe_and_can_be_referred_to(given, name, artifact):
    assert (file_kinds.safe_name(given), file_kinds.artifact_name(file_kinds.safe_name(given))) == (name, artifact)
    assert NAME.fullmatch(artifact)


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.png", PICTURE, "image/png"),
        ("a.txt", PICTURE, "image/png"),
        ("a.pdf", b"%PDF-1.7", "application/pdf"),
        ("a.docx", b"PK\x03\x04", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("a.png", b"PK\x03\x04", "application/zip"),
        ("a.webp", b"RIFF\0\0\0\0WEBP", "image/webp"),
        ("a.csv", b"a,b", "text/csv"),
        ("a.json", b"{}", "application/json"),
        ("a.html", b"<p>", "text/plain"),
        ("a.txt", b"\xff\xfe", "application/octet-stream"),
    ],
)
def test_what_a_file_is_is_told_by_its_first_bytes(name, data, kind):
    assert file_kinds.media_type(name, data) == kind
