"""The tables that every effect writes to have each index once: each row and most changes of one pay for it."""

import pytest
from django.db import connection

WRITTEN = ("budget", "checkpoint", "event", "modelcall", "subgoal", "toolcall", "verification")
WHOLE = """
SELECT i.indexrelid::regclass::text, i.indkey::text, i.indisunique
FROM pg_index i WHERE i.indrelid = %s::regclass AND i.indpred IS NULL
"""


@pytest.mark.django_db
@pytest.mark.parametrize("table", WRITTEN)
def test_no_index_is_the_beginning_of_another(table):
    with connection.cursor() as cursor:
        cursor.execute(WHOLE, [f"goals_{table}"])
        found = cursor.fetchall()
    assert found
    for name, columns, is_unique in found:
        longer = [other for other, more, _ in found if other != name and f"{more} ".startswith(f"{columns} ")]
        assert is_unique or not longer, f"{name} serves nothing that {longer} would not"
