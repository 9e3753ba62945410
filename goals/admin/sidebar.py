"""The console's navigation: what one looks at each day first, then every other page that one may see, by its room."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse

FIRST = {
    "Goal": "flag",
    "Question": "help",
    "Watch": "visibility",
    "Spend": "payments",
    "Breaker": "electrical_services",
    "Sop": "menu_book",
}
RULES = ("ToolRule", "McpServer", "McpTool", "ModelChoice", "ModelPrice", "Webhook", "Delivery")
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
    first.append(
        {**_link("To the page", admin.site.site_url, "forum"), "active": False}
    )  # every address begins with its
    rules = [_link(pages[name]["name"], pages[name]["admin_url"], "") for name in RULES if name in pages]
    groups = [{"title": "", "items": first}, _group("Rules and webhooks", rules)]
    for room in rooms:
        rest = [page for page in room["models"] if page["object_name"] not in (*FIRST, *RULES) and page["admin_url"]]
        title = ROOMS.get(room["app_label"], room["name"])
        links = [_link(page["name"], page["admin_url"], "") for page in rest]
        groups.append(_group(title, links))
    return [group for group in groups if group["items"]]


def _group(title: str, links: list[dict[str, Any]]) -> dict[str, Any]:
    return {"title": title, "collapsible": True, "items": links}


def _link(title: Any, address: str, icon: str) -> dict[str, Any]:
    return {"title": str(title), "link": address, "icon": icon}
