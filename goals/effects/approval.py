"""Plans that wait for a person: proposed as a question, and written when they are approved of.

The question's `details` are the `plans`, whether they are of a `revision` and for what `reason`, how many `words` of
steering they knew, and a `note`. Each plan has `checkpoints` as a model
sends them, `notes` on why it is so, and its `source`; one of a procedure has what that needs as well.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings

from goals import plan_answers, plans
from goals.connections import pooled
from goals.driver import Drive
from goals.effects import planning, procedure
from goals.effects.calls import recording
from goals.effects.drafting import PLAN_TRIES, Draft, draft
from goals.effects.making import ask_person
from goals.models import Goal, Question
from goals.models.question import PLAN
from goals.states import QuestionKind
from goals.transitions import Writer
from goals.validation import MOST_PLANS

KEPT_REMARKS = 20
LONGEST_TITLE = 100
Proposal = dict[str, Any]


def is_wanted(goal: Goal) -> bool:
    return bool(goal.options.get("plan_approval"))


# -- asking -----------------------------------------------------------------------------------------------------


def propose(
    drive: Drive,
    purpose: str,
    tell: Callable[[Goal], dict[str, Any]],
    followed: procedure.Followed | None = None,
) -> Draft | None:
    """Ask for as many plans as the owner wants to choose from, and ask the owner; the rows wait for the answer.

    Returns the planner's last word when there is no plan at all. Where a remark led to that, the plans that it was
    about wait once more: a remark is no reason to give the goal up.
    """
    followed = followed or procedure.Followed()
    found = [followed.proposal] if followed.proposal else []
    about = {"revision": purpose == "revise_plan", "reason": drive.goal.revise_reason, "words": drive.goal.words}
    with pooled():
        earlier = _earlier(drive.goal)
    while len(found) < drive.goal.options.get("alternatives", 1):
        asked = (len(earlier) * MOST_PLANS + len(found)) * PLAN_TRIES
        last = draft(drive, purpose, tell, others=[_titles(one) for one in found], first=asked)
        if not last.is_plan and not found and not drive.goal.plan_remarks:
            return last
        with recording(drive, last.call):
            pass
        if not last.is_plan:
            break
        found.append(_proposed(last, followed.refused))
    if found:
        _ask(drive, found, about)
    else:
        why = "; ".join(last.errors) or last.call.value.reasoning
        _ask(drive, earlier[-1].details["plans"], about, note=f"No such plan: {why}")
    return None


def _earlier(goal: Goal) -> list[Question]:
    """Return the questions about plans that the goal has asked, oldest first."""
    return list(Question.objects.about_plans_of(goal).order_by("created_at"))


def _proposed(found: Draft, refused: str) -> Proposal:
    said = found.call.value
    notes = "\n\n".join(text for text in (refused, said.reasoning) if text)
    return {"checkpoints": plans.plain(said.checkpoints), "notes": notes, "source": found.provenance}


def _titles(proposal: Proposal) -> list[str]:
    return [checkpoint["title"] for checkpoint in proposal["checkpoints"]]


def _ask(drive: Drive, proposals: Sequence[Proposal], about: Mapping[str, Any], *, note: str = "") -> None:
    details = {**about, "plans": list(proposals), "note": note[:2000]}
    with drive.writing() as writer:
        remind_at = writer.now + timedelta(seconds=settings.GOALSITE_REMIND_AFTER)
        writer.facts(writer.goal, plan_asked=True, plan_wake_at=remind_at, attempt=1)
        prompt = _prompt(proposals, about["revision"], note[:300])
        drive.picture.plan_question = ask_person(writer, QuestionKind.APPROVAL, prompt, key=PLAN, details=details)


def _prompt(proposals: Sequence[Proposal], revision: bool, note: str) -> str:
    """Return the question with the plan as a numbered list; the steps in full are in its details."""
    what = "new plan" if revision else "plan"
    lines = [note, ""] if note else []
    if len(proposals) == 1:
        lines += [f"May I carry out this {what}?", "", *_numbered(proposals[0])]
    else:
        lines.append(f"Which {what} shall I carry out?")
        for number, proposal in enumerate(proposals, 1):
            lines += ["", f"Plan {number}:", "", *_numbered(proposal)]
    return "\n".join(lines)


def _numbered(proposal: Proposal) -> list[str]:
    return [f"{number}. {title[:LONGEST_TITLE]}" for number, title in enumerate(_titles(proposal), 1)]


# -- answered ---------------------------------------------------------------------------------------------------


def apply(writer: Writer, question: Question, answer: Mapping[str, Any]) -> None:
    """Write the plan that was approved of, or keep the remark with which another one is asked for."""
    goal = writer.goal
    writer.facts(goal, plan_asked=False, plan_wake_at=None)
    proposals = question.details["plans"]  # type: ignore[index]
    if "again" in answer:
        writer.facts(goal, plan_remarks=[*goal.plan_remarks, _remark(proposals, answer["again"])][-KEPT_REMARKS:])
        return
    details: Mapping[str, Any] = question.details  # type: ignore[assignment]
    writer.facts(goal, plan_remarks=[])
    proposal = proposals[answer.get("approve", answer.get("of", 1)) - 1]
    drafts = plan_answers.drafts_of(answer.get("plan", proposal["checkpoints"]))
    source = _edited(proposals, answer) if "plan" in answer else proposal["source"]
    if details["revision"]:
        planning.hear(writer, details["reason"], details["words"])
        planning.write_revision(writer, drafts, source, proposal["notes"])
    elif "plan" in answer or source["source"] != "sop":
        writer.facts(goal, words_heard=details["words"])  # a procedure has heard none of them
        _write(writer, proposal, drafts, source)
    else:
        choice, steps = procedure.choice_of(proposal)
        procedure.write(writer, choice, steps, proposal["verifier"])


def _remark(proposals: Sequence[Proposal], remark: str) -> str:
    about = " / ".join("; ".join(title[:LONGEST_TITLE] for title in _titles(proposal)) for proposal in proposals)
    return f"of the plan “{about[:2000]}”: {remark}"


def _edited(proposals: Sequence[Proposal], answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an edited plan says of its source; it may still hold what a model has read outside."""
    edited = proposals if "of" not in answer else [proposals[answer["of"] - 1]]
    untrusted = any(proposal["source"].get("untrusted") for proposal in edited)
    return {"source": "person", **({"untrusted": True} if untrusted else {})}


def _write(writer: Writer, proposal: Proposal, drafts: Sequence[Any], source: Mapping[str, Any]) -> None:
    """Write a model's plan, or an edited one; what was stated of a procedure's inputs holds for its edited plan too."""
    goal, notes = writer.goal, proposal["notes"]
    if proposal["source"]["source"] == "sop":
        procedure.keep_inputs(writer, procedure.choice_of(proposal)[0])
    rows = planning.rows_of(goal, drafts, dict(source), goal.iteration_started_at)
    facts = {"plan_notes": notes, **planning.seal(goal, proposal.get("verifier"))}
    planning.write_plan(writer, rows, facts, {"source": source["source"], "notes": notes[:2000]})
