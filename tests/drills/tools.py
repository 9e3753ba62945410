"""Tools of each effect class whose effects can be counted, and who tell when they reach a point of the drill."""

import json
import os
import time
import urllib.error
import urllib.request

from django.db import connection

from goals.states import EffectClass
from goals.tools import registry
from goals.tools.base import ProbeResult, Reach, Tool, ToolContext, ToolInput, ToolResult
from goals.tools.errors import OutcomeUnknown
from tests.drills import points

RECEIVER = "GOALSITE_DRILL_RECEIVER"
TABLE = "CREATE TABLE drill_ledger (goal text NOT NULL, key text NOT NULL)"


class NumberInput(ToolInput):
    number: int = 0


class Drilled(Tool):
    """Tells the receiver of every run."""

    description = "A tool of the drills."
    Input = NumberInput
    reach = Reach.WRITE

    def __init__(self, name: str, effect_class: EffectClass, probes: bool = False) -> None:
        self.name, self.effect_class, self.probes = name, effect_class, probes

    def run(self, input: NumberInput, context: ToolContext) -> ToolResult:
        points.reach("before", self.name)
        self.affect(context)
        points.reach("after", self.name)
        return ToolResult({"number": input.number}, f"{self.name} {input.number}")

    def affect(self, context: ToolContext) -> None:
        line = {"key": context.idempotency_key, "tool": self.name, "goal": context.goal_id, "pid": os.getpid()}
        request = urllib.request.Request(os.environ[RECEIVER], data=json.dumps(line).encode())
        try:
            urllib.request.urlopen(request, timeout=60).close()
        except OSError as error:
            raise OutcomeUnknown(str(error)) from error

    def probe(self, input: NumberInput, context: ToolContext) -> ProbeResult | None:
        if not self.probes:
            return None
        try:
            urllib.request.urlopen(f"{os.environ[RECEIVER]}?key={context.idempotency_key}", timeout=60).close()
        except urllib.error.HTTPError as error:
            error.close()
            return ProbeResult(False)
        return ProbeResult(True, ToolResult({"number": input.number}, "found by the probe"))


class Slow(Drilled):
    """Takes longer than a lease."""

    def affect(self, context: ToolContext) -> None:
        super().affect(context)
        time.sleep(5)


class Transactional(Drilled):
    """Writes our own database and nothing else."""

    def affect(self, context: ToolContext) -> None:
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO drill_ledger VALUES (%s, %s)", [context.goal_id, context.idempotency_key])


TOOLS = (
    Drilled("drill_pure", EffectClass.PURE),
    Drilled("drill_idempotent", EffectClass.IDEMPOTENT),
    Transactional("drill_transactional", EffectClass.TRANSACTIONAL),
    Drilled("drill_external", EffectClass.EXTERNAL, probes=True),
    Drilled("drill_blind", EffectClass.EXTERNAL),
    Slow("drill_slow", EffectClass.EXTERNAL),
)


def register() -> None:
    """Add the tools to this process's registry."""
    registry._tools().update({tool.name: tool for tool in TOOLS})
