"""What is left between two tests that commit: nothing but what the migrations wrote."""

import pytest
from django.contrib.auth.models import Group, Permission
from django.db import DatabaseError, connection

from artifacts.models import Artifact, Context
from tests import emptying

pytestmark = pytest.mark.django_db(transaction=True)


def rows() -> dict[str, int]:
    found = {}
    with connection.cursor() as cursor:
        for name in connection.introspection.table_names():
            cursor.execute(f'SELECT count(*) FROM "{name}"')
            found[name] = cursor.fetchone()[0]
    return {name: count for name, count in found.items() if count}


def test_what_a_test_committed_is_gone_also_what_never_changes(django_user_model):
    first = Permission.objects.earliest("pk").pk
    django_user_model.objects.create_user("ada").user_permissions.add(first)
    artifact = Artifact.objects.create(context=Context.objects.create(), name="a", version=1, type="text", value="x")
    with pytest.raises(DatabaseError):
        artifact.delete()
    emptying.empty()
    assert set(rows()) == set(emptying.STANDING)
    assert Permission.objects.earliest("pk").pk == first
    emptying.empty()


def test_a_table_that_has_grown_is_small_again():
    Group.objects.bulk_create(Group(name=f"{number:0100}") for number in range(9000))
    with connection.cursor() as cursor:
        emptying.empty()
        cursor.execute("SELECT pg_relation_size('auth_group')")
        assert cursor.fetchone() == (0,)


def test_the_guard_against_changes_is_back_afterwards():
    emptying.empty()
    with connection.cursor() as cursor:
        cursor.execute("SHOW session_replication_role")
        assert cursor.fetchone() == ("origin",)
