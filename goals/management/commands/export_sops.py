"""`manage.py export_sops [SLUG …] [--to DIR]`: write procedures as YAML files that `load_sops` reads back."""

from pathlib import Path
from typing import Any

from goals.exceptions import InvalidInput
from goals.management.base import GoalsiteCommand
from sops.exporter import export
from sops.models import Sop


class Command(GoalsiteCommand):
    help = "Write the current version of each procedure (or of those named) as SLUG.yaml, for load_sops to read back."

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("slugs", nargs="*", metavar="SLUG")
        parser.add_argument("--to", default="sops-export", metavar="DIR", help="the folder (default: sops-export)")

    def handle(self, **options: Any) -> None:
        refuse_unknown(options["slugs"])
        try:
            written = export(Path(options["to"]), slugs=options["slugs"] or None)
        except (OSError, ValueError) as error:
            raise InvalidInput({"--to": f"{options['to']!r} cannot be written: {error}"}) from error
        for path in sorted(written):
            self.stdout.write(str(path))


def refuse_unknown(slugs: list[str]) -> None:
    """Raise InvalidInput when a procedure is named that there is not."""
    known = set(Sop.objects.values_list("slug", flat=True))
    if unknown := sorted(set(slugs) - known):
        allowed = ", ".join(sorted(known)[:50]) or "none"
        raise InvalidInput(
            {"SLUG": f"there is no procedure {', '.join(map(repr, unknown))[:200]}; there are: {allowed}"}
        )
