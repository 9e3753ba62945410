"""People, groups and API tokens, in the console's own style. A token is shown once: when it is made."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from unfold.admin import ModelAdmin
from unfold.decorators import action
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from goals.admin.filters import owned_over
from goals.models import ApiToken
from goals.models.api_token import Scope
from goals.roles import ROLES

for model in (User, Group):
    admin.site.unregister(model)


class OfSuperusers:
    """Read with the permission to view; changed by superusers alone: whoever grants rights has them all."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_active and request.user.is_superuser)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_add_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_add_permission(request)


@admin.register(User)
class UserAdmin(OfSuperusers, DjangoUserAdmin, ModelAdmin):
    """People, with their groups and permissions."""

    list_display = (*DjangoUserAdmin.list_display, "is_active", "roles")

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        return super().get_queryset(request).prefetch_related("groups")

    @admin.display(description="groups")
    def roles(self, person: User) -> str:
        return ", ".join(group.name for group in person.groups.all()) or "–"

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Say so when somebody's group reads the admin and they cannot get in."""
        super().save_related(request, form, formsets, change)
        person = form.instance
        shut_out = [role.name for role in ROLES if role.reads and not person.is_staff]
        for group in person.groups.filter(name__in=shut_out):
            messages.warning(request, f"{person} is in the group {group}, but without staff status has no admin.")


@admin.register(Group)
class GroupAdmin(OfSuperusers, DjangoGroupAdmin, ModelAdmin):
    """Groups of permissions: the roles."""


class TokenForm(forms.ModelForm):
    """What a new token is for, and what it may do."""

    scopes = forms.MultipleChoiceField(
        choices=Scope, widget=UnfoldAdminCheckboxSelectMultipleWidget, initial=[Scope.READ, Scope.ACT]
    )

    def clean_expires_at(self) -> Any:
        ends = self.cleaned_data["expires_at"]
        if ends is not None and ends <= timezone.now():
            raise forms.ValidationError("Must lie ahead; leave it empty for a token that does not expire.")
        return ends


@admin.register(ApiToken)
class ApiTokenAdmin(ModelAdmin):
    """A token is made, listed and ended here; what it may do is not changed afterwards.

    Staff have their own, and a superuser everybody's: a token acts in its person's name.
    """

    list_display = ["name", "user", "beginning", "may", "created_at", "used_at", "expires_at", "ended_at"]
    list_display_links = None
    list_filter = [owned_over("user")]
    list_select_related = ["user"]
    search_fields = ["name", "user__username"]
    autocomplete_fields = ["user"]
    own_fields = ["name", "scopes", "expires_at"]
    form = TokenForm
    actions_row = ["end_token"]

    @admin.display(description="scopes")
    def may(self, token: ApiToken) -> str:
        return ", ".join(token.scopes)

    @action(
        description="End",
        url_path="end",
        dialog={"title": "End this token", "description": "Whoever uses it is shut out.", "form_class": None},
    )
    def end_token(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        row = self.get_object(request, object_id)
        if row is None:
            raise Http404(f"there is no token {object_id}")
        ApiToken.objects.living().filter(pk=row.pk).update(ended_at=timezone.now())
        messages.success(request, "The token is ended.")
        return HttpResponse(headers={"HX-Redirect": reverse("admin:goals_apitoken_changelist")})

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiToken]:
        rows = super().get_queryset(request)
        return rows if request.user.is_superuser else rows.filter(user=request.user.pk)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return ["user", *self.own_fields] if request.user.is_superuser else self.own_fields

    def save_model(self, request: HttpRequest, obj: ApiToken, form: Any, change: bool) -> None:
        obj.user = obj.user if request.user.is_superuser else request.user
        made, secret = ApiToken.objects.issue(obj.user, **{name: form.cleaned_data[name] for name in self.own_fields})
        obj.pk, obj.beginning = made.pk, made.beginning
        messages.info(request, f"The token of {obj.user}, shown this once: {secret}")

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_active and request.user.is_staff)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: Any = None) -> HttpResponse:
        return redirect("admin:goals_apitoken_changelist")
