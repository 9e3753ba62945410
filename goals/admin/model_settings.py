"""Models and prices: what is in force and why, and an operator's word on both."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from unfold.admin import ModelAdmin
from unfold.decorators import action, display
from unfold.enums import ActionVariant

from goals import model_acts, model_settings
from goals.admin.acts import dialog, done
from goals.admin.base import Configured
from goals.llm.client import place
from goals.models import ModelChoice, ModelPrice


@admin.register(ModelChoice)
class ModelChoiceAdmin(Configured, ModelAdmin):
    """A role without a row uses the environment's model."""

    list_before_template = "admin_goals/in_force.html"
    list_display = ["role", "model", "note", "tried", "changed_by", "changed_at"]
    list_select_related = ["changed_by"]
    fields = ["role", "model", "note", ("tried", "tried_at")]
    actions_detail = ["try_model"]

    def get_readonly_fields(self, request: HttpRequest, obj: ModelChoice | None = None) -> list[str]:
        return ["tried", "tried_at", *(["role"] if obj else [])]

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return ModelChoice.objects.all()

    def save_model(self, request: HttpRequest, obj: ModelChoice, form: Any, change: bool) -> None:
        obj.pk = model_acts.choose(request.user, role=obj.role, model=obj.model, note=obj.note).pk
        if model_settings.price_of(obj.model) is None:
            messages.warning(request, f"No price is known for {obj.model}: goals with a limit on cost_usd are refused.")

    def delete_model(self, request: HttpRequest, obj: ModelChoice) -> None:
        model_acts.take_back(request.user, obj.pk)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet) -> None:
        for row in queryset:
            model_acts.take_back(request.user, row.pk)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        return super().changelist_view(request, {**(extra_context or {}), "in_force": _in_force()})

    @action(
        description="Try it",
        url_path="try",
        icon="network_check",
        permissions=["configure"],
        dialog=dialog("Try this model", "It is asked for one token, which costs what one token costs.", None, "Try it"),
    )
    def try_model(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        row = self.get_object(request, object_id)
        if row is None:
            raise Http404(f"there is no model choice {object_id}")
        return done(request, row, lambda: model_acts.attempt(request.user, row.pk), "It was tried: see below.")


class PriceForm(forms.ModelForm):
    """A price from now on, unless it says from when."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "valid_from" in self.fields:
            self.fields["valid_from"].required = False
            self.fields["valid_from"].initial = None
            self.fields["valid_from"].help_text = "Empty: from now on."

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        for name in ("input_usd", "output_usd", "cached_usd"):
            if (cleaned.get(name) or 0) < 0:
                self.add_error(name, "Must not be below 0.")
        wrong = model_acts.wrong_times(cleaned.get("valid_from"), cleaned.get("valid_until"))
        for name, text in wrong.items():
            self.add_error(name, f"{text[0].upper()}{text[1:]}.")
        return cleaned


@admin.register(ModelPrice)
class ModelPriceAdmin(Configured, ModelAdmin):
    """Prices are stated and ended, never changed: what a call has cost stays explained."""

    form = PriceForm
    list_display = ["model", "counts", "input_usd", "output_usd", "cached_usd", "valid_from", "valid_until", "note"]
    search_fields = ["model", "note"]
    ordering = ["model", "-valid_from"]
    fields = ["model", ("input_usd", "output_usd", "cached_usd"), ("valid_from", "valid_until"), "note"]
    actions_detail = ["end_price"]

    def has_change_permission(self, request: HttpRequest, obj: ModelPrice | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: ModelPrice | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: ModelPrice, form: Any, change: bool) -> None:
        given = form.cleaned_data
        saved = model_acts.state_price(request.user, **{name: given[name] for name in form.fields})
        obj.pk = saved.pk

    @action(
        description="End now",
        url_path="end",
        icon="event_busy",
        variant=ActionVariant.DANGER,
        permissions=["configure"],
        dialog=dialog("End this price", "The one before it counts again, or else the environment's.", None, "End it"),
    )
    def end_price(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        row = self.get_object(request, object_id)
        if row is None:
            raise Http404(f"there is no price {object_id}")
        return done(request, row, lambda: model_acts.end_price(request.user, row.pk), "The price has ended.")

    @display(description="Counts now", boolean=True)
    def counts(self, row: ModelPrice) -> bool:
        price = model_settings.price_of(row.model)
        return price is not None and price.entry == str(row.pk)


def _in_force() -> dict[str, Any]:
    """Each role's model, its price, and where both come from."""
    chosen = dict(ModelChoice.objects.values_list("role", "model"))
    rows = []
    for role, model in model_settings.models().items():
        price = model_settings.price_of(model)
        source = "an operator" if chosen.get(role) == model else "the environment"
        rows.append([role, model, source, *(("unknown", "–") if price is None else (price.in_words, price.source))])
    headers = ["Role", "Model", "Says", "USD per million tokens", "Price from"]
    unheard = ": the rehearsal model, whatever is chosen here until OPENAI_BASE_URL names an endpoint"
    title = f"What is in force{unheard}" if settings.GOALSITE_REHEARSAL else f"What is in force at {place()}"
    return {"title": title, "headers": headers, "rows": rows}
