"""`manage.py restore FILE`: a backup brought back into this site's database and data folder."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from goals.exceptions import InvalidInput
from goals.management.base import GoalsiteCommand
from goalsite import restoring
from goalsite.site_errors import SiteError


class Command(GoalsiteCommand):
    """Checks the whole file before it changes anything."""

    help = (
        "Bring a backup back, also into a newer version of Goalsite. Its living goals are paused until you resume them."
    )
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which file, and what may be lost."""
        parser.add_argument("file", type=Path)
        parser.add_argument("--replace", action="store_true", help="lose the goals that this database holds now")
        parser.add_argument("--go-on", action="store_true", help="let living goals go on at once")

    def handle(self, *, file: Path, replace: bool, go_on: bool, **options: Any) -> None:
        """Ends with 1 and one line when the backup was not brought back."""
        if not file.expanduser().is_file():
            raise InvalidInput({"file": f"there is no file {file}"})
        try:
            found = restoring.restore(file.expanduser(), replace=replace, go_on=go_on)
        except (SiteError, OSError) as error:
            self.stderr.write(str(error))
            sys.exit(1)
        self.stdout.write(f"Restored the backup of {found.made_at}: {found.blobs} blobs, {found.files} files.")
        if found.paused:
            self.stdout.write(
                f"{found.paused} living goals are paused: look at each, then resume it, or all with "
                "`manage.py resume_goals --all`."
            )
