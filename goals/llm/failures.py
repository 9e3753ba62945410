"""The openai client's errors in our words."""

import openai

from goals.llm.errors import ModelError, ModelRejected, ModelTimeout, ModelUnavailable
from goals.llm.transport import retry_after


def told_error(error: openai.OpenAIError) -> ModelError:
    """The client's error in our words."""
    if isinstance(error, openai.APITimeoutError):
        return ModelTimeout("the model did not answer in time")
    if isinstance(error, openai.APIConnectionError):
        reason = error.__cause__ if error.message == "Connection error." else error.message
        return ModelUnavailable(f"the model endpoint could not be reached: {reason or error.message}"[:500])
    if isinstance(error, openai.APIStatusError):
        return _told_status(error)
    return ModelRejected(f"the model client refused the call: {error}"[:500])


def _told_status(error: openai.APIStatusError) -> ModelError:
    said = f"the model endpoint answered {error.status_code}: {error.message}"[:500]
    busy = error.status_code in (408, 409, 425, 429) or error.status_code >= 500
    if busy and error.code != "insufficient_quota":
        return ModelUnavailable(said, retry_after=retry_after(error.response.headers))
    return ModelRejected(said)
