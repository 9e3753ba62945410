"""With whom a goal is shared, and links to it: `/api/goals/ID/shares/`."""

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
from goals.models import Share

PLAIN = {"filterset_class": None, "filter_backends": [], "pagination_class": None}


class GoalShares:
    """A person sees all of the goal and moves nothing; who has a link reads how it ended."""

    @extend_schema(responses=ShareSerializer(many=True))
    @action(detail=True, methods=["get"], **PLAIN)
    def shares(self, request: Request, pk: Any) -> Response:
        """The shares that show something, the latest first; a link's address is told only when it is made."""
        return Response(ShareSerializer(sharing.shares_of(services.to_move(request.user, pk)), many=True).data)

    @extend_schema(request=ShareInput, responses={201: MadeShareSerializer})
    @shares.mapping.post
    def make_share(self, request: Request, pk: Any) -> Response:
        """Show the goal to a person, or by a link when it has ended; for some days or until it is withdrawn."""
        given = read(ShareInput, request.data)
        person, days = given.get("person"), given.get("days")
        if person is None:
            made, token = sharing.share(request.user, pk, days=days)
            return _told(request, made, reverse("shared", args=[token]), once=True)
        made = sharing.share_with(request.user, pk, person, days=days)
        return _told(request, made, reverse("goal_page", args=[pk]))

    @extend_schema(responses={204: None})
    @action(detail=True, methods=["delete"], url_path="shares/<str:share>", **PLAIN)
    def withdraw_share(self, request: Request, pk: Any, share: str) -> Response:
        """Withdraw a share: that person, or whoever has that link, sees nothing any more."""
        sharing.withdraw(request.user, pk, share)
        return Response(status=status.HTTP_204_NO_CONTENT)


def _told(request: Request, made: Share, address: str, *, once: bool = False) -> Response:
    """Return a share with its address; one told `once` is not kept for repetitions under an Idempotency-Key."""
    shown = ShareSerializer(made).data
    response = Response({**shown, "url": request.build_absolute_uri(address)}, status=status.HTTP_201_CREATED)
    if once:
        response.kept = {**shown, "url": None}
    return response
