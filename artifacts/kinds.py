"""The words that an artifact's row may hold: its type, its trust label and the way its value is stored."""

from django.db.models import TextChoices


class ArtifactType(TextChoices):
    FILE = "file", "File"  # the value is the file's path, not its contents
    DATA = "data", "Data"
    PROCESS = "process", "Process"
    CONFIG = "config", "Configuration"
    TEXT = "text", "Text"
    URL = "url", "Address"


class Trust(TextChoices):
    """Where a value comes from. The worse label follows lineage; the order here is from good to bad."""

    TRUSTED = "trusted", "Trusted"  # our own tools and the model's own work
    PERSON = "person", "From a person"
    UNTRUSTED = "untrusted", "From outside"


class Storage(TextChoices):
    """Where the content lies: in the row, or in a blob as JSON or as plain bytes."""

    INLINE = "inline", "In the row"
    JSON = "json", "JSON in a blob"
    BYTES = "bytes", "Bytes in a blob"
