"""The groups that a site has from the start, and what each grants."""

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command

from goals import roles, seeing, services, tool_policy
from goals.exceptions import NotAllowed, NotFound, StaleGoal
from goals.models import Goal

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def groups(db):
    roles.make()


def granted(permissions):
    return {f"{one.content_type.app_label}.{one.codename}" for one in permissions}


def member(name, group, **facts):
    person = User.objects.create_user(name, **facts)
    person.groups.add(Group.objects.get(name=group))
    return User.objects.get(pk=person.pk)


def test_migrating_makes_the_groups_that_are_missing_and_changes_none_that_is_there():
    Group.objects.get(name="operator").delete()
    Group.objects.get(name="engineer").permissions.clear()
    call_command("migrate", verbosity=0)
    assert granted(Group.objects.get(name="operator").permissions.all()) >= {"goals.operate", "sops.view_sop"}
    assert not Group.objects.get(name="engineer").permissions.exists()
    assert roles.make() == []


def test_every_right_that_a_role_names_is_there():
    for role in roles.ROLES:
        found = granted(role.permissions())
        assert found >= set(role.grants)
        assert all(name in role.grants or name.split(".")[1].startswith("view_") for name in found)


def test_an_operator_sees_and_moves_everybodys_goals_and_sets_nothing_on_the_host():
    ada, olga = User.objects.create_user("ada"), member("olga", "operator")
    goal = services.submit(owner=ada, objective="Write")
    assert services.pause(olga, goal.pk).status == "paused"
    with pytest.raises(StaleGoal, match="only an ended goal can be rearmed"):
        services.rearm(olga, goal.pk)
    assert not olga.has_perm("goals.use_host_verifiers")
    assert not olga.has_perm("goals.configure")


def test_whoever_is_shut_out_keeps_no_right():
    ada, olga = User.objects.create_user("ada"), member("olga", "operator", is_active=False)
    root = User.objects.create_superuser("root", is_active=False)
    goal = services.submit(owner=ada, objective="Write")
    for person in (olga, root):
        assert not seeing.visible_goals(person).exists()
        assert not Goal.objects.owned_by(person).exists()
        with pytest.raises(NotFound):
            services.pause(person, goal.pk)
        with pytest.raises(NotAllowed):
            tool_policy.set_rule(person, permission="deny", tool="read_file")


def test_an_engineer_sets_what_runs_and_sees_nobodys_goals():
    ada, ed = User.objects.create_user("ada"), member("ed", "engineer")
    services.submit(owner=ada, objective="Write")
    assert ed.has_perms(["goals.use_host_verifiers", "goals.configure", "sops.change_sop"])
    assert not seeing.visible_goals(ed).exists()


def test_the_console_says_when_a_role_needs_staff_status(admin_client):
    person = User.objects.create_user("olga")
    sent = {"username": "olga", "is_active": "on", "groups": [Group.objects.get(name="operator").pk]}
    sent |= {"date_joined_0": "2026-01-01", "date_joined_1": "00:00:00"}
    page = admin_client.post(f"/admin/auth/user/{person.pk}/change/", sent, follow=True).content.decode()
    assert "without staff status" in page
    assert "operator" in admin_client.get("/admin/auth/user/").content.decode()
