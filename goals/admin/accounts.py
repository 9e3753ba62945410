"""People, groups and API tokens, in the console's own style. A token is shown once: when it is made."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from rest_framework.authtoken.admin import TokenAdmin as DrfTokenAdmin
from rest_framework.authtoken.models import Token, TokenProxy
from unfold.admin import ModelAdmin
from unfold.decorators import action
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

for model in (User, Group, TokenProxy):
    admin.site.unregister(model)


@admin.register(User)
class UserAdmin(DjangoUserAdmin, ModelAdmin):
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, ModelAdmin):
    """Groups of permissions."""


@admin.register(TokenProxy)
class TokenAdmin(DrfTokenAdmin, ModelAdmin):
    """Django's own pages of one row would show the key as its name: here a token is made, listed and ended."""

    list_display = ["user", "ends_with", "created"]
    list_display_links = None
    list_select_related = ["user"]
    autocomplete_fields = ["user"]
    actions_row = ["end_token"]

    @admin.display(description="key")
    def ends_with(self, token: Any) -> str:
        return f"…{token.key[-4:]}"

    @action(
        description="End",
        url_path="end",
        permissions=["end_token"],
        dialog={"title": "End this token", "description": "Whoever uses it is shut out.", "form_class": None},
    )
    def end_token(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        Token.objects.filter(user_id=object_id).delete()
        messages.success(request, "The token is ended.")
        return HttpResponse(headers={"HX-Redirect": reverse("admin:authtoken_tokenproxy_changelist")})

    def has_end_token_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("authtoken.delete_tokenproxy")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def change_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return redirect("admin:authtoken_tokenproxy_changelist")

    def history_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return redirect("admin:authtoken_tokenproxy_changelist")

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> None:
        """The log would keep the key as the row's name."""

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: Any = None) -> HttpResponse:
        messages.info(request, f"The token of {obj.user}, shown this once: {obj.key}")
        return redirect("admin:authtoken_tokenproxy_changelist")
