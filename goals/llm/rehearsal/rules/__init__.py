"""One rule a prompt: from what was asked to the reply. `answer` is the whole of the rehearsal model's mind."""

from collections.abc import Callable

from goals.llm.rehearsal.asked import Asked
from goals.llm.rehearsal.reply import Reply, Text
from goals.llm.rehearsal.rules import conversation, judging, plans, procedures, work
from goals.llm.rehearsal.words import STAND_IN

RULES: dict[str, Callable[[Asked], Reply]] = {
    "interpret_message": conversation.interpret_message,
    "gather_question": conversation.gather_question,
    "chat_reply": conversation.chat_reply,
    "judge_applicability": procedures.judge_applicability,
    "distil_sop": procedures.distil_sop,
    "plan_checkpoints": plans.plan_checkpoints,
    "revise_plan": plans.revise_plan,
    "atomize": plans.atomize,
    "plan_subgoals": plans.plan_subgoals,
    "act": work.act,
    "aggregate": work.aggregate,
    "summarise_context": work.summarise_context,
    "check_condition": judging.check_condition,
    "judge_outcome": judging.judge_outcome,
    "evaluate_progress": judging.evaluate_progress,
}


def answer(asked: Asked) -> Reply:
    """The reply; a request that is none of ours gets a sentence that says what is answering."""
    rule = RULES.get(asked.name)
    if rule is None:
        return Text(STAND_IN + "it only knows the prompts of Goalsite. Configure a model endpoint for anything else.")
    return rule(asked)
