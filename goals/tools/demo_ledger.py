"""Where demonstration bookings go: a receiver on loopback, a ledger file of the operator's, else the workspace.

The receiver gets `POST {"key", "booking"}` and is asked by `GET ?key=KEY` (200 it has it, 404 it has not).
"""

import fcntl
import http.client
import json
import os
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

from goals.tools.errors import OutcomeUnknown, ToolError, ToolInputError
from goals.tools.workspace import Workspace

FILE = "demo-bookings.jsonl"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect could lead off loopback, so it stays an answer."""

    def redirect_request(self, *args: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect)


def write(workspace: Workspace, key: str, booking: dict[str, Any], seconds: float) -> None:
    """Add one booking under its key."""
    receiver, ledger = os.environ.get("GOALSITE_DEMO_RECEIVER"), os.environ.get("GOALSITE_DEMO_LEDGER")
    line = json.dumps({"key": key, "booking": booking}, sort_keys=True)
    if receiver:
        status = _ask(receiver, line.encode(), seconds)
        if status >= 300:
            raise ToolError(f"The demonstration receiver answered {status}.", retryable=status >= 500)
    elif ledger:
        _append(ledger, line)
    else:
        workspace.append_line(FILE, line, unless=_mark(key))


def holds(workspace: Workspace, key: str, seconds: float) -> bool | None:
    """Whether the ledger holds this key; None when it cannot be told."""
    receiver, ledger = os.environ.get("GOALSITE_DEMO_RECEIVER"), os.environ.get("GOALSITE_DEMO_LEDGER")
    if receiver:
        return _receiver_holds(receiver, key, seconds)
    if ledger:
        return _mark(key) in _read(ledger)
    return workspace.exists(FILE) and _mark(key) in workspace.read_bytes(FILE).decode("utf-8", "replace")


def _mark(key: str) -> str:
    return f'"key": {json.dumps(key)}'


def _append(path: str, line: str) -> None:
    """Append under a lock, to the disk: a booking that was reported must be there after a crash."""
    try:
        with open(path, "a", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise ToolError(f"GOALSITE_DEMO_LEDGER cannot be written: {error.strerror}.") from error


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise ToolError(f"GOALSITE_DEMO_LEDGER cannot be read: {error.strerror}.") from error


def _receiver_holds(receiver: str, key: str, seconds: float) -> bool | None:
    try:
        status = _ask(f"{receiver}?{urllib.parse.urlencode({'key': key})}", None, seconds)
    except ToolError:
        return None
    return {200: True, 404: False}.get(status)


def _ask(url: str, body: bytes | None, seconds: float) -> int:
    if urllib.parse.urlsplit(url).hostname not in ("127.0.0.1", "::1", "localhost") or not url.startswith("http://"):
        raise ToolInputError("GOALSITE_DEMO_RECEIVER must be an http address on loopback.")
    request = urllib.request.Request(url, data=body, headers={"Content-Type": "application/json"})  # noqa: S310
    try:
        with _OPENER.open(request, timeout=max(min(seconds, 30.0), 0.1)) as response:
            return response.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code
    except (OSError, http.client.HTTPException) as error:
        if isinstance(getattr(error, "reason", error), ConnectionRefusedError):
            raise ToolError("The demonstration receiver is not there.", retryable=True) from error
        raise OutcomeUnknown(f"The demonstration receiver did not answer: {error}.") from error
