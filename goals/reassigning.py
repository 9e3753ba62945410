"""Giving a goal to another person: an operator's act, with an event in each history that it changes."""

from typing import Any

from django.db import transaction

from goals import announce, people, sharing, validation
from goals.effects.making import add_message
from goals.exceptions import NotAllowed, StaleGoal
from goals.models import Conversation, Goal, Role
from goals.services import find, to_move
from goals.transitions import writing


def reassign(user: Any, goal_id: Any, to: Any, *, reason: Any = "") -> Goal:
    """Make the person named `to` the owner of a goal and of all that draw on its budget; needs `goals.operate`.

    Budget, questions, artifacts and workspace go with the goal. What was said does not: the conversation stays with
    whoever had it, and the goal gets a new one. Nobody with whom it was shared sees it any more; links open nothing.
    Raises InvalidInput, NotAllowed, NotFound or StaleGoal; then nothing is changed.
    """
    goal = to_move(user, goal_id)
    if not user.has_perm("goals.operate"):
        raise NotAllowed("to reassign a goal you need the permission goals.operate")
    reason, heir = validation.collect(
        lambda: validation.text("reason", reason, most=2000),
        lambda: people.named("owner", to),
    )
    if goal.root_id is not None:
        raise StaleGoal(f"it draws on the budget of the goal {goal.root_id}; reassign that one, and this goes with it")
    with transaction.atomic():
        owner = Goal.objects.select_for_update(no_key=True).select_related(None).get(pk=goal.pk).owner
        if owner == heir:
            raise StaleGoal(f"the goal belongs to {heir} already")
        talk = Conversation.objects.create(owner=heir, title=goal.objective[:200])
        for one in [goal, *Goal.objects.filter(root=goal).order_by("pk")]:
            _hand_over(user, one, heir, talk, reason)
        because = f" Why: {reason}" if reason else ""
        said = f"{user} has given you this goal, which was {owner}'s.{because}"
        add_message(talk.pk, role=Role.SYSTEM, content=said, goal=goal)
        for either in (owner, heir):
            announce.send(announce.person_group(either.pk), {"type": "person.needs"})
    return find(user, goal.pk)


def _hand_over(user: Any, goal: Goal, heir: Any, talk: Conversation, reason: str) -> None:
    sharing.withdraw_all(user, goal.pk)
    with writing(goal.pk, actor=user) as writer:
        before, left = writer.goal.owner.get_username(), writer.goal.conversation_id
        goes_on = writer.goal.parent_id is None or writer.goal.conversation_id is not None
        writer.event("goal.reassigned", {"from": before, "to": heir.get_username(), "reason": reason})
        told = writer.goal.seq
        writer.goal.owner, writer.goal.conversation = heir, talk if goes_on else None
        Goal.objects.filter(pk=goal.pk).update(owner=heir, conversation=writer.goal.conversation)
    announce.send(announce.goal_group(goal.pk), {"type": "access.changed"})
    if left is not None:  # whoever has it open is told that the goal is gone
        announce.send(announce.conversation_group(left), {"type": "goal.changed", "goal": str(goal.pk), "seq": told})
        announce.send(announce.conversation_group(left), {"type": "access.changed"})
