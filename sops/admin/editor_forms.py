"""The form of a procedure, and of each of its steps. What they hold is judged by `sops.editing`, not here."""

import json
from typing import Any

from django import forms
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from sops.models.step import Operation, Predicate
from sops.reading import distinct, refuse_constant
from sops.schema import MAX_STEPS

LONGEST = 100_000  # of a field; the rules know better
BLANK = ("", "—")


class Decoder(json.JSONDecoder):
    """Reads JSON as files of procedures are read; what is too deep or has too many digits is none, either."""

    def __init__(self) -> None:
        super().__init__(parse_constant=refuse_constant, object_pairs_hook=distinct)

    def decode(self, text: str, *args: Any) -> Any:
        try:
            return super().decode(text, *args)
        except (RecursionError, ValueError):
            raise json.JSONDecodeError("cannot be read", text, 0) from None


class Json(forms.JSONField):
    """JSON that people write: indented, and empty for nothing."""

    widget = UnfoldAdminTextareaWidget({"rows": 3, "class": "font-mono", "spellcheck": "false"})

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(required=False, max_length=LONGEST, decoder=Decoder, **kwargs)

    def prepare_value(self, value: Any) -> Any:
        if value in (None, "", [], {}):
            return ""
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)


class Lines(forms.CharField):
    """A list of texts, one a line."""

    widget = UnfoldAdminTextareaWidget({"rows": 2})

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(required=False, max_length=LONGEST, **kwargs)

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(map(str, value)) if isinstance(value, list) else value

    def to_python(self, value: Any) -> list[str]:
        return [line.strip() for line in super().to_python(value).splitlines() if line.strip()]


def _line(**kwargs: Any) -> forms.CharField:
    return forms.CharField(required=False, max_length=LONGEST, widget=UnfoldAdminTextInputWidget, **kwargs)


def _text(rows: int = 2, **kwargs: Any) -> forms.CharField:
    widget = UnfoldAdminTextareaWidget({"rows": rows})
    return forms.CharField(required=False, max_length=LONGEST, widget=widget, **kwargs)


class ProcedureForm(forms.Form):
    title = _line()
    intent = _text(help_text="what it is for, in the words in which people ask for it")
    description = _text(3)
    prerequisites = Lines(help_text="one a line")
    tags = Lines(help_text="one a line; a tag of several words is a way of asking for it")
    inputs = Json(help_text='as JSON: [{"name", "description", "required", "prompt", "suggestions", "default"}]')
    outputs = Json(help_text='as JSON: [{"name", "description"}]')
    quality = Json(help_text="as JSON")
    verifier = Json(help_text="as JSON; what proves that a goal reached it")


class StepForm(forms.Form):
    """A step; one without a gloss is left out."""

    title = _line()
    gloss = _text(help_text="what is to be done")
    predicate = forms.ChoiceField(required=False, choices=[BLANK, *Predicate.choices], widget=UnfoldAdminSelectWidget)
    operation = forms.ChoiceField(required=False, choices=[BLANK, *Operation.choices], widget=UnfoldAdminSelectWidget)
    evidence_key = _line(help_text="the artifact that it leaves; later steps say @key")
    tools = Lines(help_text="one a line")
    args = Json(help_text='as JSON: {"tool": NAME, "input": {…}}')
    done_when = Json(help_text='as JSON: [{"kind": "has_evidence", "key": …}]')
    prompt = _text()

    def said(self, *, is_new: bool) -> dict[str, Any]:
        """Return the step as a procedure writes it. What a new one leaves empty follows from the rest of it."""
        given = {name: self.cleaned_data.get(name) for name in self.base_fields}
        given["args"] = given["args"] or {}
        given["done_when"] = given["done_when"] or []
        given |= {name: given[name] or None for name in ("operation", "evidence_key")}
        return {name: value for name, value in given.items() if value or not is_new}


StepForms = forms.formset_factory(
    StepForm, extra=0, can_order=True, can_delete=True, max_num=MAX_STEPS, validate_max=True, absolute_max=MAX_STEPS + 5
)
