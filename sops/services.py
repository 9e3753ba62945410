"""What goals tell this app: which version they follow, and how it went."""

from decimal import Decimal
from uuid import UUID

from sops.models import SopUse, SopVersion, UseOutcome


def start_use(*, version: SopVersion, goal_id: UUID) -> SopUse:
    """A goal begins to follow a version; telling it twice (another iteration) is the same use."""
    use, _ = SopUse.objects.get_or_create(version=version, goal_id=goal_id)
    return use


def finish_uses(*, goal_id: UUID, outcome: str, cost: Decimal = Decimal(0), seconds: float = 0.0) -> int:
    """How the goal ended, for every version that it followed: `achieved`, `failed` or `cancelled`. How many."""
    if outcome not in UseOutcome.values:
        raise ValueError(f"outcome must be one of {', '.join(UseOutcome.values)}, not {outcome!r}")
    return SopUse.objects.filter(goal_id=goal_id).update(outcome=outcome, cost=cost, seconds=seconds)
