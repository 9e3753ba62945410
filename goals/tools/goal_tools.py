"""`goal_create`, `goal_status`, `goal_manage`: what a model may do with goals, in the chat and at work."""

from typing import Any, Literal

from pydantic import Field

from goals import delegation
from goals.delegation import Asker
from goals.exceptions import GoalError
from goals.states import EffectClass, Risk
from goals.tools.base import OutputSpec, Reach, Tool, ToolContext, ToolInput, ToolResult
from goals.tools.errors import ToolError

ID = "The goal's id, as goal_create and goal_status give it; in a chat null means the goal of the conversation"


class GoalTool(Tool):
    """Only writes our own database, in the transaction of its caller; what is refused there is told to the model."""

    effect_class = EffectClass.TRANSACTIONAL

    def run(self, input: Any, context: ToolContext) -> ToolResult:
        """Act for the goal that is at work."""
        return self.act(input, delegation.for_goal(context.goal_id))

    def act(self, input: Any, asker: Asker) -> ToolResult:
        """Act for whoever asks; raises ToolError."""
        try:
            return self._act(input, asker)
        except GoalError as error:
            raise ToolError(str(error)) from error

    def _act(self, input: Any, asker: Asker) -> ToolResult:
        raise NotImplementedError(f"{type(self).__name__} has no _act()")


class GoalCreateInput(ToolInput):
    objective: str = Field(min_length=1, max_length=20_000, description="What is wanted, understandable by itself")
    context: str = Field("", max_length=20_000, description="Facts that help")
    constraints: str = Field("", max_length=20_000, description="What must be kept to")


class GoalCreate(GoalTool):
    name = "goal_create"
    description = (
        "Set a goal, which is then worked on in the background. Within a goal it draws on this goal's budget and uses "
        "its workspace. Gives {goal, objective}; goal_status tells later how it stands."
    )
    Input = GoalCreateInput
    outputs = (OutputSpec("created_goal", "data", "The goal that was set"),)
    risk = Risk.MODERATE
    reach = Reach.WRITE

    def _act(self, input: GoalCreateInput, asker: Asker) -> ToolResult:
        goal = delegation.create(asker, objective=input.objective, context=input.context, constraints=input.constraints)
        return ToolResult({"goal": str(goal.pk), "objective": goal.objective[:1000]}, f"Goal {goal.pk} is set.")


class GoalStatusInput(ToolInput):
    goal: str | None = Field(None, max_length=100, description="The goal's id; null: the latest goals")


class GoalStatus(GoalTool):
    name = "goal_status"
    description = "Tell how goals stand. Gives {goals: [{goal, objective, status, in_words, why, summary, artifacts}]}."
    Input = GoalStatusInput
    outputs = (OutputSpec("goals_status", "data", "How goals stand"),)

    def _act(self, input: GoalStatusInput, asker: Asker) -> ToolResult:
        goals = delegation.status(asker, input.goal)
        words = "; ".join(f"{goal['objective'][:100]}: {goal['in_words']}" for goal in goals)
        return ToolResult({"goals": goals}, words or "There are no goals.")


class GoalManageInput(ToolInput):
    action: Literal["pause", "resume", "cancel", "steer", "revise"] = Field(
        description="steer adds a word of guidance; revise asks for another plan of what remains"
    )
    goal: str | None = Field(None, max_length=100, description=ID)
    text: str = Field("", max_length=10_000, description="The guidance, or the reason; steer and revise need it")


class GoalManage(GoalTool):
    name = "goal_manage"
    description = "Pause, resume, cancel, steer or revise a goal (within a goal: one that it has made). Limits stay."
    Input = GoalManageInput
    outputs = (OutputSpec("managed_goal", "data", "The goal after the act"),)
    risk = Risk.MODERATE
    reach = Reach.WRITE

    def _act(self, input: GoalManageInput, asker: Asker) -> ToolResult:
        goal = delegation.manage(asker, input.goal, input.action, input.text)
        return ToolResult({"goal": str(goal.pk), "status": goal.status}, f"Goal {goal.pk} is {goal.status}.")
