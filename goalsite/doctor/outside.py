"""What the site asks of others: the model endpoint, the embedder, the sandbox. Each is really asked."""

import tempfile

from django.conf import settings

from goals import model_settings
from goals.llm.client import place
from goals.llm.errors import ModelError
from goals.llm.trial import try_model, without_key
from goals.verifiers.errors import SandboxError
from goals.verifiers.sandbox import run_command
from goalsite import rehearsal
from goalsite.doctor.finding import Finding, fail, warn, well
from sops.embedding import current_embedder
from sops.exceptions import EmbedderUnavailable
from sops.models import Perspective


def model() -> Finding:
    """Whether every model that a role uses answers a call of one token, and has a price."""
    with rehearsal.model_in_use(settings.GOALSITE_DATA_DIR):
        roles = {name: role for role, name in model_settings.models().items()}
        for name, role in roles.items():
            try:
                took = try_model(name, role)
            except ModelError as error:
                return fail(f"{name} at {place()}: {error}", _remedy(error))
        shown = f"{', '.join(roles)} at {place()}: answered in {took:.1f} s"
    if settings.GOALSITE_REHEARSAL:
        return warn("the rehearsal model answers, a stand-in", "Set OPENAI_BASE_URL and GOALSITE_MODEL for a real one.")
    unknown = [name for name in roles if model_settings.price_of(name) is None]
    if unknown:
        price = "State it in the admin, or GOALSITE_MODEL_PRICE; until then goals with a limit on cost_usd are refused."
        return warn(f"{shown}; no price is known for {', '.join(unknown)}", price)
    return well(shown)


def embedder() -> Finding:
    """Whether texts become vectors, and the procedures' vectors are of the embedder that is set."""
    current = current_embedder()
    try:
        with rehearsal.model_in_use(settings.GOALSITE_DATA_DIR):
            current.embed(["one text"])
    except EmbedderUnavailable as error:
        return fail(without_key(str(error)), "Check the endpoint, or unset GOALSITE_EMBEDDING_MODEL to embed offline.")
    others = Perspective.objects.exclude(embedder=current.name).count()
    if others:
        return warn(f"{others} texts of procedures were not embedded by {current.name}", "Run `manage.py index_sops`.")
    return well(f"{current.name} embeds")


def sandbox() -> Finding:
    """How well a command is isolated here: by a run of one."""
    try:
        with tempfile.TemporaryDirectory(prefix="goalsite-doctor-") as folder:
            ran = run_command("true", folder)
    except SandboxError as error:
        return fail(str(error), "Install bubblewrap; until then verifiers that run commands fail.")
    return of_isolation(ran.isolation, ran.exit_code)


def of_isolation(isolation: str, exit_code: int | None) -> Finding:
    """Judge by the level that took hold."""
    if exit_code != 0:
        return fail(f"`true` ended with {exit_code} ({isolation})", "See what forbids it to run programs.")
    if "bubblewrap" in isolation:
        return well(isolation)
    if "no-network" in isolation:
        return warn(isolation, "Install bubblewrap for the best isolation.")
    return fail(f"commands are not kept from the network ({isolation})", "Install bubblewrap.")


def _remedy(error: ModelError) -> str:
    if error.retryable:
        return "See whether the endpoint is up and OPENAI_BASE_URL is its address."
    return "Check OPENAI_API_KEY, OPENAI_BASE_URL and the model's name in GOALSITE_MODEL."
