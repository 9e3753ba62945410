"""What goals tell this app: which version they follow, and how it went."""

from decimal import Decimal
from uuid import UUID

from sops.models import SopStatus, SopStep, SopUse, SopVersion, UseOutcome


def start_use(*, version: SopVersion, goal_id: UUID) -> SopUse:
    """A goal begins to follow a version; telling it twice (another iteration) is the same use."""
    use, _ = SopUse.objects.get_or_create(version=version, goal_id=goal_id)
    return use


def finish_uses(*, goal_id: UUID, outcome: str, cost: Decimal = Decimal(0), seconds: float = 0.0) -> int:
    """How the goal ended, for every version that it followed: `achieved`, `failed` or `cancelled`. How many."""
    if outcome not in UseOutcome.values:
        raise ValueError(f"outcome must be one of {', '.join(UseOutcome.values)}, not {outcome!r}")
    return SopUse.objects.filter(goal_id=goal_id).update(outcome=outcome, cost=cost, seconds=seconds)


def procedures_by_tool() -> dict[str, list[str]]:
    """For each tool the slugs of the active procedures whose steps call or suggest it, in order."""
    steps = SopStep.objects.filter(version__is_current=True, version__sop__status=SopStatus.ACTIVE)
    found: dict[str, set[str]] = {}
    for slug, tools, args in steps.values_list("version__sop__slug", "tools", "args"):
        for tool in {*tools, args.get("tool")} - {None}:
            found.setdefault(tool, set()).add(slug)
    return {tool: sorted(slugs) for tool, slugs in found.items()}
