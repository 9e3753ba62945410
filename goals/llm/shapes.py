"""What replies are made of: bounded texts and keys, conditions, outputs, and the nodes of a plan.

Every shape is closed (`extra="forbid"`) and bounded, so that a runaway reply is a problem and not a row.
Optional fields may be null, blank or absent; positions in `depends_on` count from 0 within the same reply.
"""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, JsonValue


class Shape(BaseModel):
    """A closed JSON object without infinities."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def nothing_if_blank(value: object) -> object:
    return None if isinstance(value, str) and not value.strip() else value


def _moment(value: str) -> str:
    if datetime.fromisoformat(value).tzinfo is None:
        raise ValueError("needs an offset from UTC, as in 2030-01-31T09:00:00+00:00")
    return value


Title = Annotated[str, Field(min_length=1, max_length=300)]
Line = Annotated[str, Field(max_length=2_000)]
Text = Annotated[str, Field(max_length=20_000)]
LongText = Annotated[str, Field(max_length=200_000)]
Score = Annotated[float, Field(ge=0, le=1)]
Key = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_-]*$", max_length=100)]
Slug = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=100)]
ToolName = Annotated[str, Field(min_length=1, max_length=200)]
Moment = Annotated[str, Field(max_length=40), AfterValidator(_moment)]
Json = JsonValue
JsonObject = dict[str, JsonValue]

OptionalKey = Annotated[Key | None, BeforeValidator(nothing_if_blank)]
OptionalText = Annotated[Text | None, BeforeValidator(nothing_if_blank)]

PredicateName = Literal["composite", "use_tool", "gather_info", "confirm", "present_info", "execute"]
OperationName = Literal["think", "write", "search"]
OptionalOperation = Annotated[OperationName | None, BeforeValidator(nothing_if_blank)]
ArtifactType = Literal["file", "data", "process", "config", "text", "url"]


class HasEvidence(Shape):
    kind: Literal["has_evidence"]
    key: Key


class PredicateTrue(Shape):
    kind: Literal["predicate_true"]
    predicate: Annotated[str, Field(min_length=1, max_length=2_000)]


class VerifierPasses(Shape):
    kind: Literal["verifier"]
    verifier: JsonObject


class After(Shape):
    kind: Literal["after"]
    at: Moment


Condition = Annotated[HasEvidence | PredicateTrue | VerifierPasses | After, Field(discriminator="kind")]
Conditions = Annotated[list[Condition], Field(max_length=20)]
Tools = Annotated[list[ToolName], Field(max_length=50)]


class OutputSpec(Shape):
    """An artifact that a node is to produce."""

    name: Key
    type: ArtifactType
    description: Line
    purpose: Line = ""


class Output(OutputSpec):
    """An artifact that was produced, with its value."""

    value: Json


class CheckpointDraft(Shape):
    title: Title
    description: Text
    success_criteria: Text
    predicate: PredicateName
    args: JsonObject = {}
    operation: OptionalOperation = None
    tools: Tools = []
    evidence_key: OptionalKey = None
    done_when: Conditions = []
    verifier: JsonObject | None = None


class SubgoalDraft(Shape):
    gloss: Annotated[str, Field(min_length=1, max_length=2_000)]
    predicate: PredicateName
    args: JsonObject = {}
    operation: OptionalOperation = None
    depends_on: Annotated[list[Annotated[int, Field(ge=0, le=199)]], Field(max_length=50)] = []
    done_when: Conditions = []
    outputs: Annotated[list[OutputSpec], Field(max_length=20)] = []
    tools: Tools = []
    evidence_key: OptionalKey = None


class Evidence(Shape):
    key: Key
    value: Json


class SopValueDraft(Shape):
    """An input or an output of a procedure."""

    name: Key
    description: Line
    required: bool = True
    prompt: OptionalText = None


class SopStepDraft(Shape):
    gloss: Annotated[str, Field(min_length=1, max_length=2_000)]
    predicate: PredicateName
    evidence_key: OptionalKey = None
    tools: Tools = []
    args: JsonObject = {}
    done_when: Conditions = []
    prompt: OptionalText = None
