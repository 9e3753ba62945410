"""The rows; one noun a file. Postgres states their invariants."""

from goals.models.api_pace import ApiPace
from goals.models.api_token import ApiToken
from goals.models.attachment import Attachment
from goals.models.breaker import Breaker
from goals.models.budget import Budget
from goals.models.checkpoint import Checkpoint
from goals.models.conversation import Conversation, Message, Role, Taken
from goals.models.delivery import Delivery
from goals.models.effect import Effect, ModelCall, ToolCall
from goals.models.event import Event
from goals.models.goal import Goal
from goals.models.idempotency import IdempotentRequest
from goals.models.limited_user import LimitedUser
from goals.models.lookups import HasWords
from goals.models.mcp_server import McpServer
from goals.models.mcp_tool import McpTool
from goals.models.model_choice import ModelChoice
from goals.models.model_price import ModelPrice
from goals.models.progress_score import ProgressScore
from goals.models.question import Question
from goals.models.saved_view import SavedView
from goals.models.share import Share
from goals.models.spend import Spend
from goals.models.subgoal import Subgoal
from goals.models.tally import Tally
from goals.models.tool_rule import ToolRule
from goals.models.verification import Verification
from goals.models.watch import Watch
from goals.models.webhook import Webhook

__all__ = [
    "ApiPace",
    "ApiToken",
    "Attachment",
    "Breaker",
    "Budget",
    "Checkpoint",
    "Conversation",
    "Delivery",
    "Effect",
    "Event",
    "Goal",
    "HasWords",
    "IdempotentRequest",
    "LimitedUser",
    "McpServer",
    "McpTool",
    "Message",
    "ModelCall",
    "ModelChoice",
    "ModelPrice",
    "ProgressScore",
    "Question",
    "Role",
    "SavedView",
    "Share",
    "Spend",
    "Subgoal",
    "Taken",
    "Tally",
    "ToolCall",
    "ToolRule",
    "Verification",
    "Watch",
    "Webhook",
]
