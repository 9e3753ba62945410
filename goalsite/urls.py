"""The site's addresses; each room brings its own."""

from importlib.util import find_spec

from django.contrib import admin
from django.urls import include, path

ROOMS = (("api/", "goals.api.urls"), ("", "goals.chat.urls"))

urlpatterns = [
    path("admin/", admin.site.urls),
    *(path(prefix, include(module)) for prefix, module in ROOMS if find_spec(module)),
]
