"""What can be wrong with the database; each message is one line that says what to do."""


class PostgresError(Exception):
    """The database cannot be used as things are; trying again does not help."""
