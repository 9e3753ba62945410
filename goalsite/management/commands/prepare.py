"""`manage.py prepare`: the database brought up to date, for a site whose parts are started one by one."""

import sys
from typing import Any

from goals.management.base import GoalsiteCommand
from goalsite import readiness
from goalsite.site_errors import PostgresError


class Command(GoalsiteCommand):
    """What `up` does before it starts anything; several at once wait for each other."""

    help = "Apply the migrations and load the site's procedures. `up` does it too."

    def handle(self, **options: Any) -> None:
        """Exits with 1 and one line when the database cannot be reached or has no pgvector."""
        try:
            readiness.prepare()
        except PostgresError as error:
            self.stderr.write(str(error))
            sys.exit(1)
