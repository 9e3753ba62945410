"""`manage.py`: Django's commands, with the embedded database up while they run and misconfiguration in one line."""

import os
import sys
from contextlib import AbstractContextManager, nullcontext

from django.core.exceptions import ImproperlyConfigured

from goalsite.embedded import database_in_use
from goalsite.postgres_errors import PostgresError

FAILED, WRONG_USAGE = 1, 64
NEED_NO_DATABASE = {
    "check",
    "collectstatic",
    "diffsettings",
    "findstatic",
    "help",
    "spectacular",
    "startapp",
    "test",
    "testserver",
    "up",  # runs it itself
    "version",
}


def main(arguments: list[str]) -> None:
    """Run the command; 64 when the site is misconfigured, 1 when its database cannot be used."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "goalsite.settings")
    from django.core.management import execute_from_command_line

    try:
        with _database(arguments):
            execute_from_command_line(arguments)
    except ImproperlyConfigured as error:
        print(error, file=sys.stderr)
        sys.exit(WRONG_USAGE)
    except PostgresError as error:
        print(error, file=sys.stderr)
        sys.exit(FAILED)


def _database(arguments: list[str]) -> AbstractContextManager[None]:
    command = arguments[1] if len(arguments) > 1 else "help"
    if command in NEED_NO_DATABASE or command.startswith("-") or {"-h", "--help"} & set(arguments):
        return nullcontext()
    from django.conf import settings

    return database_in_use(settings.GOALSITE_DATA_DIR)
