"""Bodies of requests."""

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from goals import bulk
from goals.api.fields import GivenObject, GivenText, GivenValue, GivenWords, Input
from goals.states import Mode, Trigger
from goals.watch_wishes import FOLLOW_UP, LONGEST, RULE


@extend_schema_field({"type": "string", "enum": Mode.values})
class GivenMode(GivenText):
    """A mode; the service checks it."""


@extend_schema_field({"type": "integer", "minimum": 2, "maximum": 4})
class GivenCount(serializers.IntegerField):
    """A number of plans; the service checks it."""


class GoalInput(Input):
    """A new goal. `limits`: model_calls, tokens, cost_usd, seconds (null: none); `sop`: the slug of a procedure."""

    objective = GivenWords()
    context = GivenText(required=False, allow_null=True)
    constraints = GivenText(required=False, allow_null=True)
    mode = GivenMode(required=False)
    verifier = GivenObject(required=False, allow_null=True, help_text="see /api/verifiers/")
    limits = GivenObject(required=False, allow_null=True)
    sop = GivenText(required=False, allow_null=True)
    answers = GivenObject(required=False, allow_null=True, help_text="answers given beforehand, by key")
    conversation = serializers.UUIDField(required=False, allow_null=True)
    watch = GivenObject(required=False, allow_null=True, help_text=f"of mode monitor: {', '.join(RULE)}")
    plan_approval = serializers.BooleanField(required=False, help_text="no plan is begun before you approve of it")
    alternatives = GivenCount(
        required=False, allow_null=True, help_text="of how many plans to choose one: 2 to 4; needs plan_approval"
    )


class WatchInput(serializers.Serializer):
    """What can be changed of a watch's rule. For the schema only."""

    interval = serializers.IntegerField(required=False, min_value=1, max_value=LONGEST, help_text="seconds")
    trigger = serializers.ChoiceField(choices=Trigger.choices, required=False)
    repeat = serializers.BooleanField(required=False)
    deadline = serializers.DateTimeField(required=False, allow_null=True)
    stall_after = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=LONGEST, help_text="seconds"
    )
    follow_up = GivenObject(required=False, allow_null=True, help_text=f"a goal to start: {', '.join(FOLLOW_UP)}")


class BulkInput(Input):
    """Goals as they are submitted one by one: all are taken, or none."""

    goals = serializers.ListField(child=GoalInput(), min_length=1, max_length=bulk.MOST)


class ReasonInput(Input):
    reason = GivenText(required=False, allow_null=True)


class PauseInput(ReasonInput):
    now = serializers.BooleanField(required=False)


class CheckpointInput(serializers.Serializer):
    """What can be changed of a checkpoint that has not begun. For the schema only."""

    title = GivenText(required=False)
    description = GivenText(required=False)
    success_criteria = GivenText(required=False)
    args = GivenObject(required=False)
    tools = GivenValue(required=False)


class SubgoalInput(serializers.Serializer):
    """What can be changed of a subgoal that has not begun. For the schema only."""

    gloss = GivenText(required=False)
    args = GivenObject(required=False)


class NothingInput(Input):
    """An empty object, or no body."""


class SteerInput(Input):
    text = GivenWords()


class ReviseInput(Input):
    reason = GivenWords()


class VerifierInput(Input):
    """Another verifier (see /api/verifiers/), and why."""

    verifier = GivenObject()
    reason = GivenWords()


class ForkInput(Input):
    objective = GivenText(required=False, allow_null=True)


class ShareInput(Input):
    """With a `person` (a name) that person is shown the goal; without, a link is made."""

    person = GivenText(required=False, allow_null=True)
    days = GivenValue(required=False, allow_null=True)


class AnswerInput(Input):
    """Yes or no for confirmations and approvals; happened, did_not_happen or give_up for recoveries.

    For a plan: yes or its number, `{"plan": [edited checkpoints]}` (with `"of"`: which of several it was), or
    `{"again": "what should be different"}`.
    """

    answer = GivenValue(allow_null=True)


class ConversationInput(Input):
    title = GivenText(required=False, allow_null=True)


class MessageInput(Input):
    content = GivenWords()


class LimitsInput(serializers.Serializer):
    """Limits by resource: a number above 0, "+5" to raise by five, null for none. For the schema only."""

    model_calls = GivenValue(required=False, allow_null=True)
    tokens = GivenValue(required=False, allow_null=True)
    cost_usd = GivenValue(required=False, allow_null=True)
    seconds = GivenValue(required=False, allow_null=True)
