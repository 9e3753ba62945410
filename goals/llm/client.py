"""One openai client a process, made at its first call, after the fork, and made anew when the settings change."""

import atexit
import os
import threading
from urllib.parse import urlsplit

import openai
from django.conf import settings

from goals.llm.transport import http_client

MAX_RETRIES = 2
DEFAULT_BASE_URL = "https://api.openai.com/v1"

_lock = threading.Lock()
_made: tuple[tuple[str, str], openai.OpenAI] | None = None
_inherited: list[object] = []


def address() -> tuple[str, str]:
    """The base URL and the key in force; the rehearsal model's when no endpoint is configured."""
    if settings.GOALSITE_REHEARSAL:
        return f"http://127.0.0.1:{settings.GOALSITE_REHEARSAL_PORT}/v1", "rehearsal"
    return settings.OPENAI_BASE_URL or DEFAULT_BASE_URL, settings.OPENAI_API_KEY or "none"


def place() -> str:
    """The endpoint's address without account and query: its name where it is shown."""
    parts = urlsplit(address()[0])
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}".rstrip("/")[:500]


def client() -> openai.OpenAI:
    """This process's client. Safe on threads."""
    global _made
    wanted = address()
    made = _made
    if made is not None and made[0] == wanted:
        return made[1]
    with _lock:
        if _made is None or _made[0] != wanted:
            _close()
            base_url, key = wanted
            fresh = openai.OpenAI(
                base_url=base_url, api_key=key, max_retries=MAX_RETRIES, http_client=http_client(base_url)
            )
            _made = (wanted, fresh)
        return _made[1]


def _close() -> None:
    global _made
    if _made is not None:
        _made[1].close()
        _made = None


def _forget_after_fork() -> None:
    """The parent's connections are the parent's: keep them unclosed and out of use."""
    global _made, _lock
    _lock = threading.Lock()
    if _made is not None:
        _inherited.append(_made)
        _made = None


atexit.register(_close)
os.register_at_fork(after_in_child=_forget_after_fork)
