"""Rows of the procedure library (DESIGN section 3)."""

from sops.models.perspective import EMBEDDING_DIMENSIONS, Perspective, PerspectiveKind
from sops.models.sop import Sop, SopStatus
from sops.models.step import Operation, Predicate, SopStep
from sops.models.use import SopUse, UseOutcome
from sops.models.version import SopOrigin, SopVersion

__all__ = [
    "EMBEDDING_DIMENSIONS",
    "Operation",
    "Perspective",
    "PerspectiveKind",
    "Predicate",
    "Sop",
    "SopOrigin",
    "SopStatus",
    "SopStep",
    "SopUse",
    "SopVersion",
    "UseOutcome",
]
