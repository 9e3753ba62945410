"""`manage.py load_sops [PATH …]`: import procedures; without a path, the site's own library."""

from pathlib import Path
from typing import Any

import sops
from goals.exceptions import InvalidInput
from goals.management.base import GoalsiteCommand
from goals.tools import registry
from goals.verifiers.spec import parse
from sops import importer
from sops.exceptions import SopError
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
        except SopError as error:
            raise InvalidInput({"load_sops": str(error)}) from error
        if options["verbosity"] > 0:
            for entry in stored:
                self.stdout.write(f"{entry.slug} version {entry.number}: {entry.change}")

