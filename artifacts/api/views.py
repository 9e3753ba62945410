"""`/api/artifacts/ID/` and its content, for those who may see its context."""

import json

from django.http import FileResponse, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, viewsets
from rest_framework.decorators import action

from artifacts import storage
from artifacts.api.access import visible_artifacts
from artifacts.api.serializers import ArtifactSerializer
from artifacts.kinds import Storage
from artifacts.models import Artifact

# What a browser may be told the content is. Everything else, markup above all, is only ever bytes to save.
HARMLESS_TYPES = {"application/json", "text/plain", "text/csv", "text/markdown", "image/png", "image/jpeg", "image/gif"}
CONTENTS = {
    (200, "application/octet-stream"): OpenApiTypes.BINARY,
    **{(200, kind): OpenApiTypes.BINARY for kind in sorted(HARMLESS_TYPES - {"application/json"})},
    (200, "application/json"): OpenApiTypes.ANY,
}


class ArtifactViewSet(mixins.RetrieveModelMixin, viewsets.GenericViewSet):
    """Read one artifact. What belongs to someone else does not exist here."""

    queryset = Artifact.objects.none()
    serializer_class = ArtifactSerializer
    lookup_value_converter = "uuid"

    def get_queryset(self):
        return visible_artifacts(self.request.user)

    @extend_schema(responses=CONTENTS)
    @action(detail=True, methods=["get"])
    def content(self, request, pk=None):
        """The value as JSON, or the blob's bytes, as a file to save."""
        artifact = self.get_object()
        response = _response(artifact)
        response["Content-Security-Policy"] = "sandbox; default-src 'none'"
        return response


def _response(artifact: Artifact) -> HttpResponse | FileResponse:
    if artifact.storage == Storage.INLINE:
        return HttpResponse(json.dumps(artifact.value, ensure_ascii=False), content_type="application/json")
    is_json = artifact.storage == Storage.JSON
    media_type = "application/json" if is_json else artifact.media_type.partition(";")[0].strip().lower()
    return FileResponse(
        storage.open_verified(artifact.blob_sha256),
        as_attachment=not is_json,
        filename=f"{artifact.name}-{artifact.version}",
        content_type=media_type if media_type in HARMLESS_TYPES else "application/octet-stream",
    )
