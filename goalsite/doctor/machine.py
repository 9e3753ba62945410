"""The machine and the site's settings on it: configuration, disk, secrets, permissions."""

import os
import shutil
import stat
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks

from goals.llm.transport import LOOPBACK
from goalsite.doctor.finding import Finding, fail, warn, well

GIB = 1 << 30
TOO_FULL, NEARLY_FULL = (GIB, 0.02), (5 * GIB, 0.1)  # bytes left, share left: the smaller of both counts
FOLDERS = (".", "workspaces", "artifacts")
OPEN_TO_OTHERS = 0o077


def configuration() -> Finding:
    """What Django's system checks say, ours among them."""
    said = [one for one in checks.run_checks() if one.level >= checks.WARNING and not one.is_silenced()]
    if not said:
        return well("the system checks find nothing")
    worst = max(said, key=lambda one: one.level)
    more = f" (and {len(said) - 1} more)" if len(said) > 1 else ""
    remedy = f"{worst.hint or 'Correct the setting.'} `manage.py check` lists all."
    found = f"{worst.id}: {worst.msg}{more}"
    return fail(found, remedy) if worst.level >= checks.ERROR else warn(found, remedy)


def disk() -> Finding:
    """Whether the data folder's disk has room."""
    usage = shutil.disk_usage(settings.GOALSITE_DATA_DIR)
    return of_room(usage.free, usage.total)


def of_room(free: int, total: int) -> Finding:
    """Judge by the bytes that are left."""
    shown = f"{free / GIB:.1f} of {total / GIB:.1f} GiB are free in {settings.GOALSITE_DATA_DIR}"
    remedy = "Make room there, or move the data folder to a larger disk and set GOALSITE_DATA_DIR."
    for (size, share), judge in ((TOO_FULL, fail), (NEARLY_FULL, warn)):
        if free < min(size, share * total):
            return judge(shown, remedy)
    return well(shown)


def secrets() -> Finding:
    """Whether secrets stay secret: the key's file, debug pages, the model's key on its way."""
    file = settings.GOALSITE_DATA_DIR / "secret_key"
    if file.exists() and stat.S_IMODE(file.stat().st_mode) & OPEN_TO_OTHERS:
        return fail(f"others can read {file}", f"Run `chmod 600 {file}`, and have a new key made if they may have.")
    address = urlsplit(settings.OPENAI_BASE_URL)
    if settings.OPENAI_API_KEY and address.scheme == "http" and address.hostname not in LOOPBACK:
        return warn("the model's key travels unencrypted", "Give OPENAI_BASE_URL an https:// address.")
    if settings.DEBUG:
        return warn("debug pages are on, and show settings and source", "Unset DJANGO_DEBUG.")
    return well("the secret key is its owner's alone" if file.exists() else "the secret key is in the environment")


def permissions() -> Finding:
    """Whether what must be written can be written, and what must be read can be read: tried, not guessed."""
    for name in FOLDERS:
        folder = settings.GOALSITE_DATA_DIR / name
        if folder.exists() and (error := _cannot_write(folder)):
            return fail(f"{folder} cannot be written ({error})", "Give this user the folder, or set GOALSITE_DATA_DIR.")
    for root in settings.GOALSITE_READ_ROOTS:
        if not os.access(root, os.R_OK | os.X_OK):
            return fail(f"{root} cannot be read", "Make it readable, or take it out of GOALSITE_READ_ROOTS.")
    if stat.S_IMODE(settings.GOALSITE_DATA_DIR.stat().st_mode) & stat.S_IWOTH:
        return warn(f"everybody can write {settings.GOALSITE_DATA_DIR}", "Run `chmod o-w` on it.")
    return well("the data folder can be written")


def _cannot_write(folder: Path) -> str:
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b".")
    except OSError as error:
        return error.strerror or type(error).__name__
    return ""
