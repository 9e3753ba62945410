"""A secret made once and kept in a file that only its owner can read."""

import os
import secrets
from pathlib import Path


def read_or_create(file: Path) -> str:
    """The secret in the file; made, whole or not at all, when there is none. Two at once agree on one secret."""
    try:
        found = file.read_text().strip()
    except FileNotFoundError:
        found = ""
    if found:
        return found
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}-{os.getpid()}-{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as stream:
        stream.write(secrets.token_urlsafe(64))
    try:
        if file.exists() and file.stat().st_size == 0:
            file.unlink()
        os.link(draft, file)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
    return file.read_text().strip()
