"""`/api/webhooks/`: addresses that are told of events, and what became of each delivery."""

from typing import Any

from django.db.models import QuerySet
from django_filters.rest_framework import DjangoFilterBackend
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from goals.api.base import ApiViewSet
from goals.api.fields import read
from goals.api.filters import DeliveryFilter
from goals.api.pages import LongPages, page_of
from goals.api.query import FIELDS
from goals.api.serializers.inputs import NothingInput
from goals.api.serializers.webhooks import (
    ChangedWebhookInput,
    DeliverySerializer,
    SecretWebhookSerializer,
    WebhookInput,
    WebhookSerializer,
)
from goals.api.single import one_of
from goals.models import Delivery, Webhook
from goals.webhooks import acts

MADE = OpenApiExample(
    "ends of goals",
    value={"name": "shop", "address": "https://example.org/goals", "kinds": ["goal.completed", "goal.failed"]},
    request_only=True,
)
RESTED = OpenApiExample("let it rest", value={"active": False}, request_only=True)


class WebhookViewSet(ApiViewSet):
    """One's own webhooks, or everybody's for an operator."""

    queryset = Webhook.objects.none()
    serializer_class = WebhookSerializer
    filterset_class: Any = None

    def get_queryset(self) -> QuerySet[Webhook]:
        return Webhook.objects.visible_to(self.request.user).select_related("owner")

    def list(self, request: Request) -> Response:
        """Webhooks, newest first."""
        return page_of(self, self.get_queryset(), WebhookSerializer)

    @extend_schema(request=WebhookInput, responses={201: SecretWebhookSerializer}, examples=[MADE])
    def create(self, request: Request) -> Response:
        """Make a webhook; its secret is told this once. Messages are signed by the Standard Webhooks scheme."""
        return _once_told(*acts.make(request.user, read(WebhookInput, request.data)), status.HTTP_201_CREATED)

    @extend_schema(parameters=[FIELDS])
    def retrieve(self, request: Request, pk: Any) -> Response:
        """One webhook."""
        return one_of(request, WebhookSerializer, acts.find(request.user, pk))

    @extend_schema(request=ChangedWebhookInput, responses=WebhookSerializer, examples=[RESTED])
    def partial_update(self, request: Request, pk: Any) -> Response:
        """Change what is given; activating a webhook that was disabled forgets why it was."""
        changed = acts.change(request.user, pk, read(ChangedWebhookInput, request.data))
        return Response(WebhookSerializer(changed).data)

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, pk: Any) -> Response:
        """Remove the webhook: it is told of nothing any more."""
        acts.remove(request.user, pk)
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=NothingInput, responses=SecretWebhookSerializer)
    @action(detail=True, methods=["post"])
    def rotate(self, request: Request, pk: Any) -> Response:
        """Have another secret, told this once; for a day the one before signs beside it."""
        read(NothingInput, request.data)
        return _once_told(*acts.rotate(request.user, pk), status.HTTP_200_OK)

    @extend_schema(request=NothingInput, responses={202: DeliverySerializer})
    @action(detail=True, methods=["post"])
    def test(self, request: Request, pk: Any) -> Response:
        """Have a message of the kind `webhook.test` delivered, within a second or so; its row tells the outcome."""
        read(NothingInput, request.data)
        return Response(DeliverySerializer(acts.test(request.user, pk)).data, status=status.HTTP_202_ACCEPTED)

    @extend_schema(responses=DeliverySerializer(many=True))
    @action(
        detail=True,
        pagination_class=LongPages,
        filter_backends=[DjangoFilterBackend],
        filterset_class=DeliveryFilter,
        queryset=Delivery.objects.none(),
    )
    def deliveries(self, request: Request, pk: Any) -> Response:
        """What was and is to be delivered, newest first; kept until it is pruned."""
        rows = acts.find(request.user, pk).deliveries.all()
        return page_of(self, self.filter_queryset(rows), DeliverySerializer)

    @extend_schema(request=NothingInput, responses={202: DeliverySerializer})
    @action(detail=True, methods=["post"], url_path="deliveries/<uuid:delivery>/redeliver")
    def redeliver(self, request: Request, pk: Any, delivery: Any) -> Response:
        """Have one delivery made once more, under the same `webhook-id`."""
        read(NothingInput, request.data)
        row = acts.redeliver(request.user, pk, delivery)
        return Response(DeliverySerializer(row).data, status=status.HTTP_202_ACCEPTED)


def _once_told(webhook: Webhook, secret: str, code: int) -> Response:
    """Return the webhook with its secret, which a repetition under the same Idempotency-Key is not told."""
    shown = WebhookSerializer(webhook).data
    response = Response({**shown, "secret": secret}, status=code)
    response.kept = {**shown, "secret": None}
    return response
