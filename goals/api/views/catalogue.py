"""What the site can do: tools, verifiers and chat commands."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from goals import policy
from goals.api.base import ApiViewSet
from goals.api.serializers import catalogue as out
from goals.chat import commands
from goals.tools import registry
from goals.tools.base import Tool
from goals.verifiers.spec import catalogue


class ToolViewSet(ApiViewSet):
    pagination_class = None

    @extend_schema(operation_id="tools_list", responses=out.ToolsSerializer)
    def list(self, request: Request) -> Response:
        """The tools with their input schemas, effect classes and risks, and what the tool policy says of each."""
        return Response({"results": [_tool(tool) for tool in registry.all_tools()]})


class VerifierViewSet(ApiViewSet):
    pagination_class = None

    @extend_schema(operation_id="verifiers_list", responses=out.VerifierTypesSerializer)
    def list(self, request: Request) -> Response:
        """The verifier types, and whether you may set them."""
        user = request.user
        rows = [
            {**row, "allowed": row["permission"] is None or user.has_perm(row["permission"])} for row in catalogue()
        ]
        return Response({"results": rows})


class CommandViewSet(ApiViewSet):
    pagination_class = None

    @extend_schema(operation_id="chat_commands_list", responses=out.CommandsSerializer)
    def list(self, request: Request) -> Response:
        """What can be typed after a slash in the chat."""
        return Response({"results": commands.catalogue()})


def _tool(tool: Tool) -> dict[str, Any]:
    ruling = policy.ruling(tool)
    return {
        "name": tool.name,
        "description": tool.description,
        "input": registry.schema(tool)["function"]["parameters"],
        "outputs": [
            {"name": o.name, "type": o.type, "description": o.description, "purpose": o.purpose} for o in tool.outputs
        ],
        "effect_class": tool.effect_class,
        "risk": tool.risk,
        "reach": tool.reach,
        "policy": {"permission": ruling.permission, "because": ruling.because},
    }
