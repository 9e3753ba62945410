"""What can go wrong with an MCP server. The message says it to a person; `sent` whether the tool may have run."""

from goals.mcp.listing import Said


class McpFault(Exception):
    """The root of all: `retryable` says whether asking again may help, `sent` whether the call had left."""

    retryable = True
    sent = False

    def __init__(self, message: str, *, retryable: bool | None = None, sent: bool | None = None) -> None:
        super().__init__(message)
        self.retryable = type(self).retryable if retryable is None else retryable
        self.sent = type(self).sent if sent is None else sent


class SecretMissing(McpFault):
    """The environment does not hold the secret that the server's row names."""

    retryable = False


class NotAsLetIn(McpFault):
    """The server tells of the tool differently than when it was let in, or no more; `told` are all its tools."""

    retryable = False

    def __init__(self, message: str, introduced_as: str, told: list[Said]) -> None:
        super().__init__(message)
        self.introduced_as, self.told = introduced_as, told


class TookTooLong(McpFault):
    """It did not answer in time."""


class SaidNo(McpFault):
    """The server refused the call: the tool has not run."""

    retryable = False
