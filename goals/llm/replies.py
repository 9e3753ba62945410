"""The typed reply of each prompt (DESIGN section 7). `chat_reply` has none: it is streamed text."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from goals.llm.shapes import (
    CheckpointDraft,
    Evidence,
    JsonObject,
    Key,
    Line,
    LongText,
    OptionalOperation,
    OptionalText,
    Output,
    Score,
    Shape,
    Slug,
    SopStepDraft,
    SopValueDraft,
    SubgoalDraft,
    Text,
    Title,
    nothing_if_blank,
)


class NewGoal(Shape):
    gloss: Annotated[str, Field(min_length=1, max_length=20_000)]
    context: OptionalText = None


class InterpretMessage(Shape):
    action: Literal["new_goal", "add_evidence", "abandon_goal", "continue"]
    goal: NewGoal | None = None
    evidence: Annotated[list[Evidence], Field(max_length=50)] = []
    reply: OptionalText = None
    reasoning: Text


class JudgeApplicability(Shape):
    sop: Annotated[Slug | None, BeforeValidator(nothing_if_blank)] = None
    confidence: Score
    missing_prerequisites: Annotated[list[Line], Field(max_length=50)] = []
    inputs: Annotated[JsonObject, Field(max_length=50)] = {}
    reasoning: Text


class PlanCheckpoints(Shape):
    """An empty list says that no plan can reach the objective; `reasoning` says why."""

    checkpoints: Annotated[list[CheckpointDraft], Field(max_length=200)]
    reasoning: Text


class RevisePlan(PlanCheckpoints):
    """The new remaining checkpoints; an empty list says that there is no other way."""


class Atomize(Shape):
    decision: Literal["execute", "plan"]
    operation: OptionalOperation = None
    reasoning: Text


class PlanSubgoals(Shape):
    decomposition: Literal["AND", "OR"]
    subgoals: Annotated[list[SubgoalDraft], Field(max_length=50)]
    reasoning: Text


class Act(Shape):
    status: Literal["done", "stuck", "unachievable"]
    result: LongText
    outputs: Annotated[list[Output], Field(max_length=20)] = []


class GatherQuestion(Shape):
    question: Annotated[str, Field(min_length=1, max_length=5_000)]
    suggestions: Annotated[list[Annotated[str, Field(max_length=500)]], Field(max_length=20)] = []


class CheckCondition(Shape):
    satisfied: bool
    reasoning: Text


class JudgeOutcome(Shape):
    met: bool
    score: Score
    reason: Text
    evidence: Text = ""


class Aggregate(Shape):
    result: LongText
    outputs: Annotated[list[Output], Field(max_length=20)] = []


class SummariseContext(Shape):
    summary: Text


class EvaluateProgress(Shape):
    on_track: bool
    score: Score
    revise: bool
    reasoning: Text


class DistilSop(Shape):
    """A draft procedure: a person reviews it before it is ever followed."""

    slug: Slug
    title: Title
    intent: Line
    description: Text
    prerequisites: Annotated[list[Line], Field(max_length=20)] = []
    inputs: Annotated[list[SopValueDraft], Field(max_length=30)] = []
    outputs: Annotated[list[SopValueDraft], Field(max_length=30)] = []
    steps: Annotated[list[SopStepDraft], Field(min_length=1, max_length=50)]
    tags: Annotated[list[Key], Field(max_length=20)] = []


REPLIES: dict[str, type[Shape]] = {
    "interpret_message": InterpretMessage,
    "judge_applicability": JudgeApplicability,
    "plan_checkpoints": PlanCheckpoints,
    "revise_plan": RevisePlan,
    "atomize": Atomize,
    "plan_subgoals": PlanSubgoals,
    "act": Act,
    "gather_question": GatherQuestion,
    "check_condition": CheckCondition,
    "judge_outcome": JudgeOutcome,
    "aggregate": Aggregate,
    "summarise_context": SummariseContext,
    "evaluate_progress": EvaluateProgress,
    "distil_sop": DistilSop,
}
