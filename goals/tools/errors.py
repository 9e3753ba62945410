"""Errors of the tools room. The message is meant for a person and for the model that called the tool."""


class ToolError(Exception):
    """The tool could not do what it was asked; `retryable` says whether trying again may help.

    `retry_after` is what the far side asked for, in seconds, when it asked; `opened` is the breaker that this opened.
    """

    opened: Exception | None = None

    def __init__(self, message: str, *, retryable: bool = False, retry_after: float | None = None):
        super().__init__(message)
        self.retryable = retryable
        self.retry_after = retry_after


class ToolInputError(ToolError):
    """The input does not fit the tool; the same input will never fit."""


class OutsideWorkspace(ToolInputError):
    """The path leaves the workspace and its declared read roots, or is no plain file or folder."""


class ToolTimeout(ToolError):
    """The tool ran out of its time; trying again with more time may help."""

    def __init__(self, message: str):
        super().__init__(message, retryable=True)


class OutcomeUnknown(ToolError):
    """The call was sent and its answer lost: it may have happened; only a probe or a person can tell."""


class UnknownTool(ToolError):
    """No tool of this name is registered."""


class DeniedTool(UnknownTool):
    """The tool policy denies the tool to this goal."""

    def __init__(self, name: str):
        super().__init__(f"The tool policy denies {name} to this goal.")


class BrokenPlugin(ToolError):
    """An entry point of the group `goalsite.tools` does not give a usable tool."""
