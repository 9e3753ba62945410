"""What each page of the console grants when it is asked itself: not the login before it alone keeps others out."""

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission, User

from tests.goals.api.conftest import permitted

pytestmark = pytest.mark.django_db
RIGHTS = ("has_module_permission", *(f"has_{word}_permission" for word in ("view", "add", "change", "delete")))


def granted(rf, user):
    request = rf.get("/")
    request.user = user
    return [
        f"{model._meta.label}: {right}"
        for model, page in admin.site._registry.items()
        for right in RIGHTS
        if getattr(page, right)(request)
    ]


@pytest.mark.parametrize(
    "facts",
    [
        {},
        {"is_staff": True, "is_active": False},
        {"is_staff": True, "is_superuser": True, "is_active": False},
    ],
    ids=["no staff", "staff who left", "a superuser who left"],
)
def test_nothing_is_granted_to_who_is_no_staff_or_was_shut_out(rf, facts):
    assert granted(rf, User.objects.create_user("eve", **facts)) == []


def test_rights_that_count_on_the_page_open_no_console(rf):
    person = permitted(User.objects.create_user("eve"), "operate", "configure", "rearm")
    assert granted(rf, person) == []


def written(rf, user):
    """Return what a person may write, by page: everything else in the console is history, or changed by acts alone."""
    found = {}
    for label, _, right in (one.partition(": has_") for one in granted(rf, user)):
        if right not in ("module_permission", "view_permission"):
            found[label] = {*found.get(label, ()), right.removesuffix("_permission")}
    return found


def test_with_every_permission_one_writes_settings_and_what_is_ones_own_and_a_superuser_people_too(rf):
    everything = {"add", "change", "delete"}
    able = User.objects.create_user("able", is_staff=True)
    able.user_permissions.set(Permission.objects.all())
    settings = {
        "goals.ApiToken": {"add"},
        "goals.McpServer": everything,
        "goals.McpTool": {"change"},
        "goals.ModelChoice": everything,
        "goals.ModelPrice": {"add"},
        "goals.ToolRule": everything,
        "goals.Webhook": {"add", "change"},
    }
    assert written(rf, able) == settings
    people = {"auth.User": everything, "auth.Group": everything}
    assert written(rf, User.objects.create_superuser("root")) == {**settings, **people}


def test_a_list_deletes_what_may_be_deleted_and_nothing_else(rf):
    request = rf.get("/")
    request.user = User.objects.create_superuser("root")
    pages = admin.site._registry.items()
    offered = {model._meta.label for model, page in pages if "delete_selected" in page.get_actions(request)}
    assert offered == {label for label, rights in written(rf, request.user).items() if "delete" in rights}


def test_rows_beneath_a_page_are_written_by_nobody(rf):
    request = rf.get("/")
    request.user = User.objects.create_superuser("root")
    beneath = [
        (kind.__name__, right)
        for model, page in admin.site._registry.items()
        for kind in page.inlines
        for right in RIGHTS[2:]
        if getattr(kind(model, admin.site), right)(request, None)
    ]
    assert beneath == []
