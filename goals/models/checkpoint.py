"""One phase of a goal, in order."""

from django.db import models
from django.db.models import CheckConstraint, Q

from goals.models.fields import choice_field, indexed_key, known_values, uuid7_key
from goals.states import TERMINAL, CheckpointStatus, Kind, Operation, Predicate, Verdict

ENDED = sorted(TERMINAL[Kind.CHECKPOINT])
SAYS_NOTHING_NEW = {Predicate.GATHER_INFO, Predicate.CONFIRM, Predicate.PRESENT_INFO}


class Checkpoint(models.Model):
    """The boundary at which work is verified, summarised and budgeted. Its root subgoal is made of its plan fields."""

    id = uuid7_key()
    goal = indexed_key("goals.Goal", related_name="checkpoints")
    position = models.PositiveIntegerField()
    title = models.CharField(max_length=300)
    description = models.TextField(blank=True)
    success_criteria = models.TextField(blank=True)
    verifier = models.JSONField(null=True, blank=True)
    predicate = choice_field(Predicate)
    args = models.JSONField(default=dict, blank=True)
    operation = choice_field(Operation, blank=True, default="")
    tools = models.JSONField(default=list, blank=True)
    evidence_key = models.CharField(max_length=100, blank=True)
    done_when = models.JSONField(default=list, blank=True)
    provenance = models.JSONField(default=dict, blank=True)

    status = choice_field(CheckpointStatus, default=CheckpointStatus.PENDING)
    attempts = models.PositiveIntegerField(default=0)
    yields = models.PositiveIntegerField(
        default=0, help_text="How often it was taken out of hand; each time its attempt was refunded."
    )
    verdict = choice_field(Verdict, blank=True, default="")
    proof = models.ForeignKey(
        "goals.Verification", on_delete=models.RESTRICT, null=True, blank=True, related_name="proves_checkpoints"
    )
    result_summary = models.TextField(blank=True)
    failure = models.TextField(blank=True)
    iteration = models.PositiveIntegerField(default=1)
    revision = models.PositiveIntegerField(default=0)
    seconds = models.FloatField(default=0)
    evidence_since = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["goal", "position"]
        constraints = [
            models.UniqueConstraint(fields=["goal", "position"], name="checkpoint_position_once"),
            models.UniqueConstraint(
                fields=["goal"], condition=Q(status=CheckpointStatus.ACTIVE), name="checkpoint_one_active"
            ),
            known_values("checkpoint", "status", CheckpointStatus),
            known_values("checkpoint", "predicate", Predicate),
            known_values("checkpoint", "operation", Operation, blank=True),
            known_values("checkpoint", "verdict", Verdict, blank=True),
            CheckConstraint(
                name="checkpoint_finished_when_ended",
                condition=Q(status__in=ENDED, finished_at__isnull=False)
                | (~Q(status__in=ENDED) & Q(finished_at__isnull=True)),
            ),
            CheckConstraint(
                name="checkpoint_completed_has_proof",
                condition=~Q(status=CheckpointStatus.COMPLETED) | Q(proof__isnull=False),
            ),
        ]
        indexes = [
            models.Index(
                fields=["goal", "position"],
                name="checkpoint_window",
                condition=Q(status__in=[CheckpointStatus.PENDING, CheckpointStatus.ACTIVE]),
            )
        ]

    def __str__(self) -> str:
        return f"{self.position + 1}. {self.title}"

    @property
    def round(self) -> int:
        """The number of the tree in hand: refunded attempts had trees, too."""
        return self.attempts + self.yields

    @property
    def says_something_new(self) -> bool:
        """Whether a model or a tool worked here, so that the next checkpoint needs a new summary."""
        return self.predicate not in SAYS_NOTHING_NEW
