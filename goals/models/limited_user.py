"""A person as seen through a token that may not use their permissions."""

from typing import Any

from django.contrib.auth.models import User


class LimitedUser(User):
    """The same row, without any permission; it is never written."""

    class Meta:
        proxy = True
        default_permissions = ()

    def has_perm(self, perm: str, obj: Any = None) -> bool:
        return False

    def has_module_perms(self, app_label: str) -> bool:
        return False

    def save(self, *args: Any, **kwargs: Any) -> None:
        raise TypeError("a person seen through a token is not written")
