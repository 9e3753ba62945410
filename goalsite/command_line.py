"""`manage.py`: Django's commands, with what they need up while they run, and misconfiguration in one line."""

import os
import sys
from contextlib import ExitStack

from django.core.exceptions import ImproperlyConfigured

from goalsite.embedded import database_in_use
from goalsite.site_errors import SiteError

FAILED, WRONG_USAGE = 1, 64
NEED_NO_DATABASE = {
    "check",
    "collectstatic",
    "diffsettings",
    "doctor",  # says what is wrong with it
    "findstatic",
    "help",
    "spectacular",
    "startapp",
    "test",
    "testserver",
    "up",  # runs it itself
    "version",
}
DRIVE_GOALS = {"goal", "resume_goals"}
READ_GOALS = {"goals", "budgets"}
OF_THE_SHELL = (["goals", "complete"], ["goals", "completion"])  # asked at every key: they start nothing


def main(arguments: list[str]) -> None:
    """Run the command; 64 when the site is misconfigured, 1 when what it needs cannot be started."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "goalsite.settings")
    from django.core.management import execute_from_command_line

    try:
        with ExitStack() as needed:
            _provide(arguments, needed)
            execute_from_command_line(arguments)
    except ImproperlyConfigured as error:
        print(error, file=sys.stderr)
        sys.exit(WRONG_USAGE)
    except SiteError as error:
        print(error, file=sys.stderr)
        sys.exit(FAILED)


def _provide(arguments: list[str], needed: ExitStack) -> None:
    """Have the database, and the model where a goal is driven here, for as long as the command runs."""
    command = arguments[1] if len(arguments) > 1 else "help"
    if command in NEED_NO_DATABASE or command.startswith("-") or {"-h", "--help"} & set(arguments):
        return
    if arguments[1:3] in OF_THE_SHELL:
        return
    from django.conf import settings

    needed.enter_context(database_in_use(settings.GOALSITE_DATA_DIR))
    if command in DRIVE_GOALS | READ_GOALS:
        import django

        django.setup()
        from goalsite.readiness import prepare_if_needed

        prepare_if_needed()
    if command in DRIVE_GOALS:
        from goalsite.rehearsal import model_in_use

        needed.enter_context(model_in_use(settings.GOALSITE_DATA_DIR))
