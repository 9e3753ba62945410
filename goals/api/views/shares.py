"""Links to an ended goal: `/api/goals/ID/shares/`."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from goals import services, sharing
from goals.api.fields import read
from goals.api.serializers.inputs import ShareInput
from goals.api.serializers.shares import MadeShareSerializer, ShareSerializer

PLAIN = {"filterset_class": None, "filter_backends": [], "pagination_class": None}


class GoalShares:
    """Who has a link may read how the goal ended, and nothing else."""

    @extend_schema(responses=ShareSerializer(many=True))
    @action(detail=True, methods=["get"], **PLAIN)
    def shares(self, request: Request, pk: Any) -> Response:
        """The links that open something, the latest first; their addresses are told only when they are made."""
        return Response(ShareSerializer(sharing.links_of(services.find(request.user, pk)), many=True).data)

    @extend_schema(request=ShareInput, responses={201: MadeShareSerializer})
    @shares.mapping.post
    def make_share(self, request: Request, pk: Any) -> Response:
        """Make a link, for some days or until it is withdrawn; its address is told this once."""
        made, token = sharing.share(request.user, pk, **read(ShareInput, request.data))
        url = request.build_absolute_uri(reverse("shared", args=[token]))
        return Response({**ShareSerializer(made).data, "url": url}, status=status.HTTP_201_CREATED)

    @extend_schema(responses={204: None})
    @action(detail=True, methods=["delete"], url_path="shares/<str:share>", **PLAIN)
    def withdraw_share(self, request: Request, pk: Any, share: str) -> Response:
        """Withdraw a link: from now on there is nothing at its address."""
        sharing.withdraw(request.user, pk, share)
        return Response(status=status.HTTP_204_NO_CONTENT)
