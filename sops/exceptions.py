"""What can be wrong with a procedure. Trying again helps only where it says so."""


class SopError(Exception):
    """The root of this app's errors."""


class InvalidSop(SopError):
    """The text of a procedure is refused. `problems` are (field, what is wrong and what is allowed)."""

    def __init__(self, source: str, problems: list[tuple[str, str]]) -> None:
        self.source = source
        self.problems = problems
        super().__init__("\n".join(f"{source}: {field}: {problem}" for field, problem in problems))


class LoadRefused(SopError):
    """Nothing of a load was stored; `errors` has one `InvalidSop` for each text that was refused."""

    def __init__(self, errors: list[InvalidSop]) -> None:
        self.errors = errors
        super().__init__("\n".join(str(error) for error in errors))


class NotAdaptable(SopError):
    """A procedure cannot be followed here and now; the message says what is missing."""


class StaleSop(SopError):
    """Somebody has made a later version; look at it first."""


class EmbedderUnavailable(SopError):
    """The embedding endpoint did not answer with vectors of the right size; trying again may help."""
