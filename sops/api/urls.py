"""Paths of the library beneath `/api/`."""

from rest_framework.routers import SimpleRouter

from sops.api.views import SopViewSet

router = SimpleRouter()
router.register("sops", SopViewSet, basename="sop")
urlpatterns = router.urls
