"""`/api/sops/`, `/api/sops/SLUG/` and `/api/sops/search/?q=&k=`."""

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ReadOnlyModelViewSet

from sops.api.serializers import (
    CandidateSerializer,
    CandidatesSerializer,
    SearchSerializer,
    SopSummarySerializer,
    SopVersionSerializer,
)
from sops.models import Sop
from sops.retrieval import search


class SopViewSet(ReadOnlyModelViewSet):
    """The library is the organisation's: everyone who is logged in reads active procedures, staff all of them."""

    queryset = Sop.objects.all()
    serializer_class = SopSummarySerializer
    lookup_field = "slug"
    lookup_value_regex = "[a-z0-9-]+"
    filterset_fields = ["status"]
    orderings = {"slug": ("slug",)}
    ordering = "slug"

    def get_queryset(self) -> QuerySet[Sop]:
        visible = Sop.objects.all() if self.request.user.is_staff else Sop.objects.active()
        return visible.with_current()

    @extend_schema(responses=SopVersionSerializer)
    def retrieve(self, request: Request, *args, **kwargs) -> Response:
        """The current version in full."""
        sop = self.get_object()
        version = get_object_or_404(sop.versions.select_related("sop").prefetch_related("steps"), is_current=True)
        return Response(SopVersionSerializer(version).data)

    @extend_schema(parameters=[SearchSerializer], responses=CandidatesSerializer)
    @action(detail=False, pagination_class=None, filterset_fields=[])
    def search(self, request: Request) -> Response:
        """Procedures for a goal in any words, best first."""
        asked = SearchSerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        found = search(asked.validated_data["q"], asked.validated_data["k"])
        return Response({"results": CandidateSerializer(found, many=True).data})
