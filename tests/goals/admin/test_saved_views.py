"""The list as it is narrowed is kept under a name, for oneself or for everybody."""

import pytest

from goals.admin import saved_views
from goals.models import SavedView
from tests.goals.admin.conftest import console_of
from tests.goals.api.conftest import permitted

pytestmark = pytest.mark.django_db
GOALS = "/admin/goals/goal/"
KEEP = f"{GOALS}views/keep/"


def test_a_view_is_kept_shown_and_dropped(console, root, goal):
    page = console.get(GOALS, {"status": "paused", "q": "<b>", "p": "1"}).content.decode()
    assert 'name="query" value="status=paused&amp;q=%3Cb%3E"' in page
    console.post(KEEP, {"name": " Mine\n& <i> ", "query": "status=paused&q=%3Cb%3E&p=3"})
    kept = SavedView.objects.get()
    assert (kept.owner, kept.name, kept.query, kept.is_shared) == (root, "Mine & <i>", "status=paused&q=%3Cb%3E", False)
    page = console.get(GOALS, {"status": "paused", "q": "<b>"}).content.decode()
    assert "Mine &amp; &lt;i&gt;" in page
    assert page.count('aria-current="page"') == 1
    console.post(KEEP, {"name": "Mine & <i>", "query": "age=1d"})
    assert SavedView.objects.get().query == "age=1d"
    assert console.get(f"{GOALS}views/{kept.pk}/drop/").status_code == 405
    assert SavedView.objects.exists()
    console.post(f"{GOALS}views/{kept.pk}/drop/")
    assert not SavedView.objects.exists()


def test_a_shared_view_is_everybodys_and_its_owners_to_drop(console, staff, goal):
    console.post(KEEP, {"name": "Night", "query": "needs=answer", "shared": "on"})
    console.post(KEEP, {"name": "Secret", "query": "needs=budget"})
    page = console_of(staff).get(GOALS).content.decode()
    assert "Night" in page
    assert "Secret" not in page
    for view in SavedView.objects.all():
        assert console_of(staff).post(f"{GOALS}views/{view.pk}/drop/").status_code == 404
    operator = console_of(permitted(staff, "operate"))
    codes = {view.name: operator.post(f"{GOALS}views/{view.pk}/drop/").status_code for view in SavedView.objects.all()}
    assert codes == {"Night": 302, "Secret": 404}
    assert SavedView.objects.get().name == "Secret"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": "", "query": "age=1d"}, "name: "),
        ({"name": "x" * 61, "query": "age=1d"}, "name: "),
        ({"name": "a", "query": "owner__password__startswith=a"}, "owner__password__startswith narrows no list"),
        ({"name": "a", "query": ""}, "there is nothing to keep"),
        ({"name": "a", "query": "q=" + "x" * 3000}, "query: at most 2000 characters"),
        ({"name": "a", "query": "q=\x00"}, "query: at most"),
    ],
)
def test_what_cannot_be_a_view_is_refused_by_name(console, goal, fields, words):
    answer = console.post(KEEP, fields, follow=True)
    assert words in " ".join(map(str, answer.context["messages"]))
    assert answer.request["QUERY_STRING"] == ("" if fields["name"] == "a" else fields["query"])
    assert not SavedView.objects.exists()


def test_sharing_needs_its_permission_and_nobody_keeps_too_many(staff, goal, monkeypatch):
    console = console_of(staff)
    console.post(KEEP, {"name": "a", "query": "age=1d", "shared": "on"})
    assert not SavedView.objects.exists()
    monkeypatch.setattr(saved_views, "MOST_VIEWS", 1)
    console.post(KEEP, {"name": "a", "query": "age=1d"})
    console.post(KEEP, {"name": "b", "query": "age=1d"})
    console.post(KEEP, {"name": "a", "query": "age=7d"})
    assert SavedView.objects.get().query == "age=7d"
    assert console.get(KEEP).status_code == 405
