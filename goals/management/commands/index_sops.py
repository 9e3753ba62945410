"""`manage.py index_sops`: embed every procedure anew, as after a change of GOALSITE_EMBEDDING_MODEL."""

from typing import Any

from goals.exceptions import GoalError
from goals.management.base import GoalsiteCommand
from sops.embedding import current_embedder
from sops.exceptions import SopError
from sops.indexing import index


class Command(GoalsiteCommand):
    help = "Embed the current version of every procedure anew with the configured embedder."

    def handle(self, **options: Any) -> None:
        try:
            count = index()
        except SopError as error:
            raise GoalError(str(error)) from error
        self.stdout.write(f"{count} procedures are indexed by {current_embedder().name}")
