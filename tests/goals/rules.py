"""The rules of DESIGN section 12 as SQL over whatever goals there are: `violations()` names each one that is broken.

Call it when no driver is at work; in between, an effect in flight rightly holds a reservation.
"""

from collections.abc import Iterable
from typing import Any

from django.db import connection

from goals import events
from goals.models import Goal

OPEN = "('intended', 'unknown')"
ENDED = "('completed', 'failed', 'cancelled')"
CALLS = """(
    SELECT id, goal_id, epoch, status, late, reserved, cost_usd, created_at, finished_at,
           input_tokens + output_tokens AS tokens,
           (status <> 'failed' OR response IS NULL)::int AS calls -- a failed probe is not counted
    FROM goals_modelcall
    UNION ALL
    SELECT id, goal_id, epoch, status, late, reserved, cost_usd, created_at, finished_at, 0, 0 FROM goals_toolcall
) AS call"""

RULES: dict[str, str] = {
    "1: an effect is written under an epoch that its goal never had": f"""
        SELECT g.id FROM goals_goal g JOIN {CALLS} ON call.goal_id = g.id WHERE call.epoch > g.lease_epoch
    """,
    "1: a goal at rest is leased for ever": """
        SELECT id FROM goals_goal WHERE lease_expires_at > now() + interval '1 day'
    """,
    "2: an event tells of an effect that has no row": f"""
        SELECT e.goal_id FROM goals_event e
        WHERE e.kind IN ('model.called', 'tool.called', 'tool.unknown')
            AND NOT EXISTS (SELECT 1 FROM {CALLS} WHERE call.id = (e.payload ->> 'call')::uuid)
    """,
    "2: an effect was told as done more than once": """
        SELECT goal_id FROM goals_event WHERE kind IN ('model.called', 'tool.called')
        GROUP BY goal_id, payload ->> 'call' HAVING count(*) > 1
    """,
    "2: an ended goal has an effect that may yet be done": f"""
        SELECT g.id FROM goals_goal g JOIN {CALLS} ON call.goal_id = g.id
        WHERE g.status IN {ENDED} AND call.status = 'intended'
    """,
    "3: a budget is exceeded": """
        SELECT goal_id FROM goals_budget WHERE used + reserved > "limit" OR used < 0 OR reserved < 0
    """,
    "3: a reservation belongs to no open effect, or an open effect has none": f"""
        SELECT b.goal_id FROM goals_budget b WHERE b.reserved <> (
            SELECT coalesce(sum((call.reserved ->> b.resource)::numeric), 0)
            FROM goals_goal g JOIN {CALLS} ON call.goal_id = g.id
            WHERE coalesce(g.root_id, g.id) = b.goal_id AND call.status IN {OPEN})
    """,
    "3: an ended goal holds a reservation": f"""
        SELECT g.id FROM goals_goal g JOIN goals_budget b ON b.goal_id = g.id
        WHERE g.status IN {ENDED} AND b.reserved <> 0
            AND NOT EXISTS (SELECT 1 FROM goals_goal c WHERE c.root_id = g.id AND c.status NOT IN {ENDED})
    """,
    "3: what was used is not what the effects took": f"""
        SELECT b.goal_id FROM goals_budget b WHERE b.resource IN ('model_calls', 'tokens', 'cost_usd')
            AND (b."limit" IS NULL OR b.used + b.reserved < b."limit")
            AND b.used < (SELECT coalesce(sum(CASE b.resource WHEN 'model_calls' THEN call.calls
                    WHEN 'tokens' THEN call.tokens ELSE call.cost_usd END), 0)
                FROM goals_goal g JOIN {CALLS} ON call.goal_id = g.id
                WHERE coalesce(g.root_id, g.id) = b.goal_id AND call.status NOT IN {OPEN})
    """,
    "4: the versions of an artifact are not 1, 2, 3, …": """
        SELECT g.id FROM goals_goal g JOIN artifacts_artifact a ON a.context_id = g.artifact_context_id
        GROUP BY g.id, a.name HAVING count(*) <> max(a.version) OR min(a.version) <> 1
    """,
    "5: the goal's seq is not its last event's": """
        SELECT id FROM goals_goal g
        WHERE g.seq <> (SELECT coalesce(max(seq), 0) FROM goals_event e WHERE e.goal_id = g.id)
    """,
    "6: a completed checkpoint lacks a passing verification": """
        SELECT c.goal_id FROM goals_checkpoint c LEFT JOIN goals_verification v ON v.id = c.proof_id
        WHERE c.status = 'completed' AND (v.met IS NOT TRUE OR v.checkpoint_id <> c.id)
    """,
    "6: a completed goal lacks a passing verification of its sealed verifier": """
        SELECT g.id FROM goals_goal g LEFT JOIN goals_verification v ON v.id = g.proof_id
        WHERE g.status = 'completed'
            AND (v.met IS NOT TRUE OR v.goal_id <> g.id OR v.checkpoint_id IS NOT NULL
                 OR v.digest <> g.verifier_digest)
    """,
    "6: an ended goal came back by itself": """
        SELECT e.goal_id FROM goals_event e JOIN goals_event after ON after.goal_id = e.goal_id AND after.seq > e.seq
        WHERE e.kind IN ('goal.completed', 'goal.failed', 'goal.cancelled')
            AND after.kind IN ('goal.started', 'goal.planned', 'goal.revised', 'goal.waiting', 'goal.completed',
                               'goal.failed', 'goal.cancelled', 'checkpoint.started', 'checkpoint.completed')
            AND NOT EXISTS (SELECT 1 FROM goals_event r
                WHERE r.goal_id = e.goal_id AND r.kind = 'goal.rearmed' AND r.seq BETWEEN e.seq AND after.seq)
    """,
    "10: a goal waits for a question that nobody was asked": """
        SELECT g.id FROM goals_goal g WHERE g.status = 'waiting' AND (g.waits_for = 'question' OR g.wake_at IS NULL)
            AND NOT EXISTS (SELECT 1 FROM goals_question q WHERE q.goal_id = g.id AND q.status = 'open')
    """,
    "10: a subgoal waits for nothing": """
        SELECT s.goal_id FROM goals_subgoal s WHERE s.status = 'waiting' AND (s.asked OR s.wake_at IS NULL)
            AND NOT EXISTS (SELECT 1 FROM goals_question q WHERE q.subgoal_id = s.id AND q.status = 'open')
    """,
    "10: an ended goal leaves something open": f"""
        SELECT g.id FROM goals_goal g WHERE g.status IN {ENDED} AND (
            EXISTS (SELECT 1 FROM goals_question q WHERE q.goal_id = g.id AND q.status = 'open')
            OR EXISTS (SELECT 1 FROM goals_checkpoint c WHERE c.goal_id = g.id AND c.finished_at IS NULL)
            OR EXISTS (SELECT 1 FROM goals_subgoal s WHERE s.goal_id = g.id AND s.finished_at IS NULL))
    """,
}


def violations() -> list[str]:
    """Return a line for each rule that is broken, with the goals that break it; empty when all hold."""
    found = []
    with connection.cursor() as cursor:
        for rule, query in RULES.items():
            cursor.execute(query)
            found += _told(rule, {row[0] for row in cursor.fetchall()})
    broken = [pk for pk in Goal.objects.values_list("pk", flat=True) if events.broken_at(pk) is not None]
    return found + _told("5: the history has a gap or a wrong digest", broken)


def _told(rule: str, goals: Iterable[Any]) -> list[str]:
    named = sorted(str(goal) for goal in goals)
    return [f"rule {rule}: {', '.join(named[:5])} ({len(named)} in all)"] if named else []


def hold() -> None:
    """Fail with the list of broken rules, if there are any."""
    broken = violations()
    assert not broken, "\n".join(broken)
