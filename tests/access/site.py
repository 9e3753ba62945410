"""Rows of the site itself, so that every model of the admin has one to ask for."""

from pathlib import Path
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import Group
from django.core.management import call_command
from django.utils import timezone
from django_q.models import OrmQ, Schedule, Task

import sops
from goals.models import Breaker, McpServer, McpTool, ModelChoice, ModelPrice, Spend, ToolRule, Watch
from goalsite.models import Canary, LiveMessage, LoginLink
from sops.models import SopVersion
from sops.services import start_use

PROCEDURE = "find-in-files"


def fill(goal: Any) -> None:
    """Make one row of what belongs to the site."""
    now = timezone.now()
    call_command("load_sops", Path(sops.__file__).parent / "library" / f"{PROCEDURE}.yaml", verbosity=0)
    start_use(version=SopVersion.objects.first(), goal_id=goal.pk)
    Watch.objects.create(goal=goal)
    ModelChoice.objects.create(role="worker", model="m")
    ModelPrice.objects.create(model="m", input_usd=1, output_usd=2)
    ToolRule.objects.create(tool="read_file", permission="ask", changed_at=now)
    server = McpServer.objects.create(name="far", address="https://example.org/mcp")
    McpTool.objects.create(server=server, said_name="add", name="far.add", found_digest="d", found_at=now)
    spent = {"owner": goal.owner, "model": "Zanzibar", "usd": 1, "calls": 1, "tokens": 1}
    Spend.objects.create(hour=now.replace(minute=0, second=0, microsecond=0), **spent)
    Breaker.objects.create(kind="tool", name="far", state="open", opened_at=now, retry_at=now, failures=5)
    Canary.objects.create(sent_at=now)
    LiveMessage.objects.create(body="long")
    LoginLink.issue(goal.owner, now)
    Group.objects.get_or_create(name="some")
    OrmQ.objects.create(key="goalsite", payload="x", lock=now)
    Schedule.objects.create(func="goals.tasks.sweep")
    for success in (True, False):
        Task.objects.create(id=f"task{success}", name="one", func="f", started=now, stopped=now, success=success)


def rows(ada: Any) -> dict[str, Any]:
    """Return the id of a row of every model that the admin shows, ada's where it is somebody's, by app.model."""
    found = {}
    for model in admin.site._registry:
        keys = model._default_manager.order_by("pk").values_list("pk", flat=True)
        found[model._meta.label_lower] = keys.first()
    return found | {"auth.user": ada.pk}
