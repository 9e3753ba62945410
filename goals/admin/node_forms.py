"""Forms that change a checkpoint or a subgoal that has not begun: filled in with what stands there."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest
from unfold.forms import BaseDialogForm
from unfold.widgets import UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from goals import checkpoint_acts, subgoal_acts
from goals.admin.forms import AS_JSON
from goals.models import Checkpoint, Goal, Subgoal


class EditForm(BaseDialogForm):
    """Knows the row that it changes: one of a goal that the person may steer."""

    model: ClassVar[type[Any]]
    editable: ClassVar[Sequence[str]]

    def __init__(self, request: HttpRequest, object_id: Any = None, *args: Any, **kwargs: Any) -> None:
        goals = Goal.objects.owned_by(request.user)
        try:
            self.row = self.model.objects.get(pk=object_id, goal__in=goals)
        except (self.model.DoesNotExist, ValidationError):
            raise Http404(f"there is no such {self.model._meta.model_name}") from None
        kwargs["initial"] = {name: getattr(self.row, name) for name in self.editable}
        super().__init__(request, object_id, *args, **kwargs)

    def clean(self) -> dict[str, Any]:
        if not self.errors and not self.changes():
            self.add_error(self.editable[0], "Nothing was changed.")  # the dialog shows errors at fields only
        return self.cleaned_data

    def changes(self) -> dict[str, Any]:
        """Return what stands there differently now; a browser's line ends are none of it."""
        given = {name: _plain(self.cleaned_data[name]) for name in self.editable}
        return {name: value for name, value in given.items() if value != _plain(getattr(self.row, name))}


class CheckpointForm(EditForm):
    model = Checkpoint
    editable = checkpoint_acts.EDITABLE

    title = forms.CharField(max_length=300, widget=UnfoldAdminTextInputWidget)
    description = forms.CharField(required=False, widget=UnfoldAdminTextareaWidget)
    success_criteria = forms.CharField(required=False, widget=UnfoldAdminTextareaWidget)
    args = forms.JSONField(**AS_JSON, required=False, help_text="A JSON object.")
    tools = forms.JSONField(**AS_JSON, required=False, help_text="A JSON list of names.")


class SubgoalForm(EditForm):
    model = Subgoal
    editable = subgoal_acts.EDITABLE

    gloss = forms.CharField(widget=UnfoldAdminTextareaWidget)
    args = forms.JSONField(**AS_JSON, required=False, help_text="A JSON object.")


def _plain(value: Any) -> Any:
    return value.replace("\r\n", "\n").strip() if isinstance(value, str) else value
