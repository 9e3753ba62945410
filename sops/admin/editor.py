"""Editing a procedure: a new version from an existing one, with its steps."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from sops import editing
from sops.admin.editor_forms import ProcedureForm, StepForms
from sops.exceptions import EmbedderUnavailable, InvalidSop, StaleSop
from sops.exporter import spec_of
from sops.models import SopVersion


class Editor:
    """The page `…/sopversion/ID/edit/`; it needs `sops.change_sop`."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.edit_view)  # type: ignore[attr-defined]
        return [path("<uuid:version_id>/edit/", view, name="sops_sopversion_edit"), *super().get_urls()]  # type: ignore[misc]

    def has_manage_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.has_perm("sops.change_sop"))

    def edit_view(self, request: HttpRequest, version_id: Any) -> HttpResponse:
        """Show a version as a form; store what is sent as the next one, or say of each field what is wrong."""
        if not self.has_manage_permission(request):
            raise PermissionDenied
        version = SopVersion.objects.select_related("sop").filter(pk=version_id).first()
        if version is None:
            raise Http404(f"there is no version {version_id}")
        latest = version.sop.versions.order_by("-number").first()
        form, steps = _forms(request, version)
        is_sent = request.method == "POST" and "more" not in request.POST
        problems = _unread(form, steps) if is_sent else []
        if is_sent and not problems:
            try:
                made = editing.new_version(version.sop, _raw(form, steps), after=_number(request.POST.get("after")))
            except InvalidSop as error:
                problems = _told(error, form, steps)
            except (StaleSop, EmbedderUnavailable) as error:
                problems = [("", str(error))]
            else:
                said = f"made version {made.number} from version {version.number}"
                self.log_change(request, made.sop, said)  # type: ignore[attr-defined]
                messages.success(request, f"Version {made.number} of {made.sop.slug} is current now.")
                return redirect(reverse("admin:sops_sopversion_change", args=[made.pk]))
        context = {
            **self.admin_site.each_context(request),  # type: ignore[attr-defined]
            "opts": SopVersion._meta,
            "title": f"New version of {version.sop.slug}, from version {version.number}",
            "version": version,
            "after": request.POST.get("after") or (latest.number if latest else 0),
            "form": form,
            "steps": steps,
            "problems": problems,
        }
        return TemplateResponse(request, "admin_sops/edit.html", context, status=422 if problems else 200)


def _forms(request: HttpRequest, version: SopVersion) -> tuple[ProcedureForm, Any]:
    """Return the procedure's form and its steps'; a button asks for one more step."""
    if request.method != "POST":
        plain = spec_of(version).model_dump(mode="json")
        return ProcedureForm(initial=plain), StepForms(initial=plain["steps"], prefix="steps")
    sent = request.POST.copy()
    if "more" in sent:
        sent["steps-TOTAL_FORMS"] = str(_number(sent.get("steps-TOTAL_FORMS")) + 1)
    return ProcedureForm(sent), StepForms(sent, prefix="steps")


def _raw(form: ProcedureForm, steps: Any) -> dict[str, Any]:
    given = {name: value for name, value in form.cleaned_data.items() if value not in (None, "", [], {})}
    begun = steps.initial_form_count()
    return {**given, "steps": [one.said(is_new=_index(one) >= begun) for one in _kept(steps)]}


def _kept(steps: Any) -> list[Any]:
    """Return the forms of the steps that stay, in their order."""
    return [one for one in steps.ordered_forms if one.cleaned_data.get("gloss") or one.has_changed()]


def _index(form: Any) -> int:
    return int(form.prefix.rpartition("-")[2])


def _told(error: InvalidSop, form: ProcedureForm, steps: Any) -> list[tuple[str, str]]:
    """Put each problem at its field, and return them all, the steps by their numbers."""
    kept, told = _kept(steps), []
    for field, problem in error.problems:
        names = field.split(".")
        if names[0] == "steps" and len(names) > 2 and names[1].isdigit() and int(names[1]) < len(kept):
            if names[2] in kept[int(names[1])].fields:
                kept[int(names[1])].add_error(names[2], problem)
            told.append((f"step {int(names[1]) + 1}, {'.'.join(names[2:])}", problem))
            continue
        if names[0] in form.fields:
            form.add_error(names[0], problem)
        told.append(("" if field == "(whole)" else field, problem))
    return told


def _unread(form: ProcedureForm, steps: Any) -> list[tuple[str, str]]:
    """Return what could not even be read: no JSON, or too many steps."""
    told = [(name, text) for name, texts in form.errors.items() for text in texts]
    for number, errors in enumerate(steps.errors, 1):
        told += [(f"step {number}, {name}", text) for name, texts in errors.items() for text in texts]
    return told + [("steps", str(text)) for text in steps.non_form_errors()]


def _number(text: Any) -> int:
    text = str(text or "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0
