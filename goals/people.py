"""People as they are named by others."""

from typing import Any

from django.contrib.auth import get_user_model

from goals import validation
from goals.exceptions import InvalidInput


def named(field: str, name: Any) -> Any:
    """Return who has this name and may sign in; raises InvalidInput under the field's name."""
    text = validation.text(field, name, most=150, required=True)
    found = get_user_model().objects.filter(username=text, is_active=True).first()
    if found is None:
        raise InvalidInput({field: f"there is nobody named {text!r} who may sign in"})
    return found
