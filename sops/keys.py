"""Primary keys of this app."""

from uuid import UUID

import uuid_utils.compat


def uuid7() -> UUID:
    """A new UUIDv7: sorts by the time it was made."""
    return uuid_utils.compat.uuid7()
