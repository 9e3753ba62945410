"""Loads at the same time, each on its own connection."""

import threading

import pytest
from django.db import connection

from sops import importer
from sops.models import Sop, SopVersion
from tests.sops.conftest import LIBRARY

pytestmark = pytest.mark.django_db(transaction=True)


def load_at_once(path, times=4):
    """The errors of that many loads that begin together."""
    failures, barrier = [], threading.Barrier(times)

    def load():
        try:
            barrier.wait()
            importer.load([path])
        except Exception as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=load) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


def test_the_first_loads_make_one_version_each():
    assert load_at_once(LIBRARY) == []
    assert Sop.objects.count() == SopVersion.objects.count() == 13


def test_a_changed_text_becomes_one_version_however_many_load_it(tmp_path):
    text = (LIBRARY / "log-triage.yaml").read_text(encoding="utf-8")
    path = tmp_path / "log-triage.yaml"
    for number in range(1, 8):
        path.write_text(text.replace("Triage of log files", f"Triage of log files, text {number}"), encoding="utf-8")
        assert load_at_once(path) == []
        versions = SopVersion.objects.order_by("number")
        assert [version.number for version in versions] == list(range(1, number + 1))
        assert [version.number for version in versions if version.is_current] == [number]
