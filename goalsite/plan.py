"""What `up` runs: the children with their arguments, in the order in which they stop."""

import os
from pathlib import Path
from typing import Any

from goalsite.workers import sign_of_life_file

LARGEST_FRAME = 1_000_000  # bytes that a socket's client may send at once; more, and it is closed with 1009
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def children(*, host: str, port: int, workers: int, rehearsal_port: int | None, data_dir: Path) -> list[dict[str, Any]]:
    """The fields of each `Child`."""
    shared = {"DJANGO_SETTINGS_MODULE": os.environ["DJANGO_SETTINGS_MODULE"], "GOALSITE_WORKERS": str(workers)}
    if rehearsal_port is not None:
        shared["GOALSITE_REHEARSAL_PORT"] = str(rehearsal_port)
    planned = [_web(host, port, shared), _workers(shared, data_dir)]
    if rehearsal_port is not None:
        planned.append(model(rehearsal_port, shared))
    return planned


def _web(host: str, port: int, shared: dict[str, str]) -> dict[str, Any]:
    arguments = ["goalsite.asgi:application", "--host", host, "--port", str(port), "--lifespan", "on"]
    arguments += ["--log-level", "warning", "--no-access-log", "--timeout-graceful-shutdown", "3"]
    arguments += ["--ws-max-size", str(LARGEST_FRAME)]
    environment = dict(shared)
    if host not in (*LOOPBACK, "0.0.0.0", "::") and not os.environ.get("DJANGO_ALLOWED_HOSTS"):  # noqa: S104
        environment["DJANGO_ALLOWED_HOSTS"] = ",".join([*LOOPBACK[:2], host])
    return {
        "name": "web",
        "module": "uvicorn",
        "arguments": arguments,
        "environment": environment,
        "grace": 6.0,
        "address": [dialled(host), port],
    }


def _workers(shared: dict[str, str], data_dir: Path) -> dict[str, Any]:
    return {
        "name": "workers",
        "module": "goalsite.workers",
        "arguments": [],
        "environment": shared,
        "grace": 8.0,
        "sign_of_life": str(sign_of_life_file(data_dir)),
    }


def rehearsalmodel(port: int) -> dict[str, Any]:
    """The rehearsal model alone, for a command that runs a goal while the site is down."""
    return model(port, {"DJANGO_SETTINGS_MODULE": os.environ["DJANGO_SETTINGS_MODULE"]})


def model(port: int, shared: dict[str, str]) -> dict[str, Any]:
    """The rehearsal model's."""
    arguments = ["goals.llm.rehearsal.app:app", "--host", "127.0.0.1", "--port", str(port)]
    arguments += ["--log-level", "warning", "--no-access-log", "--timeout-graceful-shutdown", "1"]
    return {
        "name": "model",
        "module": "uvicorn",
        "arguments": arguments,
        "environment": shared,
        "grace": 3.0,
        "address": ["127.0.0.1", port],
    }


def dialled(host: str) -> str:
    """The address at which this machine reaches what listens on the host."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
