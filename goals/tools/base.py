"""The contract every tool fulfils (DESIGN section 8)."""

import time
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, ValidationError

from goals.states import EffectClass, Risk
from goals.tools.errors import ToolInputError, ToolTimeout
from goals.tools.workspace import Workspace


def plain_name(tool: str) -> str:
    """Return the name of a tool without its point: `server.tool` is `server__tool`."""
    return tool.replace(".", "__")


class Reach(StrEnum):
    """How far a tool reaches: `none` computes, `read` looks at the workspace or outside, `write` changes something."""

    NONE = "none"
    READ = "read"
    WRITE = "write"


class ToolInput(BaseModel):
    """Base of all input types: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


@dataclass(frozen=True)
class OutputSpec:
    """An artifact that a tool produces."""

    name: str
    type: str
    description: str
    purpose: str = ""


@dataclass(frozen=True)
class ToolContext:
    """Where a call runs. `idempotency_key` is the same for every repetition of one effect."""

    goal_id: str
    subgoal_id: str | None
    workspace: Workspace
    idempotency_key: str
    deadline_seconds: float = 120.0
    started: float = field(default_factory=time.monotonic)

    def remaining(self) -> float:
        """Seconds that are left of this call's time."""
        return self.deadline_seconds - (time.monotonic() - self.started)

    def check_deadline(self) -> None:
        """Raise ToolTimeout when the time of this call is used up; long tools call it in their loops."""
        if self.remaining() <= 0:
            raise ToolTimeout(f"The tool did not finish within {self.deadline_seconds:g} s.")


@dataclass(frozen=True)
class ToolResult:
    """What a call gave. An output whose name is a key of a dict `value` gets that entry, else it gets all of it."""

    value: Any
    summary: str
    untrusted: bool = False
    files: tuple[str, ...] = ()

    def output(self, name: str) -> Any:
        """The value of the output `name`: presence decides, so 0, false, "" and null are values."""
        if isinstance(self.value, dict) and name in self.value:
            return self.value[name]
        return self.value


@dataclass(frozen=True)
class ProbeResult:
    """What a probe found out about an effect whose outcome was lost."""

    happened: bool
    result: ToolResult | None = None


class Tool:
    """A thing the goal can do. Subclasses set the class attributes and implement `run`; instances hold no state."""

    name: ClassVar[str]
    description: ClassVar[str]
    Input: ClassVar[type[BaseModel]]
    outputs: ClassVar[tuple[OutputSpec, ...]] = ()
    effect_class: ClassVar[EffectClass] = EffectClass.PURE
    risk: ClassVar[Risk] = Risk.SAFE
    reach: ClassVar[Reach] = Reach.READ
    far_side: ClassVar[bool] = True  # whether it depends on anything beyond this machine, which a breaker stands before

    always_offered: ClassVar[bool] = False  # to whoever acts, whatever tools a plan names

    def run(self, input: Any, context: ToolContext) -> ToolResult:
        """Do it. Raises ToolError; runs on a thread without a database connection."""
        raise NotImplementedError(f"{type(self).__name__} has no run()")

    def probe(self, input: Any, context: ToolContext) -> ProbeResult | None:
        """Whether the effect with this idempotency key happened; None when that cannot be told."""
        return None

    def beyond(self, arguments: dict[str, Any]) -> str:
        """The name of the far side that a call depends on: the breaker's. A tool of many far sides tells them apart."""
        return self.name

    def parse(self, arguments: dict[str, Any]) -> BaseModel:
        """The typed input, or a ToolInputError that names each wrong field and the allowed ones."""
        if not isinstance(arguments, dict):
            raise ToolInputError(f"{self.name}: the arguments must be an object.")
        try:
            return self.Input.model_validate(arguments)
        except ValidationError as error:
            raise ToolInputError(self._explain(error)) from error

    @property
    def function_name(self) -> str:
        """Its name where only letters, digits, _ and - are taken: for models, and in names of artifacts."""
        return plain_name(self.name)

    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the input."""
        schema = self.Input.model_json_schema()
        schema.pop("title", None)
        return schema

    def said_of(self, field: str) -> str:
        """What is said of an input field; "" where nothing is."""
        return self.Input.model_fields[field].description or ""

    def required(self) -> tuple[str, ...]:
        """Names of the input fields that have no default."""
        return tuple(name for name, info in self.Input.model_fields.items() if info.is_required())

    def fields(self) -> tuple[str, ...]:
        """Names of all input fields."""
        return tuple(self.Input.model_fields)

    def _explain(self, error: ValidationError) -> str:
        problems = (f"{'.'.join(map(str, e['loc'])) or 'input'}: {e['msg']}" for e in error.errors()[:10])
        return f"{self.name}: {'; '.join(problems)}. Allowed fields: {', '.join(self.fields()) or 'none'}."
