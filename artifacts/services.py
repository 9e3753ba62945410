"""What other rooms do with artifacts. Everything they need is named here."""

from artifacts.catalogue import catalogue
from artifacts.reading import evidence_keys, evidence_since, holds_untrusted, latest, latest_ids, lookup
from artifacts.resolving import Resolved, resolve_references
from artifacts.writing import NO_VALUE, create_artifact, create_context

__all__ = [
    "NO_VALUE",
    "Resolved",
    "catalogue",
    "create_artifact",
    "create_context",
    "evidence_keys",
    "evidence_since",
    "holds_untrusted",
    "latest",
    "latest_ids",
    "lookup",
    "resolve_references",
]
