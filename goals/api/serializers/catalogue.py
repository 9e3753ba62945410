"""What is said of tools, verifiers and commands. For the schema: the rows are made by those who own them."""

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers


class ToolOutputSerializer(serializers.Serializer):
    name = serializers.CharField()
    type = serializers.CharField()
    description = serializers.CharField()
    purpose = serializers.CharField()


class PolicySerializer(serializers.Serializer):
    """What the tool policy says of a tool, and by which rule."""

    permission = serializers.CharField()
    because = serializers.CharField()


class ToolSerializer(serializers.Serializer):
    """A tool; `input` is the JSON schema of its arguments."""

    name = serializers.CharField()
    description = serializers.CharField()
    input = serializers.DictField()
    outputs = ToolOutputSerializer(many=True)
    effect_class = serializers.CharField()
    risk = serializers.CharField()
    reach = serializers.CharField()
    policy = PolicySerializer()


@extend_schema_serializer(many=False)
class ToolsSerializer(serializers.Serializer):
    results = ToolSerializer(many=True)


class VerifierTypeSerializer(serializers.Serializer):
    """A type of verifier; `allowed` says whether you may set it."""

    type = serializers.CharField()
    description = serializers.CharField()
    fields_ = serializers.ListField(child=serializers.CharField())
    permission = serializers.CharField(allow_null=True)
    allowed = serializers.BooleanField()

    def get_fields(self) -> dict[str, serializers.Field]:
        found = super().get_fields()
        return {"fields" if name == "fields_" else name: field for name, field in found.items()}


@extend_schema_serializer(many=False)
class VerifierTypesSerializer(serializers.Serializer):
    results = VerifierTypeSerializer(many=True)


class CommandSerializer(serializers.Serializer):
    name = serializers.CharField()
    usage = serializers.CharField()
    description = serializers.CharField()


@extend_schema_serializer(many=False)
class CommandsSerializer(serializers.Serializer):
    results = CommandSerializer(many=True)
