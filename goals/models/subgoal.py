"""A node of the tree under a checkpoint."""

from django.db import models
from django.db.models import CheckConstraint, Q

from goals.models.fields import choice_field, indexed_key, known_values, uuid7_key
from goals.states import TERMINAL, Decomposition, Kind, Operation, Predicate, SubgoalStatus

ENDED = sorted(TERMINAL[Kind.SUBGOAL])


class Subgoal(models.Model):
    """`round` numbers the checkpoint's trees, one an attempt; `attempts` counts the tries at the node itself.

    `replans` counts how often its children were planned anew, `plan` says which of its parent's plans it belongs to.
    """

    id = uuid7_key()
    goal = models.ForeignKey("goals.Goal", on_delete=models.CASCADE, related_name="subgoals")
    checkpoint = indexed_key("goals.Checkpoint", related_name="subgoals")
    parent = models.ForeignKey("self", on_delete=models.CASCADE, null=True, blank=True, related_name="children")
    round = models.PositiveIntegerField(default=1)
    plan = models.PositiveIntegerField(default=1)
    replans = models.PositiveIntegerField(default=0)
    position = models.PositiveIntegerField(default=0)
    depth = models.PositiveIntegerField(default=0)
    gloss = models.TextField()
    predicate = choice_field(Predicate)
    args = models.JSONField(default=dict, blank=True)
    operation = choice_field(Operation, blank=True, default="")
    decomposition = choice_field(Decomposition, default=Decomposition.AND)
    depends_on = models.ManyToManyField("self", symmetrical=False, blank=True, related_name="dependants")
    done_when = models.JSONField(default=list, blank=True)
    outputs = models.JSONField(default=list, blank=True)
    tools = models.JSONField(default=list, blank=True)
    evidence_key = models.CharField(max_length=100, blank=True)
    provenance = models.JSONField(default=dict, blank=True)

    status = choice_field(SubgoalStatus, default=SubgoalStatus.PENDING)
    attempts = models.PositiveIntegerField(default=1)
    wake_at = models.DateTimeField(null=True, blank=True)
    asked = models.BooleanField(default=False)
    atomized = models.CharField(max_length=10, blank=True)
    worked = models.BooleanField(default=False)
    checked = models.BooleanField(null=True, blank=True)
    result = models.JSONField(null=True, blank=True)
    failure = models.JSONField(null=True, blank=True)
    previous_failure = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["checkpoint", "round", "depth", "position"]
        constraints = [
            known_values("subgoal", "status", SubgoalStatus),
            known_values("subgoal", "predicate", Predicate),
            known_values("subgoal", "operation", Operation, blank=True),
            known_values("subgoal", "decomposition", Decomposition),
            models.UniqueConstraint(
                fields=["checkpoint", "round"], condition=Q(parent__isnull=True), name="subgoal_one_root_per_round"
            ),
            CheckConstraint(
                name="subgoal_finished_when_ended",
                condition=Q(status__in=ENDED, finished_at__isnull=False)
                | (~Q(status__in=ENDED) & Q(finished_at__isnull=True)),
            ),
            CheckConstraint(
                name="subgoal_wait_has_an_owner",
                condition=~Q(status=SubgoalStatus.WAITING) | Q(wake_at__isnull=False) | Q(asked=True),
            ),
        ]
        indexes = [models.Index(fields=["checkpoint", "round"], name="subgoal_tree")]

    def __str__(self) -> str:
        return self.gloss[:80]
