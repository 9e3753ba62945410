"""Which function carries out which action. Each ends with one transaction that records what it did."""

from goals.decisions import Action
from goals.driver import Handler
from goals.effects import act, people, plan, reflect, tool_use, tree_work, verify, watch

HANDLERS: dict[str, Handler] = {
    Action.PREFLIGHT: verify.preflight,
    Action.PLAN: plan.plan,
    Action.REVISE: plan.revise,
    Action.EVALUATE: reflect.evaluate,
    Action.SUMMARISE: reflect.summarise,
    Action.VERIFY_GOAL: verify.verify_goal,
    Action.LOOK: watch.look,
    Action.REMIND_OF_PLAN: people.remind_of_plan,
    Action.VERIFY_CHECKPOINT: verify.verify_checkpoint,
    Action.ATOMIZE: tree_work.atomize,
    Action.DECOMPOSE: tree_work.decompose,
    Action.USE_TOOL: tool_use.use_tool,
    Action.ACT: act.act,
    Action.ASK: people.ask_question,
    Action.REMIND: people.remind,
    Action.PRESENT: people.present,
    Action.AGGREGATE: tree_work.aggregate,
    Action.CHECK: tree_work.check,
}
