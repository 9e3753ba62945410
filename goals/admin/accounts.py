"""People, groups and API tokens, in the console's own style. A token is shown once: when it is made."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from unfold.admin import ModelAdmin
from unfold.decorators import action
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from goals.models import ApiToken
from goals.models.api_token import Scope

for model in (User, Group):
    admin.site.unregister(model)


@admin.register(User)
class UserAdmin(DjangoUserAdmin, ModelAdmin):
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, ModelAdmin):
    """Groups of permissions."""


class TokenForm(forms.ModelForm):
    """What a new token is for, and what it may do."""

    scopes = forms.MultipleChoiceField(
        choices=Scope, widget=UnfoldAdminCheckboxSelectMultipleWidget, initial=[Scope.READ, Scope.ACT]
    )


@admin.register(ApiToken)
class ApiTokenAdmin(ModelAdmin):
    """A token is made, listed and ended here; what it may do is not changed afterwards."""

    list_display = ["name", "user", "beginning", "may", "created_at", "used_at", "expires_at", "ended_at"]
    list_display_links = None
    list_filter = ["user"]
    list_select_related = ["user"]
    search_fields = ["name", "user__username"]
    autocomplete_fields = ["user"]
    fields = ["user", "name", "scopes", "expires_at"]
    form = TokenForm
    actions_row = ["end_token"]

    @admin.display(description="scopes")
    def may(self, token: ApiToken) -> str:
        return ", ".join(token.scopes)

    @action(
        description="End",
        url_path="end",
        permissions=["end_token"],
        dialog={"title": "End this token", "description": "Whoever uses it is shut out.", "form_class": None},
    )
    def end_token(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        ApiToken.objects.living().filter(pk=object_id).update(ended_at=timezone.now())
        messages.success(request, "The token is ended.")
        return HttpResponse(headers={"HX-Redirect": reverse("admin:goals_apitoken_changelist")})

    def save_model(self, request: HttpRequest, obj: ApiToken, form: Any, change: bool) -> None:
        made, secret = ApiToken.objects.issue(obj.user, **{name: form.cleaned_data[name] for name in self.fields[1:]})
        obj.pk, obj.beginning = made.pk, made.beginning
        messages.info(request, f"The token of {obj.user}, shown this once: {secret}")

    def has_end_token_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("goals.delete_apitoken")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: Any = None) -> HttpResponse:
        return redirect("admin:goals_apitoken_changelist")
