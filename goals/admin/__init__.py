"""The operator's console: every row to read, and the services as actions."""

from goals.admin import (
    accounts,
    breakers,
    conversations,
    effects,
    history,
    mcp_servers,
    mcp_tools,
    model_settings,
    nodes,
    questions,
    queue,
    shares,
    spend,
    tool_rules,
    watches,
    webhooks,
)
from goals.admin.goals import GoalAdmin

__all__ = [
    "GoalAdmin",
    "accounts",
    "breakers",
    "conversations",
    "effects",
    "history",
    "mcp_servers",
    "mcp_tools",
    "model_settings",
    "nodes",
    "questions",
    "queue",
    "shares",
    "spend",
    "tool_rules",
    "watches",
    "webhooks",
]
