"""What each page of the console grants when it is asked itself: not the login before it alone keeps others out."""

import pytest
from django.contrib import admin
from django.contrib.auth.models import User

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
