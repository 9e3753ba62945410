"""Where a server is and what it is trusted with, as a call needs it; and the secret that its row only names."""

import shlex
from dataclasses import dataclass

from django.conf import settings

from goals.mcp.errors import SecretMissing
from goals.models import McpServer
from goals.states import McpTransport

AUTHORIZATION = "Authorization"
BEARER = "Bearer "


@dataclass(frozen=True)
class Place:
    """A server, without its row; equal where nothing of it has changed."""

    name: str
    transport: str
    address: str = ""
    command: str = ""
    folder: str = ""
    secret_variable: str = ""
    secret_as: str = ""
    allow_private: bool = False
    timeout_seconds: int = 60
    most_characters: int = 50_000

    @classmethod
    def of(cls, row: McpServer) -> "Place":
        return cls(**{name: getattr(row, name) for name in cls.__dataclass_fields__})

    @property
    def is_http(self) -> bool:
        return self.transport == McpTransport.HTTP

    @property
    def words(self) -> list[str]:
        """The program and its arguments."""
        return shlex.split(self.command)

    def secret(self) -> str:
        """Return what the environment holds for it, blank for a server without a secret; raises SecretMissing."""
        if not self.secret_variable:
            return ""
        found = settings.GOALSITE_MCP_SECRETS.get(self.secret_variable, "")
        if not found:
            raise SecretMissing(f"the site's environment has no {self.secret_variable}, which {self.name} needs")
        return found

    def headers(self) -> dict[str, str]:
        """Return the secret as it is sent over HTTP; raises SecretMissing."""
        secret, name = self.secret(), self.secret_as or AUTHORIZATION
        if not secret:
            return {}
        plain = name.lower() == AUTHORIZATION.lower() and " " not in secret
        return {name: BEARER + secret if plain else secret}

    def variables(self) -> dict[str, str]:
        """Return the secret as a command is given it; raises SecretMissing."""
        secret = self.secret()
        return {self.secret_as or self.secret_variable: secret} if secret else {}
