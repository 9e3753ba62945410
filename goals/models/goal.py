"""The goal's row: what a person wants, where it stands, and who drives it."""

from django.conf import settings
from django.db import models
from django.db.models import CheckConstraint, F, Q
from django.db.models.functions import Now

from goals.models.fields import choice_field, known_values, uuid7_key
from goals.states import TERMINAL, GoalStatus, Kind, Mode, Outcome, PauseReason, Verdict, WaitsFor

LIVE = [GoalStatus.PLANNING, GoalStatus.ACTIVE, GoalStatus.WAITING]
ENDED = sorted(TERMINAL[Kind.GOAL])


class GoalQuerySet(models.QuerySet["Goal"]):
    def owned_by(self, user) -> "GoalQuerySet":
        """Return the goals that a person may move: their own, or all for one with `goals.operate`."""
        if user.has_perm("goals.operate"):
            return self.all()
        return self.filter(owner_id=user.pk)

    def runnable(self) -> "GoalQuerySet":
        """Return what a driver could move now: due, and driven by nobody. `lease.CLAIM` takes them in turn."""
        now = Now()
        due = (Q(wake_at=None) & ~Q(status=GoalStatus.WAITING)) | Q(wake_at__lte=now)
        return self.filter(due, Q(lease_expires_at=None) | Q(lease_expires_at__lt=now), status__in=LIVE)


