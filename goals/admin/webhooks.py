"""Webhooks are made, changed and tried here; their deliveries are read, and made once more."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from unfold.admin import ModelAdmin
from unfold.decorators import action, display
from unfold.enums import ActionVariant
from unfold.widgets import UnfoldAdminSelect2MultipleWidget

from goals.admin.acts import done
from goals.admin.base import OwnRows
from goals.admin.filters import OneOf, chosen, owned_over
from goals.admin.show import link, short
from goals.exceptions import GoalError, InvalidInput
from goals.models import Delivery, Webhook
from goals.models.delivery import TEST, DeliveryStatus
from goals.models.event import KINDS
from goals.webhooks import acts

STANDS = {"active": "success", "failing": "warning", "disabled": "danger", "resting": "info"}
STATUS = {"pending": "info", "delivered": "success", "failed": "warning", "given_up": "danger"}
MOST_AT_ONCE = 200
MOST_OFFERED = 100


def ask(title: str, description: str, submit: str) -> dict[str, Any]:
    return {"title": title, "description": description, "form_class": None, "form_submit_text": submit}


class WebhookForm(forms.ModelForm):
    """What is given, held to the rules of the service."""

    person: Any  # who acts

    kinds = forms.MultipleChoiceField(
        choices=[(kind, kind) for kind in sorted(acts.KNOWN)],
        required=False,
        widget=UnfoldAdminSelect2MultipleWidget,
        help_text="Kinds of events; question.* is all of a noun. None: every kind.",
    )

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        old = self.instance if self.instance.owner_id else None
        try:
            acts.checked(self.person, old.owner if old else self.person, self.given(), old)
        except InvalidInput as error:
            for name, text in error.errors.items():
                self.add_error(name, text)
        except GoalError as error:
            self.add_error("site_wide", str(error))
        return given

    def given(self) -> dict[str, Any]:
        """Return the fields as the service takes them."""
        goal = self.cleaned_data.get("goal")
        return {**self.cleaned_data, "goal": goal.pk if goal else None}


@admin.register(Webhook)
class WebhookAdmin(ModelAdmin):
    """One's own, or everybody's for an operator."""

    form = WebhookForm
    list_display = ["__str__", "stands", "address_shown", "of_kinds", "goal", "owner", "created_at"]
    list_select_related = ["owner", "goal"]
    list_filter = ["active", "site_wide", owned_over("owner")]
    search_fields = ["name", "address"]
    ordering = ["-created_at"]
    autocomplete_fields = ["goal"]
    fields = ["name", "address", "kinds", "goal", "site_wide", "active", "owner", "failing_since", "disabled_because"]
    readonly_fields = ["owner", "failing_since", "disabled_because"]
    actions_detail = ["test_webhook", "rotate_secret", "remove_webhook"]
    show_full_result_count = False

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_active and request.user.is_staff)

    has_add_permission = has_change_permission = has_view_permission

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return Webhook.objects.visible_to(request.user)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        made = super().get_form(request, obj, change=change, **kwargs)
        return type("PersonsWebhookForm", (made,), {"person": request.user})

    def save_model(self, request: HttpRequest, obj: Webhook, form: Any, change: bool) -> None:
        if change:
            acts.change(request.user, obj.pk, form.given())
            return
        made, secret = acts.make(request.user, form.given())
        obj.pk = made.pk
        messages.info(request, f"The secret of {made}, shown this once: {secret}")

    @action(
        description="Test",
        url_path="test",
        icon="send",
        dialog=ask("Send a test", "A message about nothing is sent within a second or so.", "Send it"),
    )
    def test_webhook(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        row = self._row(request, object_id)
        return done(request, row, lambda: acts.test(request.user, row.pk), "It is on its way: look at the deliveries.")

    @action(
        description="Rotate the secret",
        url_path="rotate",
        icon="key",
        dialog=ask("Rotate the secret", "For a day the present one signs beside the new one.", "Rotate it"),
    )
    def rotate_secret(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        row = self._row(request, object_id)

        def rotate() -> None:
            _, secret = acts.rotate(request.user, row.pk)
            messages.info(request, f"The secret of {row}, shown this once: {secret}")

        return done(request, row, rotate, "The secret is another.")

    @action(
        description="Remove",
        url_path="remove",
        icon="delete",
        variant=ActionVariant.DANGER,
        dialog=ask("Remove this webhook", "It is told of nothing any more.", "Remove it"),
    )
    def remove_webhook(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        row = self._row(request, object_id)
        acts.remove(request.user, row.pk)
        messages.success(request, "The webhook is removed.")
        if request.headers.get("HX-Request"):
            return HttpResponse(headers={"HX-Redirect": reverse("admin:goals_webhook_changelist")})
        return redirect("admin:goals_webhook_changelist")

    @display(description="State", label=STANDS)
    def stands(self, row: Webhook) -> str:
        if row.active:
            return "failing" if row.failing_since else "active"
        return "disabled" if row.disabled_because else "resting"

    @admin.display(description="address", ordering="address")
    def address_shown(self, row: Webhook) -> str:
        return short(row.address, 60)

    @admin.display(description="kinds")
    def of_kinds(self, row: Webhook) -> str:
        return short(", ".join(row.kinds), 60) or "every kind"

    def _row(self, request: HttpRequest, object_id: str) -> Webhook:
        row = self.get_object(request, object_id)
        if row is None:
            raise Http404(f"there is no webhook {object_id}")
        return row


class OfWebhook(OneOf):
    """By one of the webhooks that the person sees."""

    title = parameter_name = "webhook"

    def lookups(self, request: HttpRequest, page: Any) -> Sequence[tuple[str, str]]:
        seen = Webhook.objects.visible_to(request.user).order_by("-created_at")[:MOST_OFFERED]
        self.offered = [(str(row.pk), short(str(row), 60)) for row in seen]
        return self.offered


@admin.register(Delivery)
class DeliveryAdmin(OwnRows):
    list_display = ["__str__", "stands", "webhook", "goal", "attempts", "status_code", "due_at", "created_at"]
    list_select_related = ["webhook", "goal"]
    list_filter = [chosen("status", DeliveryStatus.values), chosen("kind", sorted({*KINDS, TEST})), OfWebhook]
    search_fields = ["error", "=goal__id"]
    ordering = ["-created_at", "-id"]
    actions = ["redeliver_chosen"]
    actions_detail = ["redeliver_one"]
    fields = [
        ("of_webhook", "of_goal"),
        ("kind", "seq"),
        ("status", "attempts"),
        ("created_at", "due_at"),
        ("tried_at", "delivered_at"),
        ("status_code", "error"),
    ]
    readonly_fields = ["of_webhook", "of_goal"]

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return Delivery.objects.visible_to(request.user)

    @action(
        description="Deliver once more",
        url_path="redeliver",
        icon="replay",
        dialog=ask("Deliver once more", "It is sent again under the same id.", "Send it"),
    )
    def redeliver_one(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        row = self.get_object(request, object_id)
        if row is None:
            raise Http404(f"there is no delivery {object_id}")
        told = "It is on its way once more."
        return done(request, row, lambda: acts.redeliver(request.user, row.webhook_id, row.pk), told)

    @admin.action(description="Deliver the chosen ones once more")
    def redeliver_chosen(self, request: HttpRequest, chosen: QuerySet[Delivery]) -> None:
        sent, refused = 0, set()
        rows = list(chosen[: MOST_AT_ONCE + 1])
        if len(rows) > MOST_AT_ONCE:
            messages.warning(request, f"More than {MOST_AT_ONCE} were chosen: narrow the list to reach the rest.")
        for row in rows[:MOST_AT_ONCE]:
            try:
                acts.redeliver(request.user, row.webhook_id, row.pk)
                sent += 1
            except GoalError as error:
                refused.add(str(error))
        if sent:
            messages.success(request, f"{sent} on their way once more.")
        for reason in sorted(refused)[:5]:
            messages.warning(request, reason)

    @display(description="State", ordering="status", label=STATUS)
    def stands(self, row: Delivery) -> str:
        return row.status

    @admin.display(description="webhook")
    def of_webhook(self, row: Delivery) -> Any:
        return link(row.webhook)

    @admin.display(description="goal")
    def of_goal(self, row: Delivery) -> Any:
        return link(row.goal)
