"""Errors of the verifiers room."""


class VerifierError(Exception):
    """Root of this room's errors."""


class InvalidVerifier(VerifierError, ValueError):
    """The spec is not a verifier; the message names the field and what is allowed."""


class ExpressionError(VerifierError):
    """The expression is not allowed, too costly, or does not fit the data."""


class MissingArtifact(VerifierError):
    """The expression asks for an artifact that is not there (yet)."""


class SandboxError(VerifierError):
    """The command could not be started in any sandbox."""
