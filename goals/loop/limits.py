"""The limits of one goal's loop."""

from dataclasses import replace

from django.conf import settings

from goals import tree
from goals.models import Goal


def limits_of(goal: Goal) -> tree.Limits:
    """Return the goal's limits: the site's defaults, or what was chosen for this goal."""
    defaults = tree.Limits(
        parallel=settings.GOALSITE_MAX_PARALLEL,
        max_depth=settings.GOALSITE_MAX_DEPTH,
        retries=settings.GOALSITE_MAX_RETRIES,
        replans=settings.GOALSITE_MAX_REPLANS,
        checkpoint_attempts=settings.GOALSITE_MAX_CHECKPOINT_ATTEMPTS,
        iterations=settings.GOALSITE_MAX_ITERATIONS,
        revisions=settings.GOALSITE_MAX_REVISIONS,
        no_progress=settings.GOALSITE_MAX_NO_PROGRESS,
        evaluate_every=settings.GOALSITE_EVALUATE_EVERY,
        checkpoint_seconds=settings.GOALSITE_MAX_CHECKPOINT_SECONDS,
    )
    chosen = {name: value for name, value in goal.options.items() if name in tree.Limits.__dataclass_fields__}
    return replace(defaults, **chosen) if chosen else defaults
