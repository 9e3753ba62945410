"""The rehearsal model for whoever needs one now: the running site's, or one of its own for as long as it is needed."""

import http.client
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from goalsite import plan, ports
from goalsite.children import Child
from goalsite.site_errors import SiteError

NAME = "rehearsal"
PATIENCE = 60.0


def port_file(data_dir: Path) -> Path:
    """Where `up` writes down which port its rehearsal model has."""
    return data_dir / "run" / "rehearsal-port"


def choose_port(data_dir: Path) -> int:
    """The configured port or the next free one, written down for other commands."""
    port = ports.next_free("127.0.0.1", settings.GOALSITE_REHEARSAL_PORT)
    file = port_file(data_dir)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(str(port))
    return port


@contextmanager
def model_in_use(data_dir: Path) -> Iterator[None]:
    """Point the settings at a rehearsal model that answers; nothing to do when an endpoint is configured."""
    if not settings.GOALSITE_REHEARSAL:
        yield
        return
    running = _running_port(data_dir)
    if running is not None:
        _point_at(running)
        yield
        return
    port = ports.next_free("127.0.0.1", settings.GOALSITE_REHEARSAL_PORT)
    child = Child(**plan.model(port, {}))
    child.start()
    try:
        _wait(child)
        _point_at(port)
        yield
    finally:
        child.ask_to_stop()
        child.kill_group()


def _running_port(data_dir: Path) -> int | None:
    """The port at which the site's rehearsal model answers, if it does."""
    try:
        port = int(port_file(data_dir).read_text())
    except (FileNotFoundError, ValueError):
        return None
    return port if is_rehearsal(port) else None


def is_rehearsal(port: int) -> bool:
    """Whether a rehearsal model, and nothing else, answers there."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/v1/models")
        listed = json.loads(connection.getresponse().read())["data"]
        return any(model["id"] == NAME for model in listed)
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        return False
    finally:
        connection.close()


def _wait(child: Child) -> None:
    deadline = time.monotonic() + PATIENCE
    while not child.is_ready():
        if not child.is_alive or time.monotonic() > deadline:
            raise SiteError(
                "The rehearsal model could not be started: the lines above say why; or set OPENAI_BASE_URL."
            )
        time.sleep(0.05)


def _point_at(port: int) -> None:
    settings.GOALSITE_REHEARSAL_PORT = port
    os.environ["GOALSITE_REHEARSAL_PORT"] = str(port)
