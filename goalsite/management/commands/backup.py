"""`manage.py backup FILE`: the whole site in one file, while it runs."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from goals.exceptions import InvalidInput
from goals.management.base import GoalsiteCommand
from goalsite import backup
from goalsite.site_errors import PostgresError


class Command(GoalsiteCommand):
    """Refuses to write over a file."""

    help = "Save the database, the blobs and the workspaces in one file; the site may go on meanwhile."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where to."""
        parser.add_argument("file", type=Path)

    def handle(self, *, file: Path, **options: Any) -> None:
        """Ends with 1 when there is no backup, or one with damaged blobs in it."""
        target = file.expanduser().resolve()
        if target.exists():
            raise InvalidInput({"file": f"{target} is there already: give another name"})
        if not target.parent.is_dir():
            raise InvalidInput({"file": f"there is no folder {target.parent}: make it first"})
        try:
            saved = backup.save(target)
        except (PostgresError, OSError) as error:
            self.stderr.write(str(error))
            sys.exit(1)
        size = target.stat().st_size
        self.stdout.write(f"{target}: {size:,} bytes, {saved.blobs} blobs, {saved.files} files of workspaces")
        for name in saved.damaged:
            self.stderr.write(f"{name} is damaged: its content is not what its name says")
        if saved.damaged:
            sys.exit(1)
