"""Fields of input: they check the shape; what is allowed in them is the services' word, for every face alike."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError


class Given(serializers.Field):
    """Whatever was sent, handed on to the service as it is."""

    def to_internal_value(self, data: Any) -> Any:
        return data

    def to_representation(self, value: Any) -> Any:
        return value


@extend_schema_field({"type": "string"})
class GivenText(Given):
    """A text; the service checks its kind and length."""


@extend_schema_field({"type": "string", "minLength": 1, "pattern": r"\S"})
class GivenWords(GivenText):
    """A text that says something."""


@extend_schema_field({"type": "object", "additionalProperties": True})
class GivenObject(Given):
    """An object; the service checks what is in it."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, dict):
            raise ValidationError(f"must be an object, not {type(data).__name__}")
        return data


ANY = {"type": ["string", "number", "boolean", "object", "array"], "items": {}, "description": "Any JSON value."}


@extend_schema_field(ANY)
class GivenValue(Given):
    """Any JSON value."""


class Input(serializers.Serializer):
    """A body: an object with known fields only, so that a misspelt limit is told and not ignored."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, Mapping):
            raise ValidationError({"body": f"must be a JSON object, not {type(data).__name__}"})
        unknown = [name for name in data if name not in self.fields]
        if unknown:
            allowed = ", ".join(self.fields) or "none"
            raise ValidationError({str(name)[:60]: f"unknown field; allowed are {allowed}" for name in unknown[:20]})
        return super().to_internal_value(data)


def read(kind: type[Input], data: Any) -> dict[str, Any]:
    """Return the validated body."""
    body = kind(data=data)
    body.is_valid(raise_exception=True)
    return dict(body.validated_data)
