"""What can be wrong when the site or one of its commands starts; each message is one line that says what to do."""


class SiteError(Exception):
    """Things are such that it cannot start; trying again does not help."""


class PostgresError(SiteError):
    """The database cannot be used as things are."""
