"""The line in which a test runner sums up, out of its output."""

import re

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
# pytest, unittest, Django, cargo, jest and vitest, mocha, go, TAP, JUnit and Maven, PHPUnit, RSpec.
_SUMMARY = re.compile(
    r"\b\d+ (?:passed|failed|errors?|skipped|passing|failing|pending|examples?)\b"
    r"|^Ran \d+ tests?|^(?:OK|FAILED)\b|^test result:|^Tests?:|^Test Suites:|^(?:ok|FAIL|PASS)\s"
    r"|^Tests run:|^# (?:tests|pass|fail) |^1\.\.\d+|^no tests ran",
    re.IGNORECASE,
)


def summary_line(output: str) -> str:
    """The last line that looks like a runner's summary, else the last line that says anything."""
    lines = [_COLOURS.sub("", line).strip().strip("= ").strip() for line in output.splitlines()]
    lines = [line for line in lines if line]
    found = next((line for line in reversed(lines) if _SUMMARY.search(line)), "")
    return (found or (lines[-1] if lines else ""))[:300]
