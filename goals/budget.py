"""The arithmetic of budgets. Pure; the database's CHECK `used + reserved <= limit` is the last word.

Amounts are Decimals: calls and tokens are whole numbers, `cost_usd` is US dollars, `seconds` is driven time.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from goals.states import Resource

ZERO = Decimal(0)
WARNING_SHARE = Decimal("0.8")
Amounts = Mapping[Resource, Decimal]


@dataclass(frozen=True, slots=True)
class Line:
    """One resource of one goal: `limit` None means no limit."""

    resource: Resource
    limit: Decimal | None
    used: Decimal = ZERO
    reserved: Decimal = ZERO

    @property
    def left(self) -> Decimal | None:
        return None if self.limit is None else self.limit - self.used - self.reserved

    def allows(self, amount: Decimal) -> bool:
        return self.left is None or amount <= self.left


def figure(amount: Decimal) -> str:
    """Return an amount as people write it: no exponent, no zeros at its end."""
    return f"{amount.normalize():f}"


def refusals(lines: Iterable[Line], amounts: Amounts) -> list[Line]:
    """Return the lines that cannot take what is asked of them."""
    return [line for line in lines if not line.allows(amounts.get(line.resource, ZERO))]


def is_held(refused: Iterable[Line], amounts: Amounts, siblings: Amounts) -> bool:
    """Whether what was refused would be allowed once the goal's own calls in flight give back what they reserved."""
    free = (replace(line, reserved=line.reserved - siblings.get(line.resource, ZERO)) for line in refused)
    return not refusals(free, amounts)


def settled(line: Line, reserved: Decimal, actual: Decimal) -> Line:
    """Give back `reserved` and count `actual` as used; never beyond the limit (the call's own row keeps the truth)."""
    still = max(ZERO, line.reserved - reserved)
    used = line.used + actual
    if line.limit is not None:
        used = min(used, line.limit - still)
    return Line(line.resource, line.limit, max(line.used, used), still)


def crossed_warning(limit: Decimal | None, before: Decimal, after: Decimal) -> bool:
    """Whether use went past 80 % of the limit in this step."""
    if limit is None or limit <= 0:
        return False
    mark = limit * WARNING_SHARE
    return before < mark <= after
