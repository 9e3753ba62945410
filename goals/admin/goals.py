"""A goal in the console: where it stands, what it used, what waits for a person, and its whole history."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from unfold.decorators import display

from goals.admin import inlines
from goals.admin.acts import GoalActs
from goals.admin.base import COLOURS, OwnRows
from goals.admin.bulk import GoalBulk
from goals.admin.export import Exported
from goals.admin.filters import Age, Ended, Needs, chosen, owned_over
from goals.admin.overview import overview
from goals.admin.saved_views import SavedViews
from goals.admin.show import link, page, pre, short
from goals.api.certificate import certificate_of
from goals.api.counts import with_counts
from goals.exceptions import StaleGoal
from goals.models import Budget, Goal
from goals.states import GoalStatus, Mode, Outcome, PauseReason, Resource


@admin.register(Goal)
class GoalAdmin(GoalActs, GoalBulk, SavedViews, Exported, OwnRows):
    owner_path = "owner"
    list_display = ["wish", "state", "progress", "spent", "questions_open", "owner", "created_at"]
    list_filter = [
        Needs,
        chosen("status", GoalStatus.values),
        chosen("paused_for", PauseReason.values, "why it is paused"),
        chosen("outcome", Outcome.values),
        Age,
        Ended,
        owned_over("owner"),
        chosen("mode", Mode.values),
    ]
    search_fields = ["objective", "reason", "=id"]
    search_help_text = "words of the objective or the reason, or the beginning of an id"
    sortable_by = ["created_at"]
    ordering = ["-created_at"]
    change_form_before_template = "admin_goals/overview.html"
    csv_columns = [
        ("id", lambda goal: goal.pk),
        ("objective", lambda goal: goal.objective),
        ("status", lambda goal: goal.status),
        ("outcome", lambda goal: goal.outcome),
        ("paused_for", lambda goal: goal.paused_for),
        ("reason", lambda goal: goal.reason),
        ("owner", lambda goal: goal.owner),
        ("mode", lambda goal: goal.mode),
        ("procedure", lambda goal: goal.sop_version.sop.slug if goal.sop_version else goal.sop_slug),
        ("steps_done", lambda goal: goal.completed_count),
        ("steps", lambda goal: goal.checkpoint_count),
        ("open_questions", lambda goal: goal.open_questions),
        ("cost_usd", lambda goal: goal.cost),
        ("created_at", lambda goal: goal.created_at),
        ("started_at", lambda goal: goal.started_at),
        ("finished_at", lambda goal: goal.finished_at),
    ]
    inlines = [
        inlines.CheckpointRows,
        inlines.QuestionRows,
        inlines.EventRows,
        inlines.VerificationRows,
        inlines.ProgressScoreRows,
        inlines.ModelCallRows,
        inlines.ToolCallRows,
        inlines.SubgoalRows,
        inlines.BudgetRows,
        inlines.ShareRows,
    ]
    fieldsets = [
        ("Wish", {"classes": ["tab"], "fields": ["objective", "context", "constraints", "owner", "talk", "workspace"]}),
        (
            "Proof",
            {"classes": ["tab"], "fields": ["spec", "verifier_digest", "verdict", "verdict_reason", "proven_by"]},
        ),
        ("Plan", {"classes": ["tab"], "fields": ["procedure", "plan_notes", "summary", "guidance", "broken"]}),
        (
            "Engine",
            {
                "classes": ["tab"],
                "fields": [
                    ("mode", "status", "outcome"),
                    ("paused_for", "waits_for", "wake_at"),
                    ("iteration", "attempt", "revision", "asked_revisions"),
                    ("lease_owner", "lease_epoch", "lease_expires_at"),
                    ("seq", "origin", "auto_approve"),
                    ("created_at", "started_at", "finished_at"),
                    "chain",
                    "wishes",
                ],
            },
        ),
    ]
    readonly_fields = ["talk", "spec", "proven_by", "procedure", "guidance", "broken", "origin", "wishes"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Goal]:
        cost = Budget.objects.filter(resource=Resource.COST_USD, goal_id=OuterRef("pays")).order_by().values("used")
        rows = (
            with_counts(super().get_queryset(request))
            .select_related("sop_version__sop", "conversation")
            .annotate(pays=Coalesce(F("root_id"), F("id")))
        )
        return rows.annotate(cost=Subquery(cost))

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return [*self.readonly_fields, *(field.name for field in Goal._meta.fields)]

    def changeform_view(
        self, request: HttpRequest, object_id: Any = None, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Bring the overview to the page."""
        goal = self.get_object(request, object_id) if object_id else None
        extra = {**(extra_context or {}), "overview": overview(goal) if goal else None}
        return super().changeform_view(request, object_id, form_url, extra)

    def get_urls(self) -> list[URLPattern]:
        shown = self.admin_site.admin_view(self.certificate_view)
        return [path("<uuid:goal_id>/certificate/", shown, name="goals_goal_certificate"), *super().get_urls()]

    def certificate_view(self, request: HttpRequest, goal_id: Any) -> HttpResponse:
        """Show the certificate of a completed goal; its whole history is checked for it."""
        goal = self.get_object(request, str(goal_id))
        if goal is None:
            raise Http404(f"there is no goal {goal_id}")
        try:
            shown = pre(certificate_of(goal))
        except StaleGoal as error:
            messages.error(request, str(error))
            return redirect(page(goal))
        context = {**self.admin_site.each_context(request), "opts": self.opts, "goal": goal, "certificate": shown}
        return TemplateResponse(
            request,
            "admin_goals/certificate.html",
            {**context, "title": "Certificate"},
        )

    @display(description="Goal", ordering="objective", header=True)
    def wish(self, goal: Goal) -> list[str]:
        return [short(goal.objective, 90), short(_why(goal), 90)]

    @display(description="Status", ordering="status", label=COLOURS)
    def state(self, goal: Goal) -> str:
        return goal.status

    @display(description="Checkpoints")
    def progress(self, goal: Goal) -> str:
        return f"{goal.completed_count} of {goal.checkpoint_count}" if goal.checkpoint_count else "–"

    @display(description="Cost", ordering="cost")
    def spent(self, goal: Goal) -> str:
        return f"${goal.cost:.4f}" if goal.cost else "–"

    @display(description="Open questions", ordering="open_questions", label={"open": "warning"})
    def questions_open(self, goal: Goal) -> tuple[str, int] | None:
        return ("open", goal.open_questions) if goal.open_questions else None

    @admin.display(description="conversation")
    def talk(self, goal: Goal) -> Any:
        return link(goal.conversation)

    @admin.display(description="verifier")
    def spec(self, goal: Goal) -> Any:
        return pre(goal.verifier)

    @admin.display(description="proof")
    def proven_by(self, goal: Goal) -> Any:
        return link(goal.proof)

    @admin.display(description="procedure")
    def procedure(self, goal: Goal) -> Any:
        return link(goal.sop_version)

    @admin.display(description="steering")
    def guidance(self, goal: Goal) -> Any:
        return pre(goal.steering)

    @admin.display(description="failure")
    def broken(self, goal: Goal) -> Any:
        return pre(goal.failure)

    @admin.display(description="forked from")
    def origin(self, goal: Goal) -> Any:
        return link(goal.forked_from)

    @admin.display(description="options")
    def wishes(self, goal: Goal) -> Any:
        return pre(goal.options)


def _why(goal: Goal) -> str:
    """What is worth saying under an objective: why it rests or ended, else how it is done."""
    if goal.status in {GoalStatus.PAUSED, GoalStatus.FAILED, GoalStatus.CANCELLED} and goal.reason:
        return goal.reason
    slug = goal.sop_version.sop.slug if goal.sop_version else goal.sop_slug
    return f"by the procedure {slug}" if slug else f"{goal.mode} mode"
