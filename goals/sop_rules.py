"""What the library asks of this room before it takes a procedure (the setting `GOALSITE_SOP_RULES`)."""

from goals.tools import registry
from goals.verifiers.spec import parse
from sops.importer import CheckVerifier


def sop_rules() -> tuple[set[str], CheckVerifier]:
    """Return the tools that there are, and what raises ValueError for a verifier that is none."""
    return set(registry.names()), parse
