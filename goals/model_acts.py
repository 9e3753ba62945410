"""What a person sets of models: which one a role uses, and what it costs. Each is tried and changed by itself."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.utils import timezone

from goals import model_settings, validation
from goals.connections import released
from goals.exceptions import InvalidInput, NotAllowed, NotFound, StaleGoal
from goals.llm.errors import ModelError
from goals.llm.trial import try_model
from goals.models import ModelChoice, ModelPrice
from goals.states import ModelRole

A_MOMENT = timedelta(minutes=1)  # between looking at a form and sending it


def choose(user: Any, *, role: Any, model: Any, note: Any = "") -> ModelChoice:
    """Have a role use another model than the environment's, from its next call on."""
    _refuse_strangers(user)
    role, model, note = validation.collect(
        lambda: _role(role),
        lambda: validation.text("model", model, most=200, required=True),
        lambda: validation.text("note", note, most=500),
    )
    facts = {"model": model, "note": note, "changed_by": user, "tried": "", "tried_at": None}
    row, _ = ModelChoice.objects.update_or_create(role=role, defaults=facts)
    model_settings.rows.forget()
    return row


def take_back(user: Any, choice_id: Any) -> None:
    """Give a role the environment's model back."""
    _refuse_strangers(user)
    _found(ModelChoice, choice_id).delete()
    model_settings.rows.forget()


def attempt(user: Any, choice_id: Any) -> ModelChoice:
    """Ask a chosen model for one token, and keep what came of it; it is counted on no goal."""
    _refuse_strangers(user)
    row = _found(ModelChoice, choice_id)
    try:
        with released():
            told = f"answered in {try_model(row.model, row.role):.1f} s"
    except ModelError as error:
        told = f"failed: {error}"
    row.tried, row.tried_at = told, timezone.now()
    ModelChoice.objects.filter(pk=row.pk, model=row.model).update(tried=row.tried, tried_at=row.tried_at)
    return row


def state_price(
    user: Any,
    *,
    model: Any,
    input_usd: Decimal,
    output_usd: Decimal,
    cached_usd: Decimal | None = None,
    valid_from: datetime | None = None,
    valid_until: datetime | None = None,
    note: Any = "",
) -> ModelPrice:
    """Say what a model costs, from now or from later on; what was paid already stays what it was."""
    _refuse_strangers(user)
    model = validation.text("model", model, most=200, required=True)
    now = timezone.now()
    begins = now if valid_from is None else valid_from
    errors = wrong_times(valid_from, valid_until)
    for name, usd in (("input_usd", input_usd), ("output_usd", output_usd), ("cached_usd", cached_usd)):
        if usd is not None and not 0 <= usd < 1_000_000:
            errors[name] = "must be from 0 to 1,000,000 USD per million tokens"
    if errors:
        raise InvalidInput(errors)
    rates = {"input_usd": input_usd, "output_usd": output_usd, "cached_usd": cached_usd}
    times = {"valid_from": begins, "valid_until": valid_until}
    row = ModelPrice.objects.create(model=model, **rates, **times, note=note, stated_by=user)
    model_settings.rows.forget()
    return row


def wrong_times(valid_from: datetime | None, valid_until: datetime | None) -> dict[str, str]:
    """Return what is wrong, by field, with when a price begins (None: now) and ends (None: never)."""
    now = timezone.now()
    begins, errors = valid_from or now, {}
    if begins < now - A_MOMENT:
        errors["valid_from"] = "a price cannot begin in the past: what calls have cost is settled"
    if valid_until is not None and valid_until <= begins:
        errors["valid_until"] = "must be after it begins"
    return errors


def end_price(user: Any, price_id: Any) -> ModelPrice:
    """Let a price count no longer: the one before it does, else the environment's or the table's."""
    _refuse_strangers(user)
    row = _found(ModelPrice, price_id)
    now = timezone.now()
    if row.valid_until is not None and row.valid_until <= now:
        raise StaleGoal("the price has ended already")
    row.valid_until = max(now, row.valid_from)
    row.save(update_fields=["valid_until"])
    model_settings.rows.forget()
    return row


def _refuse_strangers(user: Any) -> None:
    if not user.has_perm("goals.configure"):
        raise NotAllowed("to set models and prices you need the permission goals.configure")


def _role(role: Any) -> str:
    if role not in ModelRole.values:
        raise InvalidInput({"role": f"must be one of {', '.join(ModelRole.values)}"})
    return str(role)


def _found(model: Any, row_id: Any) -> Any:
    try:
        return model.objects.get(pk=row_id)
    except (model.DoesNotExist, ValidationError, ValueError, TypeError):
        raise NotFound(f"there is no {model._meta.verbose_name} {str(row_id)[:80]}") from None
