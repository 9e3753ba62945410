"""The slash command /goal: set a goal without a model, see how it stands, or cancel it."""

import json
from typing import Any

from goals import services
from goals.chat.command import Command, Said
from goals.chat.standing import current_goal, goal_in_words
from goals.exceptions import InvalidInput
from goals.models import Conversation
from goals.states import Mode

CLEAR = ("clear", "stop", "off", "cancel", "reset", "none")
SPEC_FIELDS = ("condition", "verifier", "mode", "watch", "no_progress_limit")
SPEC = '/goal {"condition": "…", "verifier": {…}, "mode": "drive", "no_progress_limit": 3}'
MOST_NO_PROGRESS = 100


def goal(user: Any, conversation: Conversation, rest: str) -> Said:
    if not rest:
        return _status(conversation)
    if rest.lower() in CLEAR:
        return _clear(user, conversation)
    wishes = _spec(rest) if rest[0] == "{" else {"objective": rest}
    return "The goal is set.", services.submit(owner=user, conversation=conversation, **wishes)


def plan(user: Any, conversation: Conversation, rest: str) -> Said:
    found = services.submit(owner=user, conversation=conversation, objective=rest, plan_approval=True)
    return "The goal is set. Its plan is shown to you before it is begun.", found


CATALOGUE = (
    Command("/goal", "/goal TEXT", "Set a goal in your words, without a model reading them first.", goal),
    Command("/goal", SPEC, "Set a goal with a verifier, a mode (drive or monitor) and its patience.", goal),
    Command("/plan", "/plan TEXT", "Set a goal whose plan you look over before anything is done.", plan),
    Command("/goal", "/goal", "Say how the goal of this conversation stands.", goal),
    Command("/goal clear", "/goal clear", f"Cancel the goal of this conversation (also {', '.join(CLEAR[1:])}).", goal),
)


def _status(conversation: Conversation) -> Said:
    found = current_goal(conversation)
    if found is None:
        return "There is no goal in this conversation. Write what you want done.", None
    return f"**{found.objective[:300]}**\n\n{goal_in_words(found)}", None


def _clear(user: Any, conversation: Conversation) -> Said:
    found = current_goal(conversation)
    if found is None or found.is_ended:
        return "There is no goal under way in this conversation.", None
    services.cancel(user, found.pk, reason="cancelled by /goal clear")
    return "The goal is cancelled.", None


def _spec(text: str) -> dict[str, Any]:
    """Return what `submit` takes, from the JSON form of /goal; raises InvalidInput."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput({"goal": f"is no JSON ({error}); write plain text or {SPEC}"}) from None
    if not isinstance(given, dict):
        raise InvalidInput({"goal": "must be an object"})
    allowed = ", ".join(SPEC_FIELDS)
    errors = {str(name)[:60]: f"is unknown; allowed are {allowed}" for name in given.keys() - {*SPEC_FIELDS}}
    patience = given.get("no_progress_limit")
    if patience is not None and (type(patience) is not int or not 1 <= patience <= MOST_NO_PROGRESS):
        errors["no_progress_limit"] = f"must be a whole number from 1 to {MOST_NO_PROGRESS}"
    if not isinstance(given.get("condition"), str) or not given["condition"].strip():
        errors["condition"] = "must be a text that is not empty: what is to be reached"
    if errors:
        raise InvalidInput(errors)
    return {
        "objective": given["condition"],
        "verifier": given.get("verifier"),
        "mode": given.get("mode", Mode.DRIVE),
        "watch": given.get("watch"),
        "options": {} if patience is None else {"no_progress": patience},
    }
