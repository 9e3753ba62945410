"""What our commands share: exit codes (DESIGN section 10) and errors in one line."""

import os
import sys
from argparse import ArgumentParser
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError, CommandParser

from goals import tally
from goals.exceptions import GoalError, InvalidInput

DONE, FAILED, WAITING, WRONG_USAGE = 0, 1, 2, 64


class GoalsiteCommand(BaseCommand):
    """A command whose wrong usage ends with 64 and whose errors are a line each, on standard error."""

    moves_goals = False  # then the figures of what it did are brought to the database when it ends

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        if getattr(self, "_called_from_command_line", False):
            _end_with_wrong_usage(parser)
        return parser

    def refuse(self, error: Exception) -> NoReturn:
        """Say what was wrong, a line for each field, and end."""
        lines = [f"{name}: {text}" for name, text in error.errors.items()] if isinstance(error, InvalidInput) else []
        for line in lines or [str(error)]:
            self.stderr.write(line, self.style.ERROR)
        sys.exit(WRONG_USAGE if isinstance(error, InvalidInput | CommandError) else FAILED)

    def execute(self, *args: Any, **options: Any) -> Any:
        try:
            return super().execute(*args, **options)
        except GoalError as error:
            self.refuse(error)
        except BrokenPipeError:  # whoever read the output has gone, as `head` does
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(FAILED)
        finally:
            if self.moves_goals:
                tally.flush()


class SubcommandParser(CommandParser):
    """The parser of `manage.py COMMAND SUBCOMMAND`; give it to `add_subparsers(parser_class=…)`."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if self.called_from_command_line:
            _end_with_wrong_usage(self)


def _end_with_wrong_usage(parser: ArgumentParser) -> None:
    def error(message: str) -> NoReturn:
        parser.print_usage(sys.stderr)
        print(f"{parser.prog}: {message}", file=sys.stderr)
        sys.exit(WRONG_USAGE)

    parser.error = error  # type: ignore[method-assign]


def pairs(given: list[str] | None, flag: str) -> dict[str, str]:
    """Return `key=value` arguments as a dict; raises InvalidInput that names the flag."""
    found: dict[str, str] = {}
    for text in given or []:
        key, sign, value = text.partition("=")
        if not sign or not key.strip():
            raise InvalidInput({flag: f"{text[:80]!r} must be key=value"})
        if key.strip() in found:
            raise InvalidInput({flag: f"{key.strip()!r} is given twice"})
        found[key.strip()] = value
    return found
