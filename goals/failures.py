"""What went wrong, as the engine knows it: an error becomes a failure, a value that says whether to try again."""

import traceback

from artifacts.clean import clean_text
from artifacts.exceptions import ArtifactError
from goals.decisions import Failure, FailureKind
from goals.exceptions import GoalError, InvalidInput
from goals.llm.errors import ModelError, ModelRefused
from goals.tools.errors import OutsideWorkspace, ToolError, ToolInputError, UnknownTool


def failure_of(error: Exception) -> Failure:
    """Name an error as the engine knows it."""
    text = clean_text(str(error)) or type(error).__name__
    match error:
        case ModelRefused():
            return Failure(FailureKind.MODEL, text, retryable=False)
        case ModelError():
            return Failure(FailureKind.MODEL, text, error.retryable, error.retry_after)
        case UnknownTool():
            return Failure(FailureKind.MISSING_TOOL, text, retryable=False)
        case ToolInputError() | OutsideWorkspace() | ArtifactError() | InvalidInput():
            return Failure(FailureKind.INPUT, text, retryable=False)
        case ToolError():
            return Failure(FailureKind.TOOL, text, error.retryable, error.retry_after)
        case GoalError():
            return Failure(FailureKind.NOT_DONE, text)
        case _:
            last = clean_text("".join(traceback.format_exception(error)))[-4000:]
            return Failure(FailureKind.ERROR, f"{type(error).__name__}: {text}\n{last}")
