"""The card of a plan that waits for its owner: the plans to choose from, and a blank step to add."""

from dataclasses import dataclass

from goals.models import Question
from goals.plan_words import Proposal, Step, proposals

BLANK = Step(
    0,
    {
        "title": "",
        "description": "",
        "success_criteria": "",
        "predicate": "execute",
        "args": {},
        "operation": "think",
    },
)


@dataclass(frozen=True)
class PlanCard:
    """What the card shows of a question about a plan."""

    heading: str
    note: str
    reason: str
    proposals: list[Proposal]
    blank: Step = BLANK


def plan_card(question: Question) -> PlanCard:
    details = question.details or {}
    what = "new plan" if details["revision"] else "plan"
    found = proposals(details)
    heading = f"May I carry out this {what}?" if len(found) == 1 else f"Which {what} shall I carry out?"
    return PlanCard(heading, details["note"], details["reason"], found)
