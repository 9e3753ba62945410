"""Counts of what hangs on each goal, in the goals' own statement."""

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from goals.models import Checkpoint, Goal, Question
from goals.states import CheckpointStatus, QuestionStatus


def with_counts(goals: QuerySet[Goal]) -> QuerySet[Goal]:
    """Annotate `checkpoint_count`, `completed_count` and `open_questions`, and join the owner."""
    return goals.select_related("owner").annotate(
        checkpoint_count=_count(Checkpoint.objects.all(), ~Q(status=CheckpointStatus.SKIPPED)),
        completed_count=_count(Checkpoint.objects.all(), Q(status=CheckpointStatus.COMPLETED)),
        open_questions=_count(Question.objects.all(), Q(status=QuestionStatus.OPEN)),
    )


def _count(rows: QuerySet, condition: Q) -> Coalesce:
    mine = rows.filter(condition, goal=OuterRef("pk")).order_by().values("goal")
    return Coalesce(Subquery(mine.annotate(n=Count("pk")).values("n")), 0)
