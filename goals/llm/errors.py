"""What can go wrong at the model port. The docstring says what happened; `retryable` says whether again may help."""


class ModelError(Exception):
    """The model call failed. `retry_after` is what the endpoint asked for, in seconds, when it asked.

    `opened` is the breaker that this failure opened, or found open.
    """

    retryable = False
    opened: Exception | None = None

    def __init__(self, message: str, *, retryable: bool | None = None, retry_after: float | None = None):
        super().__init__(message)
        self.message = message
        if retryable is not None:
            self.retryable = retryable
        self.retry_after = retry_after


class ModelUnavailable(ModelError):
    """The endpoint could not be reached, was busy, failed, or cut the connection."""

    retryable = True


class ModelTimeout(ModelError):
    """No whole reply within the time allowed; whether the endpoint did the work is unknown."""

    retryable = True


class ModelRejected(ModelError):
    """The endpoint will not take this request: wrong key, unknown model, malformed or too long."""


class ModelRefused(ModelError):
    """The model declined to answer, or a content filter stopped it. `completion` holds what that used."""

    def __init__(self, message: str, *, completion: object = None):
        super().__init__(message)
        self.completion = completion


class UnknownPrice(ModelError):
    """No table and no setting gives a price for this model, and the goal has a cost limit."""


class PromptError(ModelError):
    """A prompt does not exist, is malformed, or was given other variables than it declares."""
