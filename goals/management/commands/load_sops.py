"""`manage.py load_sops [PATH …]`: import procedures; without a path, the site's own library."""

from pathlib import Path
from typing import Any

import sops
from goals.exceptions import GoalError, InvalidInput
from goals.management.base import GoalsiteCommand
from goals.tools import registry
from goals.verifiers.spec import parse
from sops import importer
from sops.exceptions import LoadRefused, SopError
from sops.models import SopOrigin

LIBRARY = Path(sops.__file__).parent / "library"


class Command(GoalsiteCommand):
    help = "Import procedures from JSON or YAML files or folders; without a path, the site's own library."

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("paths", nargs="*", metavar="PATH")

    def handle(self, **options: Any) -> None:
        paths = [Path(path) for path in options["paths"]]
        origin = SopOrigin.IMPORTED if paths else SopOrigin.LIBRARY
        try:
            stored = importer.load(
                paths or [LIBRARY], known_tools=set(registry.names()), check_verifier=parse, origin=origin
            )
        except LoadRefused as error:
            raise InvalidInput(by_field(error)) from error
        except SopError as error:
            raise GoalError(str(error)) from error
        if options["verbosity"] > 0:
            for entry in stored:
                self.stdout.write(f"{entry.slug} version {entry.number}: {entry.change}")


def by_field(refused: LoadRefused) -> dict[str, str]:
    """Return what was refused by "FILE: FIELD"; nothing was stored."""
    found: dict[str, list[str]] = {}
    for error in refused.errors:
        for field, problem in error.problems:
            found.setdefault(f"{error.source}: {field}", []).append(problem)
    return {name: "; ".join(problems) for name, problems in found.items()}
