"""What Django's `check` says about the site's configuration, each with an id and a hint."""

import os
import stat
from importlib.util import find_spec
from typing import Any

from django.conf import settings
from django.core import checks


def data_folder(app_configs: object, **_: Any) -> list[checks.CheckMessage]:
    """The data folder exists or can be made, and is writable."""
    folder = settings.GOALSITE_DATA_DIR
    while not folder.exists():
        folder = folder.parent
    if folder.is_dir() and os.access(folder, os.W_OK | os.X_OK):
        return []
    hint = "Make it writable for this user, or set GOALSITE_DATA_DIR to another folder."
    return [checks.Error(f"The data folder {settings.GOALSITE_DATA_DIR} cannot be written.", hint, id="goalsite.E001")]


def secret_file(app_configs: object, **_: Any) -> list[checks.CheckMessage]:
    """The kept secret key is readable by its owner alone."""
    file = settings.GOALSITE_DATA_DIR / "secret_key"
    if not file.exists() or not stat.S_IMODE(file.stat().st_mode) & 0o077:
        return []
    return [checks.Warning(f"Others can read {file}.", f"Run `chmod 600 {file}`.", id="goalsite.W002")]


def leases(app_configs: object, **_: Any) -> list[checks.CheckMessage]:
    """A slice of work, with the call that it ends in, ends before the queue ends the task."""
    most = settings.Q_CLUSTER["timeout"] - settings.GOALSITE_MODEL_TIMEOUT
    if most > settings.GOALSITE_SLICE_SECONDS:
        return []
    hint = f"Set GOALSITE_SLICE_SECONDS below {most}."
    return [checks.Error("The queue ends a task before its slice of work ends.", hint, id="goalsite.E003")]


def debug_in_the_open(app_configs: object, **_: Any) -> list[checks.CheckMessage]:
    """Debug pages are not shown to everybody."""
    if not settings.DEBUG or "*" not in settings.ALLOWED_HOSTS:
        return []
    hint = "Unset DJANGO_DEBUG, or name the hosts in DJANGO_ALLOWED_HOSTS."
    return [checks.Warning("Debug pages are shown on any host name.", hint, id="goalsite.W004")]


def model_endpoint(app_configs: object, **_: Any) -> list[checks.CheckMessage]:
    """A key without an address goes to the default endpoint, which is worth knowing."""
    if not settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL:
        return []
    hint = "Set OPENAI_BASE_URL to name the endpoint."
    return [checks.Info("OPENAI_API_KEY is set without OPENAI_BASE_URL.", hint, id="goalsite.I005")]


def traces(app_configs: object, **_: Any) -> list[checks.CheckMessage]:
    """What traces are sent with is installed when they are wanted."""
    if not settings.GOALSITE_TRACES or _is_there("opentelemetry.exporter.otlp.proto.http"):
        return []
    hint = "Install requirements-traces.txt, or unset OTEL_EXPORTER_OTLP_ENDPOINT."
    return [checks.Error("Traces are wanted, and OpenTelemetry is not installed.", hint, id="goalsite.E006")]


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # nor what it belongs to
        return False


def register() -> None:
    """Make them part of `manage.py check`."""
    for check in (data_folder, secret_file, leases, debug_in_the_open, model_endpoint, traces):
        checks.register(check)