class Goal(models.Model):
    """The root of a tree of work. Facts of the engine are columns: a snapshot is read from them, never inferred."""

    id = uuid7_key()
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="goals")
    conversation = models.ForeignKey(
        "goals.Conversation", on_delete=models.SET_NULL, null=True, blank=True, related_name="goals"
    )
    root = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="descendants",
        help_text="The goal whose budget this one draws on; null: its own.",
    )
    forked_from = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="forks")
    parent = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="made",
        help_text="The goal whose work has made this one.",
    )
    objective = models.TextField()
    context = models.TextField(blank=True)
    constraints = models.TextField(blank=True)
    mode = choice_field(Mode, default=Mode.DRIVE)
    workspace = models.TextField(blank=True)
    auto_approve = models.BooleanField(default=False)
    options = models.JSONField(default=dict, blank=True)
    steering = models.JSONField(default=list, blank=True)

    status = choice_field(GoalStatus, default=GoalStatus.PLANNING)
    outcome = choice_field(Outcome, blank=True, default="")
    reason = models.TextField(blank=True)
    paused_for = choice_field(PauseReason, blank=True, default="")
    waits_for = choice_field(WaitsFor, blank=True, default="")
    wake_at = models.DateTimeField(null=True, blank=True)

    verifier = models.JSONField(null=True, blank=True)
    verifier_digest = models.CharField(max_length=64, blank=True)
    seals = models.PositiveIntegerField(
        default=0, editable=False, help_text="How often an operator has changed the sealed verifier."
    )
    proof = models.ForeignKey(
        "goals.Verification", on_delete=models.RESTRICT, null=True, blank=True, related_name="proves_goals"
    )
    verdict = choice_field(Verdict, blank=True, default="")
    verdict_reason = models.TextField(blank=True)
    fingerprint = models.CharField(max_length=64, blank=True)
    repeats = models.PositiveIntegerField(default=0)
    unachievable = models.TextField(blank=True)
    failure = models.JSONField(null=True, blank=True)

    iteration = models.PositiveIntegerField(default=1)
    attempt = models.PositiveIntegerField(default=1)
    revision = models.PositiveIntegerField(default=0)
    asked_revisions = models.PositiveIntegerField(
        default=0, help_text="How often a person asked for another plan: each allows one revision beyond the limit."
    )
    resumes = models.PositiveIntegerField(
        default=0, help_text="How often it was resumed: what was tried before is tried anew."
    )
    let_go_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When it was last paused without awaiting what was in flight."
    )
    preflight_due = models.BooleanField(default=False)
    plan_due = models.BooleanField(default=True)
    plan_asked = models.BooleanField(default=False, help_text="A plan waits for its owner's approval.")
    plan_wake_at = models.DateTimeField(
        null=True, blank=True, help_text="When the question about a plan is reminded of, or no longer waited for."
    )
    plan_remarks = models.JSONField(
        default=list, blank=True, help_text="What its owner said of proposed plans; the next one heeds it."
    )
    revise_reason = models.TextField(blank=True)
    summary_due = models.BooleanField(default=False)
    since_evaluation = models.PositiveIntegerField(default=0)
    revise_streak = models.PositiveIntegerField(default=0)
    dear_streak = models.PositiveIntegerField(default=0)
    words = models.PositiveIntegerField(default=0, help_text="How often somebody has said something to steer it.")
    words_heard = models.PositiveIntegerField(
        default=0, help_text="How many of these words were there when the plan was last made or looked at."
    )
    summary = models.TextField(blank=True)
    plan_notes = models.TextField(blank=True)

    artifact_context = models.ForeignKey("artifacts.Context", on_delete=models.PROTECT, related_name="+")
    sop_version = models.ForeignKey(
        "sops.SopVersion", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    sop_slug = models.CharField(max_length=100, blank=True)

    seq = models.PositiveBigIntegerField(default=0, editable=False)
    chain = models.CharField(max_length=64, blank=True, editable=False)
    lease_owner = models.CharField(max_length=100, blank=True, editable=False)
    lease_epoch = models.PositiveBigIntegerField(default=0, editable=False)
    lease_expires_at = models.DateTimeField(null=True, blank=True, editable=False)

    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    iteration_started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = GoalQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        permissions = [
            ("operate", "Can see and steer the goals of everybody"),
            ("use_host_verifiers", "Can set verifiers that run commands or expressions on the host"),
            ("rearm", "Can rearm an ended goal"),
        ]
        constraints = [
            known_values("goal", "status", GoalStatus),
            known_values("goal", "mode", Mode),
            known_values("goal", "outcome", Outcome, blank=True),
            known_values("goal", "paused_for", PauseReason, blank=True),
            known_values("goal", "waits_for", WaitsFor, blank=True),
            known_values("goal", "verdict", Verdict, blank=True),
            CheckConstraint(
                name="goal_finished_when_ended",
                condition=Q(status__in=ENDED, finished_at__isnull=False)
                | (~Q(status__in=ENDED) & Q(finished_at__isnull=True)),
            ),
            CheckConstraint(
                name="goal_completed_has_proof",
                condition=Q(status=GoalStatus.COMPLETED, outcome=Outcome.ACHIEVED, proof__isnull=False)
                | ~Q(status=GoalStatus.COMPLETED),
            ),
            CheckConstraint(
                name="goal_failed_has_outcome",
                condition=~Q(status=GoalStatus.FAILED) | ~Q(outcome__in=["", Outcome.ACHIEVED]),
            ),
            CheckConstraint(
                name="goal_paused_says_why",
                condition=Q(status=GoalStatus.PAUSED) & ~Q(paused_for="")
                | ~Q(status=GoalStatus.PAUSED) & Q(paused_for=""),
            ),
            CheckConstraint(
                name="goal_wait_has_an_owner",
                condition=~Q(status=GoalStatus.WAITING)
                | Q(waits_for=WaitsFor.QUESTION)
                | Q(waits_for__in=[WaitsFor.TIMER, WaitsFor.WATCH], wake_at__isnull=False),
            ),
            CheckConstraint(name="goal_objective_not_empty", condition=~Q(objective="")),
            CheckConstraint(
                name="goal_verifier_has_its_digest",
                condition=Q(verifier__isnull=True, verifier_digest="")
                | (Q(verifier__isnull=False) & ~Q(verifier_digest="")),
            ),
        ]
        indexes = [
            models.Index(fields=["owner", "-created_at"], name="goal_list"),
            models.Index(fields=["-created_at", "-id"], name="goal_by_time"),
            models.Index(fields=["status", "-created_at"], name="goal_by_status"),
            models.Index(fields=["-finished_at", "-id"], name="goal_by_end", condition=Q(finished_at__isnull=False)),
            models.Index(
                F("wake_at").asc(nulls_first=True),
                F("lease_expires_at").asc(nulls_first=True),
                name="goal_for_driver",
                condition=Q(status__in=LIVE),
            ),
        ]

    def __str__(self) -> str:
        return self.objective[:80]

    @property
    def is_ended(self) -> bool:
        return self.status in ENDED

    @property
    def budget_goal_id(self):
        """The goal whose budget rows this one draws on."""
        return self.root_id or self.id
