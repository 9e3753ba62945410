"""A person's version of a procedure: made from the latest, by the rules of an import, or not at all."""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User

from sops import editing
from sops.exceptions import InvalidSop, StaleSop
from sops.exporter import spec_of
from sops.models import Sop, SopOrigin, SopVersion

pytestmark = pytest.mark.django_db


@pytest.fixture
def editor(client):
    user = User.objects.create_user("editor", is_staff=True)
    user.user_permissions.add(*Permission.objects.filter(codename__in=["change_sop", "view_sopversion"]))
    client.force_login(user)
    return client


@pytest.fixture
def triage(library):
    return SopVersion.objects.get(sop__slug="log-triage", is_current=True)


def path(version):
    return f"/admin/sops/sopversion/{version.pk}/edit/"


def sent(page, **changes):
    """What a browser sends when nothing but `changes` was changed."""
    context = page.context
    data = {"after": context["after"], "save": ""}
    for form in (context["form"], context["steps"].management_form, *context["steps"]):
        data |= {form.add_prefix(name): form[name].value() or "" for name in form.fields}
    return {**data, **changes}


def test_a_version_is_made_from_another_with_its_steps(editor, triage):
    page = editor.get(path(triage))
    again = editor.post(path(triage), sent(page))
    assert "says what version 1 says already" in again.content.decode()
    changes = {"title": "Night triage", "steps-0-ORDER": "1", "steps-1-ORDER": "2", "steps-1-title": "Write <it> up"}
    answer = editor.post(path(triage), sent(page, **changes))
    made = SopVersion.objects.get(sop=triage.sop, number=2)
    assert answer["Location"] == f"/admin/sops/sopversion/{made.pk}/change/"
    assert (made.is_current, made.origin, made.title) == (True, SopOrigin.PERSON, "Night triage")
    before, after = spec_of(triage).plain(), spec_of(made).plain()
    assert before["steps"][0] == after["steps"][0]
    assert {**before["steps"][1], "title": "Write <it> up"} == after["steps"][1]
    entry = LogEntry.objects.get()
    assert (entry.user.username, entry.get_change_message()) == ("editor", "made version 2 from version 1")
    assert "Write &lt;it&gt; up" in editor.get(path(made)).content.decode()


def test_every_library_procedure_goes_through_the_form_unchanged(editor, library):
    for version in SopVersion.objects.filter(is_current=True):
        answer = editor.post(path(version), sent(editor.get(path(version))))
        assert "says what version" in answer.content.decode(), version


def test_a_step_is_added_and_one_is_left_out(editor, triage):
    more = editor.post(path(triage), sent(editor.get(path(triage)), more=""))
    assert more.context["steps"].total_form_count() == 3
    assert not SopVersion.objects.filter(number=2).exists()
    new = {"steps-2-gloss": "Ask for the host", "steps-2-predicate": "gather_info", "steps-2-ORDER": "0"}
    editor.post(path(triage), {**sent(more), **new, "steps-1-DELETE": "on"})
    steps = spec_of(SopVersion.objects.get(number=2)).steps
    assert [step.gloss[:8] for step in steps] == ["Ask for ", "Read the"]
    assert steps[0].evidence_key == "host"


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"title": ""}, "title", "Field required"),
        ({"inputs": "{"}, "inputs", "valid JSON"),
        ({"inputs": "[" * 100_000}, "inputs", "valid JSON"),
        ({"quality": "9" * 5000}, "quality", "valid JSON"),
        ({"quality": '{"score": NaN}'}, "quality", "valid JSON"),
        ({"quality": '{"score": 1, "score": 2}'}, "quality", "valid JSON"),
        ({"quality": '{"score": 1e999}'}, "quality.score", "cannot be stored"),
        ({"quality": '{"score": ' + "[" * 400 + "]" * 400 + "}"}, "quality.score", "cannot be stored"),
        ({"verifier": '{"type": "magic"}'}, "verifier", "magic"),
        ({"steps-0-args": '{"tool": "no_such"}'}, "step 1, tools", "unknown tool"),
        ({"steps-1-args": '{"tool": "render_report", "input": {"data": "@nothing"}}'}, "step", "@nothing is not known"),
        ({"steps-0-predicate": "dance"}, "step 1, predicate", "dance is not one of"),
        ({"steps-0-gloss": "x\x00"}, "step 1, gloss", "Null characters"),
        ({"after": "0"}, "", "version 1 was made meanwhile"),
        ({"steps-TOTAL_FORMS": "99999"}, "steps", "at most 50"),
    ],
)
def test_what_the_rules_refuse_is_named_and_nothing_is_stored(editor, triage, changes, field, words):
    answer = editor.post(path(triage), sent(editor.get(path(triage)), **changes))
    page = answer.content.decode()
    assert answer.status_code == 422
    assert words in page
    assert field in page
    assert SopVersion.objects.filter(sop=triage.sop).count() == 1


def test_who_may_not_change_procedures_cannot_edit_them(client, triage):
    client.force_login(User.objects.create_user("viewer", is_staff=True))
    assert client.get(path(triage)).status_code == 403
    assert client.post(path(triage), {"title": "x"}).status_code == 403


def test_two_editors_do_not_overwrite_each_other(triage):
    raw = spec_of(triage).plain()
    editing.new_version(triage.sop, {**raw, "title": "First"}, after=1)
    with pytest.raises(StaleSop):
        editing.new_version(triage.sop, {**raw, "title": "Second"}, after=1)
    with pytest.raises(InvalidSop):
        editing.new_version(triage.sop, {**raw, "steps": []}, after=2)
    assert Sop.objects.get(slug="log-triage").current.title == "First"


def test_activating_and_retiring_say_who_did_it(client, triage):
    client.force_login(User.objects.create_superuser("root"))
    client.post("/admin/sops/sop/", {"action": "retire", "_selected_action": [triage.sop.pk]})
    entry = LogEntry.objects.get()
    assert (entry.user.username, entry.get_change_message()) == ("root", "active before, retired now")
