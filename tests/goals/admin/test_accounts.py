"""Who gives rights away in the console: superusers alone, whatever permissions somebody has. Tokens are one's own."""

import re

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User
from django.urls import reverse
from django_q.models import OrmQ, Schedule

from goals.models import ApiToken
from tests.goals.admin.conftest import console_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def able(staff):
    """Staff with every permission that there is, but no superuser."""
    staff.user_permissions.set(Permission.objects.all())
    return User.objects.get(pk=staff.pk)


@pytest.fixture
def desk(able):
    return console_of(able)


def test_with_every_permission_nobody_becomes_a_superuser_or_makes_another_person(desk, able, root):
    for path, sent in (
        (reverse("admin:auth_user_change", args=[able.pk]), {"username": "bob", "is_superuser": "on"}),
        (reverse("admin:auth_user_change", args=[root.pk]), {"username": "root", "is_active": ""}),
        (reverse("admin:auth_user_password_change", args=[root.pk]), {"password1": "a-b-c-1-2-3", "password2": "x"}),
        (reverse("admin:auth_user_add"), {"username": "new", "usable_password": "false"}),
        (reverse("admin:auth_user_delete", args=[root.pk]), {"post": "yes"}),
        (reverse("admin:auth_group_add"), {"name": "new"}),
    ):
        assert desk.post(path, sent).status_code == 403, path
    chosen = {"action": "delete_selected", "_selected_action": [root.pk], "post": "yes"}
    desk.post(reverse("admin:auth_user_changelist"), chosen)
    assert User.objects.filter(pk=root.pk, is_active=True).exists()
    assert not User.objects.filter(pk=able.pk, is_superuser=True).exists()
    assert not Group.objects.filter(name="new").exists()


@pytest.mark.parametrize("model", [OrmQ, Schedule])
def test_nobody_writes_the_queues_rows_by_hand(console, model):
    base = f"admin:django_q_{model._meta.model_name}"
    assert console.get(reverse(f"{base}_changelist")).status_code == 200
    assert console.post(reverse(f"{base}_add"), {"func": "os.system", "args": "'x'"}).status_code == 403
    assert admin.site._registry[model].actions == []


def test_staff_make_see_and_end_their_own_tokens_and_nobody_elses(desk, able, ada):
    theirs, _ = ApiToken.objects.issue(ada, name="hers", scopes=["operate"])
    sent = {"user": ada.pk, "name": "mine", "scopes": ["read"]}
    assert 'name="user"' not in desk.get(reverse("admin:goals_apitoken_add")).content.decode()
    made = desk.post(reverse("admin:goals_apitoken_add"), sent, follow=True).content.decode()
    token = ApiToken.objects.get(name="mine")
    assert (token.user, len(re.findall(r"gs_[\w-]{40,}", made))) == (able, 1)
    listed = desk.get(reverse("admin:goals_apitoken_changelist")).content.decode()
    assert ("mine" in listed, "hers" in listed) == (True, False)
    end = {"_form_submitted": "on"}
    assert desk.post(reverse("admin:goals_apitoken_end_token", args=[theirs.pk]), end).status_code == 404
    ended = []
    for _ in range(2):
        desk.post(reverse("admin:goals_apitoken_end_token", args=[token.pk]), end)
        ended.append(ApiToken.objects.get(pk=token.pk).ended_at)
    assert ended[0] == ended[1] is not None, "when it ended is not told anew"
    assert list(ApiToken.objects.living()) == [theirs]


def test_a_token_that_would_be_over_at_once_is_not_made(desk):
    past = {"expires_at_0": "2020-01-01", "expires_at_1": "00:00"}
    page = desk.post(reverse("admin:goals_apitoken_add"), {"name": "mine", "scopes": ["read"], **past})
    assert "Must lie ahead" in page.content.decode()
    assert not ApiToken.objects.exists()


def test_staff_are_told_nobody_elses_name_beside_their_tokens(desk, root, operator, ada):
    operator.is_staff = True
    operator.save()
    User.objects.filter(pk=ada.pk).update(username="countess")
    listed = reverse("admin:goals_apitoken_changelist")
    theirs, _ = ApiToken.objects.issue(ada, name="hers", scopes=["read"])
    assert "countess" not in desk.get(listed).content.decode()
    assert list(console_of(root).get(listed, {"owner": "countess"}).context["cl"].result_list) == [theirs]
