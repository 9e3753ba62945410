"""How fast somebody calls the API: one row a caller and kind of call, in a table that a crash may empty."""

from django.db import models


class ApiPace(models.Model):
    """`due` is when all that was asked for so far would have been asked for at the pace that is allowed.

    The table is unlogged: a call costs one small statement and nothing that must reach the disk.
    """

    caller = models.CharField(max_length=100, primary_key=True)
    due = models.DateTimeField()

    def __str__(self) -> str:
        return self.caller
