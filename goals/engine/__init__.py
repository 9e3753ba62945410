"""The pure core: what to do next, decided from a snapshot alone. No I/O, no rows, no clock (DESIGN section 5)."""

from goals.engine.goal import begin, decide, settle

__all__ = ["begin", "decide", "settle"]
