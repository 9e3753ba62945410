"""Routes to include below `/api/`."""

from rest_framework.routers import SimpleRouter

from artifacts.api.views import ArtifactViewSet

router = SimpleRouter(use_regex_path=False)
router.register("artifacts", ArtifactViewSet, basename="artifact")
urlpatterns = router.urls
