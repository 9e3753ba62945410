"""A tool that an MCP server has told of: as it was let in, and as it was found last."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q, UniqueConstraint

from goals.models.fields import choice_field, known_values, uuid7_key
from goals.models.mcp_server import McpServer
from goals.states import EffectClass, Risk

CHANGED = ~Q(digest="") & ~Q(digest=F("found_digest"))
NEW = Q(digest="", refused="")


class McpToolQuerySet(models.QuerySet["McpTool"]):
    def offered(self) -> "McpToolQuerySet":
        """Return those that goals may be offered: let in as they are."""
        return self.filter(server__enabled=True, digest=F("found_digest"), refused="", gone_at=None)

    def changed(self) -> "McpToolQuerySet":
        """Return those that are not what was let in."""
        return self.filter(CHANGED, gone_at=None)

    def new(self) -> "McpToolQuerySet":
        """Return those that nobody has looked at."""
        return self.filter(NEW, gone_at=None)


class McpTool(models.Model):
    """`description` and `parameters` are those that were let in, cleaned; `digest` is of what the server said then.

    What was found last is beside them. Where the digests differ the tool is offered to nobody.
    """

    id = uuid7_key()
    server = models.ForeignKey(McpServer, on_delete=models.CASCADE, related_name="tools", db_index=False)
    said_name = models.CharField(max_length=200, help_text="As the server calls it.")
    name = models.CharField(max_length=100, help_text="As goals call it: SERVER.TOOL.")
    risk = choice_field(Risk, blank=True, default="", help_text="Empty: the server's.")
    effect_class = choice_field(EffectClass, blank=True, default="", help_text="Empty: the server's.")

    description = models.TextField(blank=True, editable=False)
    parameters = models.JSONField(default=dict, blank=True, editable=False)
    digest = models.CharField(max_length=64, blank=True, editable=False)
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+", editable=False
    )
    accepted_at = models.DateTimeField(null=True, blank=True, editable=False)

    found_description = models.TextField(blank=True, editable=False)
    found_parameters = models.JSONField(default=dict, blank=True, editable=False)
    found_digest = models.CharField(max_length=64, editable=False)
    hints = models.JSONField(
        default=dict, blank=True, editable=False, help_text="What the server says of it; not believed."
    )
    refused = models.CharField(max_length=300, blank=True, editable=False, help_text="Why it cannot be let in.")
    found_at = models.DateTimeField(editable=False)
    gone_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = McpToolQuerySet.as_manager()

    class Meta:
        verbose_name = "MCP tool"
        ordering = ["name", "said_name"]
        constraints = [
            known_values("mcptool", "risk", Risk, blank=True),
            models.CheckConstraint(
                name="mcptool_effect_class_outside",
                condition=Q(effect_class__in=["", EffectClass.EXTERNAL, EffectClass.IDEMPOTENT]),
            ),
            UniqueConstraint(name="mcptool_once", fields=["server", "said_name"]),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def standing(self) -> str:
        """Where it stands, in a word."""
        if self.gone_at is not None:
            return "gone"
        if self.refused:
            return "refused"
        if not self.digest:
            return "new"
        return "let in" if self.digest == self.found_digest else "changed"
