"""Who runs the embedded Postgres: this user or, because Postgres refuses root, an unprivileged account."""

import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goalsite.site_errors import PostgresError

CANDIDATES = ("goalsite", "postgres", "nobody")


@dataclass(frozen=True)
class Account:
    """The user that Postgres runs as."""

    uid: int
    gid: int

    @property
    def is_me(self) -> bool:
        """Whether no change of user is needed."""
        return self.uid == os.geteuid()

    def popen(self) -> dict[str, Any]:
        """The arguments of `subprocess.Popen` that change to this account."""
        return {} if self.is_me else {"user": self.uid, "group": self.gid, "extra_groups": []}

    def own(self, path: Path) -> None:
        """Give a file or folder to this account."""
        if not self.is_me:
            os.chown(path, self.uid, self.gid)

    def can_reach(self, path: Path) -> bool:
        """Whether every folder above the path lets this account pass."""
        return all(self._may_enter(parent) for parent in path.resolve().parents)

    def _may_enter(self, folder: Path) -> bool:
        found = folder.stat()
        if found.st_uid == self.uid:
            return bool(found.st_mode & stat.S_IXUSR)
        if found.st_gid == self.gid:
            return bool(found.st_mode & stat.S_IXGRP)
        return bool(found.st_mode & stat.S_IXOTH)


def account_for(home: Path) -> Account:
    """The owner of an existing database, else this user, else (for root) the first unprivileged account there is."""
    owner = home.stat() if home.exists() else None
    if os.geteuid() != 0:
        if owner is not None and owner.st_uid != os.geteuid():
            raise PostgresError(
                f"The database in {home} belongs to user {user_name(owner.st_uid)}: "
                "start Goalsite as that user or as root, or set GOALSITE_DATA_DIR to another folder."
            )
        return Account(os.geteuid(), os.getegid())
    if owner is not None and owner.st_uid != 0:
        return Account(owner.st_uid, owner.st_gid)
    return _unprivileged()


def _unprivileged() -> Account:
    for name in CANDIDATES:
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        if found.pw_uid != 0:
            return Account(found.pw_uid, found.pw_gid)
    raise PostgresError(
        f"Postgres refuses to run as root and no user {' or '.join(CANDIDATES)} exists: "
        "make one with `useradd --system goalsite`, start Goalsite as an ordinary user, or set DATABASE_URL."
    )


def user_name(uid: int) -> str:
    """The name of a user, or the number when it has none."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
