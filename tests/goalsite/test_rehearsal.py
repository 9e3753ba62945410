"""The rehearsal model for commands, with the site down."""

import socket

import pytest

from goalsite import rehearsal
from goalsite.children import answers


@pytest.fixture
def free_port(settings) -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        settings.GOALSITE_REHEARSAL_PORT = probe.getsockname()[1]
    return settings.GOALSITE_REHEARSAL_PORT


@pytest.fixture(autouse=True)
def _environment(monkeypatch):
    monkeypatch.setenv("GOALSITE_REHEARSAL_PORT", "8377")


def test_a_command_gets_a_model_of_its_own_that_ends_with_it(settings, tmp_path, free_port):
    with rehearsal.model_in_use(tmp_path):
        port = settings.GOALSITE_REHEARSAL_PORT
        assert rehearsal.is_rehearsal(port)
        rehearsal.port_file(tmp_path).parent.mkdir()
        rehearsal.port_file(tmp_path).write_text(str(port))
        settings.GOALSITE_REHEARSAL_PORT = 1
        with rehearsal.model_in_use(tmp_path):
            assert port == settings.GOALSITE_REHEARSAL_PORT, "the running one is used"
        assert answers("127.0.0.1", port), "and is left running"
    assert not answers("127.0.0.1", port)


def test_a_taken_port_gives_way_to_the_next(settings, tmp_path, free_port):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", free_port))
        taken.listen()
        assert not rehearsal.is_rehearsal(free_port)
        assert rehearsal.choose_port(tmp_path) > free_port
        assert int(rehearsal.port_file(tmp_path).read_text()) > free_port


def test_nothing_is_started_when_an_endpoint_is_configured(settings, tmp_path, free_port):
    settings.GOALSITE_REHEARSAL = False
    with rehearsal.model_in_use(tmp_path):
        assert not answers("127.0.0.1", free_port)


@pytest.mark.parametrize("content", ["", "nonsense", "1"])
def test_a_stale_note_of_the_port_is_ignored(tmp_path, content):
    rehearsal.port_file(tmp_path).parent.mkdir()
    rehearsal.port_file(tmp_path).write_text(content)
    assert rehearsal._running_port(tmp_path) is None
