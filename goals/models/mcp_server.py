"""An MCP server whose tools goals may use. Its secret is not kept here: the environment holds it under a name."""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import CheckConstraint, Q

from goals.models.fields import choice_field, known_values, uuid7_key
from goals.states import EffectClass, McpTransport, Risk

NAME = r"[a-z][a-z0-9-]{0,29}"
LONGEST_SECONDS = 120
MOST_CHARACTERS = 1_000_000


class McpServer(models.Model):
    """`address` is of one over HTTP, `command` of one that is started here for each call and speaks on its pipes."""

    id = uuid7_key()
    name = models.CharField(
        max_length=30,
        unique=True,
        validators=[RegexValidator(rf"^{NAME}\Z", "Use 1 to 30 small letters, digits and -, a letter first.")],
        help_text="Its tools are called NAME.TOOL. It stays as it is: rules, procedures and histories name it.",
    )
    transport = choice_field(McpTransport, default=McpTransport.HTTP)
    address = models.CharField(max_length=2000, blank=True, help_text="Over HTTP: https://…, its MCP endpoint.")
    command = models.TextField(
        blank=True, help_text="By a command: the program and its arguments, quoted as in a shell; no shell runs it."
    )
    folder = models.CharField(
        max_length=2000, blank=True, help_text="By a command: the folder it runs in and reads, where it needs one."
    )
    secret_variable = models.CharField(
        max_length=100,
        blank=True,
        help_text="The variable of the site's environment that holds its secret: GOALSITE_MCP_… Empty: none.",
    )
    secret_as = models.CharField(
        max_length=100,
        blank=True,
        help_text="What the secret is sent as: a header (Authorization), or the command's own variable.",
    )
    allow_private = models.BooleanField(
        default=False, help_text="Its host may have a private or loopback address; by a command: it has a network."
    )
    enabled = models.BooleanField(default=True)
    risk = choice_field(Risk, default=Risk.DANGEROUS)
    effect_class = choice_field(
        EffectClass,
        default=EffectClass.EXTERNAL,
        help_text="external: it acts, and is never called twice unknowingly. idempotent: it only looks, and may again.",
    )
    timeout_seconds = models.PositiveIntegerField(
        default=60, validators=[MinValueValidator(1), MaxValueValidator(LONGEST_SECONDS)]
    )
    most_characters = models.PositiveIntegerField(
        default=50_000,
        validators=[MinValueValidator(1_000), MaxValueValidator(MOST_CHARACTERS)],
        help_text="What is kept of one result; the rest is cut.",
    )
    note = models.CharField(max_length=500, blank=True, help_text="What it is for.")

    looked_at = models.DateTimeField(null=True, blank=True, editable=False)
    answered_at = models.DateTimeField(null=True, blank=True, editable=False)
    introduced_as = models.CharField(max_length=200, blank=True, editable=False)
    error = models.TextField(blank=True, editable=False)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+", editable=False
    )
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = "MCP server"
        ordering = ["name"]
        constraints = [
            known_values("mcpserver", "transport", McpTransport),
            known_values("mcpserver", "risk", Risk),
            CheckConstraint(
                name="mcpserver_effect_class_outside",
                condition=Q(effect_class__in=[EffectClass.EXTERNAL, EffectClass.IDEMPOTENT]),
            ),
            CheckConstraint(
                name="mcpserver_is_reached_one_way",
                condition=Q(transport=McpTransport.HTTP, command="", folder="") & ~Q(address="")
                | Q(transport=McpTransport.STDIO, address="") & ~Q(command=""),
            ),
            CheckConstraint(
                name="mcpserver_within_bounds",
                condition=Q(timeout_seconds__range=(1, LONGEST_SECONDS))
                & Q(most_characters__range=(1_000, MOST_CHARACTERS)),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_of_host(self) -> bool:
        """Whether it runs on this host, or reaches into its network: to be allowed by who may say what runs here."""
        return self.transport == McpTransport.STDIO or self.allow_private
