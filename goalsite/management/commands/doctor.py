"""`manage.py doctor [CHECK …] [--json]`: look at all that the site needs, and say what to do about what is not well."""

import sys
from argparse import ArgumentParser
from collections import Counter
from typing import Any

from goals.exceptions import InvalidInput
from goals.management import printing
from goals.management.base import DONE, FAILED, GoalsiteCommand
from goals.management.wording import one_line
from goalsite.doctor.examination import CHECKS, examine
from goalsite.doctor.finding import Finding, Level

STYLES = {Level.WELL: "SUCCESS", Level.WARN: "WARNING", Level.FAIL: "ERROR"}
LONGEST = 500


class Command(GoalsiteCommand):
    """Ends with 1 when something fails; a warning is no failure."""

    requires_system_checks = []  # they are one of the checks
    help = "Look at everything that the site needs: each passes, warns or fails, with what to do about it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which checks, and for whom."""
        parser.add_argument("checks", nargs="*", metavar="CHECK", help=f"only these: {', '.join(CHECKS)}")
        parser.add_argument("--json", action="store_true", dest="as_json", help="one JSON object a check")

    def handle(self, *, checks: list[str], as_json: bool, **options: Any) -> None:
        """Tell each finding as it is made."""
        unknown = [name for name in checks if name not in CHECKS]
        if unknown:
            raise InvalidInput({"CHECK": f"there is no {unknown[0][:40]!a}; there are {', '.join(CHECKS)}"})
        printing.use_utf8(as_json=as_json)
        counts: Counter[Level] = Counter()
        for name, finding in examine(checks):
            counts[finding.level] += 1
            self._tell(name, finding, as_json=as_json)
        if not as_json:
            self.stdout.write(", ".join(f"{counts[level]} {level}" for level in Level))
        sys.exit(FAILED if counts[Level.FAIL] else DONE)

    def _tell(self, name: str, finding: Finding, *, as_json: bool) -> None:
        if as_json:
            said = {"check": name, "level": finding.level, "found": finding.found, "remedy": finding.remedy}
            printing.json_lines(self.stdout, [said])
            return
        level = getattr(self.style, STYLES[finding.level])(finding.level)
        self.stdout.write(f"{level}  {name:<13}  {one_line(finding.found, LONGEST)}")
        if finding.remedy:
            self.stdout.write(f"{'':<21}{one_line(finding.remedy, LONGEST)}")
        self.stdout.flush()
