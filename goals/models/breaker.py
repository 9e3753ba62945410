"""A far side that may fail, and whether it is left alone: one row for each endpoint and tool, shared by all workers."""

from django.conf import settings
from django.db import models
from django.db.models import CheckConstraint, Q

from goals import breaker
from goals.models.fields import choice_field, known_values, uuid7_key
from goals.states import BreakerKind, BreakerState


class BreakerQuerySet(models.QuerySet["Breaker"]):
    def open(self) -> "BreakerQuerySet":
        """Return those whose far side is left alone, or tried by one probe."""
        return self.exclude(state=BreakerState.CLOSED)

    def troubled(self) -> "BreakerQuerySet":
        """Return those that a success would change."""
        return self.filter(Q(failures__gt=0) | ~Q(state=BreakerState.CLOSED))


class Breaker(models.Model):
    """`name` is an endpoint's address without its account, or a tool's name. The rule is `goals/breaker.py`."""

    id = uuid7_key()
    kind = choice_field(BreakerKind)
    name = models.CharField(max_length=500)
    state = choice_field(BreakerState, default=BreakerState.CLOSED)
    failures = models.PositiveIntegerField(default=0, help_text="Failures in a row.")
    openings = models.PositiveIntegerField(default=0, help_text="Openings since it last worked.")
    opened_at = models.DateTimeField(null=True, blank=True)
    retry_at = models.DateTimeField(null=True, blank=True)
    probe = models.CharField(max_length=36, blank=True)
    probe_until = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)
    failed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    closed_at = models.DateTimeField(null=True, blank=True, help_text="When a person closed it.")

    objects = BreakerQuerySet.as_manager()

    class Meta:
        ordering = ["kind", "name"]
        constraints = [
            models.UniqueConstraint(fields=["kind", "name"], name="breaker_once"),
            known_values("breaker", "kind", BreakerKind),
            known_values("breaker", "state", BreakerState),
            CheckConstraint(
                name="breaker_open_has_an_end",
                condition=Q(state=BreakerState.CLOSED, retry_at__isnull=True)
                | ~Q(state=BreakerState.CLOSED) & Q(opened_at__isnull=False, retry_at__isnull=False),
            ),
            CheckConstraint(
                name="breaker_half_open_has_a_probe",
                condition=Q(state=BreakerState.HALF_OPEN, probe_until__isnull=False) & ~Q(probe="")
                | ~Q(state=BreakerState.HALF_OPEN) & Q(probe="", probe_until__isnull=True),
            ),
        ]
        indexes = [
            models.Index(
                fields=["kind", "name"],
                name="breaker_troubled",
                condition=Q(failures__gt=0) | ~Q(state=BreakerState.CLOSED),
            )
        ]

    def __str__(self) -> str:
        return f"{self.called}: {self.in_words}"

    @property
    def standing(self) -> breaker.Standing:
        """How it stands, as the rule sees it."""
        return breaker.Standing(
            BreakerState(self.state),
            self.failures,
            self.openings,
            self.opened_at,
            self.retry_at,
            self.probe,
            self.probe_until,
        )

    @property
    def called(self) -> str:
        return f"the {self.kind} {self.name}"

    @property
    def in_words(self) -> str:
        if self.state == BreakerState.OPEN:
            return f"open until {self.retry_at:%Y-%m-%d %H:%M:%S} UTC"
        return "being tried" if self.state == BreakerState.HALF_OPEN else "closed"
