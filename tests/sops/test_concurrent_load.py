"""Two loads at once, on two connections."""

import threading

import pytest
from django.db import connection

from sops import importer
from sops.models import Sop, SopVersion
from tests.sops.conftest import LIBRARY


@pytest.mark.django_db(transaction=True)
def test_two_loads_at_once_make_one_version_each():
    failures, barrier = [], threading.Barrier(4)

    def load():
        try:
            barrier.wait()
            importer.load([LIBRARY])
        except Exception as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=load) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert Sop.objects.count() == SopVersion.objects.count() == 13
