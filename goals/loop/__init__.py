"""Rows into snapshots, decisions into rows. Only this room turns rows into what the engine looks at."""

from goals.loop.limits import limits_of
from goals.loop.picture import Picture, evidence_for, load
from goals.loop.settling import settle
from goals.loop.snapshots import snapshot

__all__ = ["Picture", "evidence_for", "limits_of", "load", "settle", "snapshot"]
