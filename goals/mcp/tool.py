"""A tool of an MCP server, as goals use it: like any other, and trusted with nothing."""

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import jsonschema
from jsonschema.exceptions import best_match
from referencing import Registry

from goals.connections import pooled
from goals.mcp import results
from goals.mcp.errors import McpFault, NotAsLetIn, TookTooLong
from goals.mcp.listing import Said
from goals.mcp.places import Place
from goals.states import EffectClass, Risk
from goals.tools.base import OutputSpec, Reach, Tool, ToolContext, ToolResult
from goals.tools.errors import OutcomeUnknown, ToolError, ToolInputError, ToolTimeout

BREAKER = "MCP server "
TO_END = 2.0  # seconds of a call that are kept for its end


@dataclass(frozen=True)
class McpCallable(Tool):
    """`digest` is what was let in; `schema_text` the tamed schema of its arguments, as JSON."""

    name: str = field()
    said_name: str = field()
    description: str = field()
    schema_text: str = field()
    digest: str = field()
    risk: Risk = field()
    effect_class: EffectClass = field()
    place: Place = field()

    @property
    def outputs(self) -> tuple[OutputSpec, ...]:
        return (OutputSpec(self.function_name, "data", f"What {self.name} gave"),)

    @property
    def reach(self) -> Reach:
        return Reach.READ if self.effect_class == EffectClass.IDEMPOTENT else Reach.WRITE

    @cached_property
    def schema(self) -> dict[str, Any]:
        return dict(json.loads(self.schema_text))

    def parameters(self) -> dict[str, Any]:
        return self.schema

    def parse(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments, if the schema takes them; else ToolInputError."""
        if not isinstance(arguments, dict):
            raise ToolInputError(f"{self.name}: the arguments must be an object.")
        validator = jsonschema.Draft202012Validator(self.schema, registry=Registry())
        error = best_match(validator.iter_errors(arguments))
        if error is not None:
            place = ".".join(map(str, error.absolute_path)) or "input"
            allowed = ", ".join(self.fields()) or "none"
            raise ToolInputError(f"{self.name}: {place}: {error.message[:500]}. Allowed fields: {allowed}.")
        return arguments

    def required(self) -> tuple[str, ...]:
        return tuple(self.schema["required"])

    def fields(self) -> tuple[str, ...]:
        return tuple(self.schema["properties"])

    def said_of(self, field: str) -> str:
        return str(self.schema["properties"][field].get("description", ""))

    def beyond(self, arguments: dict[str, Any]) -> str:
        """One breaker a server: its tools are down together."""
        return f"{BREAKER}{self.place.name}"

    def run(self, input: dict[str, Any], context: ToolContext) -> ToolResult:
        """Call it. What the server answers is an outsider's word, whatever it is."""
        from goals.mcp import session  # the SDK is large, and most processes never call

        try:
            secret = self.place.secret()
            seconds = max(min(self.place.timeout_seconds, context.remaining()) - TO_END, 1.0)
            result = session.call(self.place, self.said_name, input, is_known=self._is_known, seconds=seconds)
        except McpFault as fault:
            raise self._error(fault) from fault
        if result.is_error:
            told = results.said(result.content, secret) or "it says nothing of why"
            raise ToolError(f"{self.name} failed: {told}")
        given = results.value_of(result.content, result.structured_content, self.place.most_characters, secret)
        return ToolResult(given.value, given.summary, untrusted=True)

    def _is_known(self, said: Said) -> bool:
        return said.digest == self.digest

    def _error(self, fault: McpFault) -> ToolError:
        """Return a fault as the journal settles it: what may have been done outside is never just done again."""
        told = f"{self.name}: {fault}."
        if isinstance(fault, NotAsLetIn):
            self._show(fault)
        if fault.sent and self.effect_class == EffectClass.EXTERNAL:
            return ToolTimeout(told) if isinstance(fault, TookTooLong) else OutcomeUnknown(told)
        if isinstance(fault, TookTooLong) and self.effect_class != EffectClass.EXTERNAL:
            return ToolTimeout(told)
        return ToolError(told, retryable=fault.retryable)

    def _show(self, fault: NotAsLetIn) -> None:
        """Have the console show what has changed, and offer it to nobody."""
        from goals.mcp import looking

        with pooled():
            looking.note(self.place.name, fault.introduced_as, fault.told)
