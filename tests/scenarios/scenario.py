"""One goal of the battery as data: a YAML file, read strictly."""

from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

BATTERY = Path(__file__).parent / "battery"


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Step(Strict):
    """What happens meanwhile, `wait` seconds after the goal's event `after` has come for the `nth` time.

    `let_pass` brings nearer by so many seconds whatever the goal waits for.
    """

    after: str
    nth: int = 1
    wait: float = 0.0
    do: Literal[
        "answer", "pause", "resume", "cancel", "steer", "revise", "raise_limits", "write", "let_pass", "kill_worker"
    ]
    given: Any = None


class Expected(Strict):
    """What must have come of it. `events` come in this order, others between them; `never` names kinds that do not."""

    status: str
    outcome: str = ""
    paused_for: str = ""
    reason: str = ""
    tree: str | None = None
    events: list[str] = []
    never: list[str] = []
    calls: dict[str, int] = {}
    tools: dict[str, int] = {}
    questions: list[str] = []
    artifacts: list[str] = []
    files: dict[str, str] = {}
    used: dict[str, float] = {}
    prompts: dict[str, str] = {}


class Scenario(Strict):
    """A goal, what the endpoint says to it, what happens meanwhile, and what is expected."""

    about: str
    objective: str
    submitted: dict[str, Any] = {}
    files: dict[str, str] = {}
    permissions: list[str] = []
    script: dict[str, Any] = Field(default_factory=dict)
    steps: list[Step] = []
    seconds: float = 120.0
    expect: Expected


def names() -> list[str]:
    """The battery, by file name."""
    return sorted(path.stem for path in BATTERY.glob("*.yaml"))


def read(name: str) -> Scenario:
    """Return one scenario; a field that nobody reads is an error."""
    return Scenario.model_validate(yaml.safe_load((BATTERY / f"{name}.yaml").read_text(encoding="utf-8")))
