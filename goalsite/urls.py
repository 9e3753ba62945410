"""The site's addresses; each room brings its own."""

from importlib.util import find_spec

from django.contrib import admin
from django.urls import include, path

from goalsite import health, login_once, metrics

ROOMS = (("api/", "goals.api.urls"), ("", "goals.chat.urls"))

urlpatterns = [
    path("admin/", admin.site.urls),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics.metrics, name="metrics"),
    path("login/once/<str:token>/", login_once.login_once, name="login_once"),
    *(path(prefix, include(module)) for prefix, module in ROOMS if find_spec(module)),
]
