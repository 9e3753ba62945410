"""What a chat completion request asks: which prompt, its sections, its tools, and how far the exchange has come."""

import json
import re
from dataclasses import dataclass
from typing import Any

_SECTION = re.compile(r"^<([a-z_]+)>\n(.*?)\n</\1>$", re.DOTALL | re.MULTILINE)
_IN_WORDS = re.compile(r"Reply form `([a-z_]+)`")
_CHAT = {"message", "recent_messages", "goal"}


@dataclass(frozen=True)
class Asked:
    """`name` is the prompt's name, or "" for a request that is none of ours."""

    name: str
    sections: dict[str, str]
    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]]

    def text(self, variable: str) -> str:
        """A section's text; "" where it is absent or JSON null."""
        told = self.sections.get(variable, "").strip()
        return "" if told == "null" else told.replace("&lt;", "<")

    def data(self, variable: str, default: Any) -> Any:
        """A section's JSON, or the default where it is absent, null, or of another type."""
        try:
            value = json.loads(self.sections.get(variable, ""))
        except ValueError:
            return default
        return value if isinstance(value, type(default)) else default

    @property
    def tool_names(self) -> set[str]:
        return {tool.get("function", {}).get("name", "") for tool in self.tools}

    @property
    def tool_results(self) -> list[str]:
        """What the tools have answered so far, in order."""
        return [text_of(message) for message in self.messages if message.get("role") == "tool"]


def read(body: dict[str, Any]) -> Asked:
    """Read the body of a request."""
    messages = body["messages"]
    users = [text_of(message) for message in messages if message.get("role") == "user"]
    sections = dict(_SECTION.findall(users[0])) if users else {}
    return Asked(_name(body, messages, sections), sections, messages, body.get("tools") or [])


def text_of(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content if isinstance(part, dict))
    return content or ""


def _name(body: dict[str, Any], messages: list[dict[str, Any]], sections: dict[str, str]) -> str:
    wanted = body.get("response_format") or {}
    if wanted.get("type") == "json_schema":
        return wanted["json_schema"]["name"]
    for message in messages:
        in_words = _IN_WORDS.search(text_of(message)) if message.get("role") == "system" else None
        if in_words:
            return in_words.group(1)
    return "chat_reply" if sections.keys() == _CHAT else ""
