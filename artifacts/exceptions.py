"""What can go wrong with artifacts. Each message is written for the person or the model that made the mistake."""


class ArtifactError(Exception):
    """Root of this room's errors. Trying the same again does not help, unless the subclass says so."""


class InvalidArtifact(ArtifactError):
    """A field of a new artifact is not allowed."""

    def __init__(self, field: str, problem: str):
        super().__init__(f"{field}: {problem}")
        self.field = field


class UncleanValue(ArtifactError):
    """The value cannot be stored as JSON."""

    def __init__(self, path: str, problem: str):
        super().__init__(f"{path}: {problem}")
        self.path = path


class ContextTooDeep(ArtifactError):
    """Contexts may be nested only so deep."""


class UnknownContext(ArtifactError):
    """There is no such context."""


class UnknownSource(ArtifactError):
    """An artifact named in `derived_from` does not exist."""


class VersionsContended(ArtifactError):
    """Others took each next version first. Trying again helps."""


class BlobMissing(ArtifactError):
    """The stored file of an artifact is not there."""


class BlobDamaged(ArtifactError):
    """The stored file of an artifact does not have the content that its digest names."""
