"""How a goal in monitor mode watches: its rule, and what its looks have come to."""

from datetime import timedelta

from django.db import models
from django.db.models import CheckConstraint, F, Q

from goals.looks import Seen
from goals.models.fields import choice_field, known_values
from goals.states import Trigger, Verdict


class WatchQuerySet(models.QuerySet["Watch"]):
    def forget(self, goal) -> None:
        """Forget what a goal's watch has seen: what it sees next is seen for the first time."""
        seen = {"seen_met": None, "seen_mark": "", "seen_since": None, "stalled": False}
        self.filter(goal=goal).update(**seen, verdict="", reason="", quiet=False)


class Watch(models.Model):
    """The rule is a person's; the rest is written by each look. `goals/looks.py` says what a look comes to."""

    goal = models.OneToOneField("goals.Goal", on_delete=models.CASCADE, primary_key=True, related_name="watch")
    interval = models.PositiveIntegerField(default=60, help_text="Seconds between two looks.")
    trigger = choice_field(Trigger, default=Trigger.MET)
    repeat = models.BooleanField(default=False, help_text="Go on after it has fired.")
    deadline = models.DateTimeField(null=True, blank=True)
    stall_after = models.PositiveIntegerField(
        null=True, blank=True, help_text="Seconds without a change after which it is told."
    )
    follow_up = models.JSONField(null=True, blank=True, help_text="The goal that each firing starts.")

    looks = models.PositiveBigIntegerField(default=0)
    looked_at = models.DateTimeField(null=True, blank=True)
    verdict = choice_field(Verdict, blank=True, default="")
    reason = models.TextField(blank=True)
    quiet = models.BooleanField(default=False, help_text="The last look saw nothing new.")
    seen_met = models.BooleanField(null=True, blank=True)
    seen_mark = models.CharField(max_length=64, blank=True)
    seen_since = models.DateTimeField(null=True, blank=True)
    stalled = models.BooleanField(default=False)
    fired = models.PositiveIntegerField(default=0)
    fired_at = models.DateTimeField(null=True, blank=True)

    objects = WatchQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "watches"
        constraints = [
            known_values("watch", "trigger", Trigger),
            known_values("watch", "verdict", Verdict, blank=True),
            CheckConstraint(name="watch_takes_its_time", condition=Q(interval__gte=1)),
            CheckConstraint(
                name="watch_saw_something_or_nothing",
                condition=Q(seen_since__isnull=True, seen_met__isnull=True, seen_mark="")
                | Q(seen_since__isnull=False, seen_met__isnull=False) & ~Q(seen_mark=""),
            ),
            CheckConstraint(
                name="watch_fired_at_a_time",
                condition=Q(fired=0, fired_at__isnull=True)
                | Q(fired__gt=0, fired_at__isnull=False, looks__gte=F("fired")),
            ),
        ]

    def __str__(self) -> str:
        again = ", again and again" if self.repeat else ""
        return f"every {self.interval} s, fires when {'met' if self.trigger == Trigger.MET else 'changed'}{again}"

    @property
    def seen(self) -> Seen | None:
        if self.seen_since is None:
            return None
        return Seen(bool(self.seen_met), self.seen_mark, self.seen_since, self.stalled)

    @seen.setter
    def seen(self, value: Seen | None) -> None:
        if value is None:
            self.seen_met, self.seen_mark, self.seen_since, self.stalled = None, "", None, False
        else:
            self.seen_met, self.seen_mark = value.met, value.mark
            self.seen_since, self.stalled = value.since, value.stalled

    @property
    def patience(self) -> timedelta | None:
        return None if self.stall_after is None else timedelta(seconds=self.stall_after)
