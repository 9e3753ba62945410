"""The console's navigation: what one looks at each day first, then every other page that one may see, by its room."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse

FIRST = {"Goal": "flag", "Question": "help", "Spend": "payments", "Breaker": "electrical_services", "Sop": "menu_book"}
ROOMS = {
    "goals": "What goals are made of",
    "sops": "Library",
    "artifacts": "Artifacts",
    "auth": "People",
    "django_q": "Queue",
    "goalsite": "Site",
}


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the groups of links; each room's pages are asked of the admin, so that none is forgotten."""
    rooms = admin.site.get_app_list(request)
    pages = {page["object_name"]: page for room in rooms for page in room["models"]}
    first = [_link("What needs me?", reverse("admin:index"), "dashboard")]
    first += [
        _link(pages[name]["name"], pages[name]["admin_url"], icon) for name, icon in FIRST.items() if name in pages
    ]
    first.append({**_link("To the page", reverse("chat"), "forum"), "active": False})  # every address begins with its
    groups = [{"title": "", "items": first}]
    for room in rooms:
        rest = [page for page in room["models"] if page["object_name"] not in FIRST and page["admin_url"]]
        title = ROOMS.get(room["app_label"], room["name"])
        links = [_link(page["name"], page["admin_url"], "") for page in rest]
        groups.append({"title": title, "collapsible": True, "items": links})
    return groups


def _link(title: Any, address: str, icon: str) -> dict[str, Any]:
    return {"title": str(title), "link": address, "icon": icon}
