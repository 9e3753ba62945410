"""What the tool policy says of a tool: the most specific rule wins (DESIGN section 8). Pure.

A goal's own rules come before those of the goal that it was made for or forked from, those before the ones of the goal
above that, and all before the site's; at each of these a rule for the tool comes before one for its risk. Where no rule
speaks, dangerous tools ask.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from goals.states import Permission, Risk


@dataclass(frozen=True, slots=True)
class Rule:
    """For one tool or for one risk; of one goal, or with None of the whole site."""

    permission: Permission
    tool: str = ""
    risk: str = ""
    goal: Any = None


@dataclass(frozen=True, slots=True)
class Ruling:
    """What is in force for a tool; `rule` is None where no rule speaks of it."""

    permission: Permission
    rule: Rule | None = None

    @property
    def is_of_goal(self) -> bool:
        return self.rule is not None and self.rule.goal is not None

    @property
    def because(self) -> str:
        """Where it comes from, in words."""
        if self.rule is None:
            return "the default for its risk"
        what = f"the tool {self.rule.tool}" if self.rule.tool else f"{self.rule.risk} tools"
        return f"the {'goal' if self.is_of_goal else 'site'}'s rule for {what}"


class Rules:
    """All rules; at most one for the same tool or risk of the same goal."""

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        self._known = {(rule.goal, rule.tool, rule.risk): rule for rule in rules}

    def __iter__(self) -> Iterator[Rule]:
        return iter(self._known.values())

    def ruling(self, tool: str, risk: str, goals: Iterable[Any] = ()) -> Ruling:
        """Return what is in force for a tool; `goals` are the ids of the goal that uses it, the nearest first."""
        for goal in (*goals, None):
            for place in ((goal, tool, ""), (goal, "", risk)):
                if rule := self._known.get(place):
                    return Ruling(rule.permission, rule)
        return Ruling(Permission.ASK if risk == Risk.DANGEROUS else Permission.AUTO)
