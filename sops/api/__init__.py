"""The library over HTTP: `SopViewSet` for `/api/sops/`."""

from sops.api.views import SopViewSet

__all__ = ["SopViewSet"]
