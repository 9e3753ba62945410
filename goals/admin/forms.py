"""The small forms that open over a page."""

import json
from typing import Any

from django import forms
from django.http import Http404, HttpRequest
from unfold.forms import BaseDialogForm
from unfold.widgets import (
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

from goals import answers, people, validation
from goals import limits as limits_of
from goals.admin.show import short
from goals.answers import RECOVERIES
from goals.exceptions import InvalidInput, NotFound
from goals.models import Goal
from goals.plan_answers import LONGEST_REMARK
from goals.services import LONGEST_STEERING
from goals.states import QuestionKind, Resource

AGAIN = "again"


class StorableDecoder(json.JSONDecoder):
    """Refuses what is nested too deep, or cannot be stored, like any other text that is no JSON."""

    def decode(self, text: str, *args: Any) -> Any:
        try:
            return validation.json_value("value", super().decode(text, *args))
        except (RecursionError, ValueError, InvalidInput):  # ValueError: also a number of thousands of digits
            raise json.JSONDecodeError("cannot be stored", text, 0) from None


AS_JSON: dict[str, Any] = {"decoder": StorableDecoder, "widget": UnfoldAdminTextareaWidget}


class ReasonForm(BaseDialogForm):
    reason = forms.CharField(required=False, max_length=2000, widget=UnfoldAdminTextInputWidget)


class PauseForm(ReasonForm):
    now = forms.BooleanField(
        required=False,
        label="Now",
        help_text="Do not await the call in hand; its reply is taken up when the goal goes on.",
        widget=UnfoldBooleanSwitchWidget,
    )


class WhyForm(BaseDialogForm):
    """A reason that must be given."""

    reason = forms.CharField(max_length=2000, widget=UnfoldAdminTextareaWidget)


class TextForm(BaseDialogForm):
    text = forms.CharField(max_length=LONGEST_STEERING, widget=UnfoldAdminTextareaWidget)


class ReassignForm(ReasonForm):
    """To whom, by name, and why."""

    owner = forms.CharField(
        max_length=150,
        label="New owner",
        help_text="the name they sign in with; the goal's conversation stays with whoever has it now",
        widget=UnfoldAdminTextInputWidget,
    )
    field_order = ("owner", "reason")

    def clean_owner(self) -> str:
        name = str(self.cleaned_data["owner"])
        try:
            people.named("owner", name)
        except InvalidInput as error:
            raise forms.ValidationError(str(error)) from error
        return name


class VerifierForm(WhyForm):
    """Another verifier, and why; it begins with the one in force."""

    verifier = forms.JSONField(**AS_JSON, help_text="as JSON; /api/verifiers/ tells the types")
    field_order = ("verifier", "reason")

    def __init__(self, request: HttpRequest, object_id: Any = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, object_id, *args, **kwargs)
        goal = Goal.objects.owned_by(request.user).filter(pk=object_id).first()
        self.fields["verifier"].initial = goal.verifier if goal else None


class LimitsForm(BaseDialogForm):
    """Empty fields stay as they are."""

    model_calls = forms.CharField(required=False, max_length=40, widget=UnfoldAdminTextInputWidget)
    tokens = forms.CharField(required=False, max_length=40, widget=UnfoldAdminTextInputWidget)
    cost_usd = forms.CharField(required=False, max_length=40, label="Cost (USD)", widget=UnfoldAdminTextInputWidget)
    seconds = forms.CharField(required=False, max_length=40, widget=UnfoldAdminTextInputWidget)

    def clean(self) -> dict[str, Any]:
        """Refuse what can be no limit of any goal, each at its field."""
        if not self.errors and not self.changes():
            raise forms.ValidationError("limits: fill in at least one")
        for name, value in {} if self.errors else self.changes().items():
            try:
                limits_of.amount(Resource(name), value.removeprefix("+") if value else None)
            except ValueError as error:
                self.add_error(name, f"limits.{name}: {error}")
        return self.cleaned_data

    def changes(self) -> dict[str, Any]:
        """Return what was filled in; "none" is no limit."""
        given = {name: self.cleaned_data[name].strip() for name in Resource.values if self.cleaned_data[name].strip()}
        return {name: None if value.lower() == "none" else value for name, value in given.items()}


class AnswerForm(BaseDialogForm):
    """The question itself, and a field that fits its kind."""

    def __init__(self, request: HttpRequest, object_id: Any = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, object_id, *args, **kwargs)
        try:
            question = answers.find(request.user, object_id)
        except NotFound as error:
            raise Http404(str(error)) from error
        self.fields["answer"] = field = _field(question)
        field.help_text = f"For {short(str(question.goal))}. {field.help_text}".strip()
        if question.is_plan:
            self.fields["remark"] = forms.CharField(
                label="What should be different",
                help_text="for another plan; the planner is told",
                required=False,
                max_length=LONGEST_REMARK,
                widget=UnfoldAdminTextareaWidget,
            )

    @property
    def said(self) -> Any:
        """What is answered: of a plan, that another one is wanted, or the number of the one to carry out."""
        answer, is_plan = self.cleaned_data["answer"], "remark" in self.fields
        return {"again": self.cleaned_data["remark"]} if is_plan and answer == AGAIN else answer


def _field(question: Any) -> forms.Field:
    asked = {"label": question.prompt[:2000]}
    if question.is_plan:
        count = len(question.details["plans"])
        plans = [(str(number), f"Approve plan {number}" if count > 1 else "Approve") for number in range(1, count + 1)]
        choices = [("", "—"), *plans, (AGAIN, "Ask for another plan")]
        return forms.ChoiceField(**asked, choices=choices, widget=UnfoldAdminSelectWidget)
    if question.kind == QuestionKind.INFORMATION:
        hint = f"Suggestions: {', '.join(map(str, question.suggestions))}"[:2000] if question.suggestions else ""
        widget = UnfoldAdminTextareaWidget
        return forms.CharField(**asked, help_text=hint, max_length=validation.MAX_ANSWER, widget=widget)
    words = RECOVERIES if question.kind == QuestionKind.RECOVERY else ("yes", "no")
    choices = [("", "—"), *((word, word.replace("_", " ").capitalize()) for word in words)]
    return forms.ChoiceField(**asked, choices=choices, widget=UnfoldAdminSelectWidget)
