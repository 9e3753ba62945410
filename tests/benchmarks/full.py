"""A database as it is after some years: `fill(goals)` writes goals with all that hangs on them, by INSERT … SELECT.

For each goal 20 events, 5 calls to the model, 5 uses of tools, 2 checkpoints with a subgoal and a proof each, a budget
and an artifact; every fifth has a conversation. They began over two years, and nine in ten thousand live. A third
belong to one person, the rest to three hundred. Keys are made of a row's time and number, so that rows find each other.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any

from django.db import connection, transaction
from django.db.models import NOT_PROVIDED, Field, Model

PEOPLE = 300
EVENTS, CALLS, STEPS = 20, 5, 2
HEAVY = "heavy"
FUNCTIONS = """
CREATE OR REPLACE FUNCTION pg_temp.key(at timestamptz, kind int, n bigint) RETURNS uuid IMMUTABLE LANGUAGE sql AS $$
    SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(kind), 3, '0')
        || '8' || lpad(to_hex(n), 15, '0'))::uuid $$;
CREATE OR REPLACE FUNCTION pg_temp.words(n bigint, pieces int) RETURNS text IMMUTABLE LANGUAGE sql AS $$
    SELECT string_agg(md5((n * 100 + piece)::text), ' ') FROM generate_series(1, pieces) AS piece $$;
CREATE TEMP TABLE fill AS
SELECT g, began, kind, status, (CASE WHEN g %% 3 = 0 THEN 0 ELSE 1 + g %% %(people)s END) AS person,
    pg_temp.key(began, 1, g) AS goal, pg_temp.key(began, 2, g) AS context,
    status IN ('completed', 'failed', 'cancelled') AS ended,
    CASE WHEN g %% 5 = 0 THEN pg_temp.key(began, 3, g) END AS conversation
FROM (
    SELECT g, now() - interval '730 days' * (%(goals)s - g + 1) / %(goals)s AS began, g %% 1000 AS kind,
        CASE WHEN g %% 1000 IN (1, 2) THEN 'waiting' WHEN g %% 1000 IN (3, 4, 5, 6) THEN 'paused'
            WHEN g %% 1000 IN (7, 8) THEN 'active' WHEN g %% 1000 = 9 THEN 'planning'
            WHEN g %% 10 = 0 THEN 'failed' WHEN g %% 25 = 1 THEN 'cancelled' ELSE 'completed' END AS status
    FROM generate_series(1, %(goals)s) AS g
) AS numbered;
CREATE UNIQUE INDEX ON fill (g);
ANALYZE fill;
"""
ZEROS = "repeat('0', 64)"
STEP = f"fill CROSS JOIN generate_series(0, {STEPS - 1}) AS step"
STEP_KEY = "pg_temp.key(began, 4, g * 10 + step)"
DONE = "(status IN ('completed', 'failed', 'cancelled') OR step = 0) AND status <> 'planning'"
AT = "began + step * interval '10 minutes'"
CALL = f"fill CROSS JOIN generate_series(0, {CALLS - 1}) AS i"
CALL_STEP = "i * 2 / 5"
MADE = "began + i * interval '90 seconds'"
EFFECT = {
    "goal_id": "goal",
    "checkpoint_id": f"pg_temp.key(began, 4, g * 10 + {CALL_STEP})",
    "subgoal_id": f"pg_temp.key(began, 5, g * 10 + {CALL_STEP})",
    "effect_class": "'pure'",
    "status": "CASE WHEN i = 4 AND g % 20 = 0 THEN 'failed' ELSE 'succeeded' END",
    "epoch": "1",
    "seconds": "1 + (g + i) % 9",
    "created_at": MADE,
    "finished_at": f"{MADE} + interval '5 seconds'",
}

Row = tuple[type[Model], str, dict[str, str]]


def fill(goals: int, told: Callable[[str], None] = print) -> None:
    """Write `goals` goals and what belongs to them; `told` hears how long each table took."""
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit = off; SET maintenance_work_mem = '256MB'; SET work_mem = '64MB'")
        people = _people()
        cursor.execute(FUNCTIONS % {"goals": goals, "people": PEOPLE})
        cursor.execute("CREATE TEMP TABLE owner AS SELECT * FROM unnest(%s::int[], %s::int[]) AS o(person, id)",
                       [list(range(PEOPLE + 1)), people])  # fmt: skip
        for group in (_trees(), _histories()):
            with transaction.atomic():  # a goal and its proof name each other
                for model, source, values in group:
                    began = time.monotonic()
                    cursor.execute(*_insert(model, source, values))
                    told(f"{model._meta.db_table:22} {cursor.rowcount:>9,} rows in {time.monotonic() - began:5.1f} s")
        began = time.monotonic()
        cursor.execute("DROP TABLE fill, owner")
        cursor.execute("VACUUM (ANALYZE)")
        told(f"{'vacuum and analyze':22} {'':>9}      in {time.monotonic() - began:5.1f} s")


def _people() -> list[int]:
    from django.contrib.auth.models import User

    names = [HEAVY, *(f"person{number}" for number in range(1, PEOPLE + 1))]
    User.objects.bulk_create([User(username=name, password="!", email=f"{name}@example.org") for name in names])
    return list(User.objects.filter(username__in=names).order_by("pk").values_list("pk", flat=True))


def _insert(model: type[Model], source: str, values: dict[str, str]) -> tuple[str, list[Any]]:
    """Return the statement: named columns by their expressions, all others by their fields' defaults."""
    names, parts, given = [], [], []
    for field in model._meta.concrete_fields:
        if field.attname in values:
            part = values[field.attname].replace("%", "%%")
        elif (
            getattr(field, "db_default", NOT_PROVIDED) is not NOT_PROVIDED
            or field.get_internal_type() == "BigAutoField"
        ):
            continue
        else:
            part, value = "%s", _default(field)
            given.append(value)
        names.append(f'"{field.column}"')
        parts.append(part)
    into = f"{model._meta.db_table} ({', '.join(names)})"
    return f"INSERT INTO {into} SELECT {', '.join(parts)} FROM {source.replace('%', '%%')}", given


def _default(field: Field) -> Any:
    return field.get_db_prep_save(field.get_default(), connection)


def _trees() -> Iterator[Row]:
    from artifacts.models import Context
    from goals import models

    owned = "fill JOIN owner USING (person)"
    yield models.Conversation, f"{owned} WHERE conversation IS NOT NULL", {
        "id": "conversation", "owner_id": "owner.id", "title": "'Talk ' || g || ' about the archive'",
        "last_number": "3", "created_at": "began", "updated_at": "began + interval '1 hour'",
    }  # fmt: skip
    yield Context, "fill", {"id": "context", "created_at": "began", "path": "ARRAY[context]"}
    yield models.Verification, f"{STEP} WHERE {DONE}", {
        "id": "pg_temp.key(began, 6, g * 10 + step)", "goal_id": "goal", "checkpoint_id": STEP_KEY, **_verdict(AT),
    }  # fmt: skip
    yield models.Verification, "fill WHERE status = 'completed'", {
        "id": "pg_temp.key(began, 6, g * 10 + 9)", "goal_id": "goal", **_verdict("began + interval '1 hour'"),
    }  # fmt: skip
    yield models.Goal, owned, {
        "id": "goal", "owner_id": "owner.id", "conversation_id": "conversation", "artifact_context_id": "context",
        "objective": "'Put part ' || g || ' of the archive in order, and say what is missing: ' || pg_temp.words(g, 3)",
        "status": "status",
        "outcome": "CASE status WHEN 'completed' THEN 'achieved' WHEN 'failed' THEN 'error' ELSE '' END",
        "reason": "CASE WHEN status IN ('paused', 'failed', 'cancelled') THEN 'Asked for by hand.' ELSE '' END",
        "paused_for": "CASE WHEN status = 'paused' THEN "
                      "(ARRAY['user', 'budget', 'no_progress', 'error'])[1 + g / 1000 % 4] ELSE '' END",
        "waits_for": "CASE WHEN status = 'waiting' THEN 'question' ELSE '' END",
        "wake_at": "CASE WHEN status IN ('active', 'planning') THEN now() + interval '10 years' END",
        "verifier": """'{"type": "llm", "condition": "The archive is in order."}'::jsonb""", "verifier_digest": ZEROS,
        "proof_id": "CASE WHEN status = 'completed' THEN pg_temp.key(began, 6, g * 10 + 9) END",
        "plan_due": "status = 'planning'", "seq": str(EVENTS), "chain": ZEROS, "lease_epoch": "1",
        "created_at": "began", "started_at": "began", "iteration_started_at": "began",
        "finished_at": "CASE WHEN ended THEN began + interval '1 hour' END",
    }  # fmt: skip
    yield models.Checkpoint, STEP, {
        "id": STEP_KEY, "goal_id": "goal", "position": "step", "title": "'Step ' || step || ' of part ' || g",
        "description": "pg_temp.words(g, 4)", "predicate": "'execute'", "operation": "'think'",
        "status": f"CASE WHEN {DONE} THEN 'completed' ELSE 'pending' END", "attempts": "1",
        "proof_id": f"CASE WHEN {DONE} THEN pg_temp.key(began, 6, g * 10 + step) END", "created_at": "began",
        "started_at": AT, "finished_at": f"CASE WHEN {DONE} THEN {AT} + interval '9 minutes' END",
    }  # fmt: skip
    yield models.Subgoal, STEP, {
        "id": "pg_temp.key(began, 5, g * 10 + step)", "goal_id": "goal", "checkpoint_id": STEP_KEY,
        "gloss": "'Do step ' || step || ' of part ' || g", "predicate": "'execute'", "operation": "'think'",
        "status": f"CASE WHEN {DONE} THEN 'achieved' ELSE 'pending' END", "created_at": AT, "started_at": AT,
        "finished_at": f"CASE WHEN {DONE} THEN {AT} + interval '9 minutes' END",
    }  # fmt: skip


def _histories() -> Iterator[Row]:
    from artifacts.models import Artifact
    from goals import models

    resources = "unnest(ARRAY['model_calls', 'tokens', 'cost_usd', 'seconds'], ARRAY[5, 4900, 0.006, 50])"
    yield models.Budget, f"fill CROSS JOIN {resources} AS line(resource, used)", {
        "id": "uuidv7()", "goal_id": "goal", "resource": "resource", "used": "used",
        "limit": "CASE WHEN resource = 'cost_usd' THEN CASE WHEN g % 50 = 0 THEN 0.0062 ELSE 5 END END",
    }  # fmt: skip
    yield models.ModelCall, CALL, {
        **EFFECT, "id": "pg_temp.key(began, 7, g * 10 + i)", "scope": "md5('m' || g * 10 + i)",
        "key": "md5('mk' || g * 10 + i)", "purpose": "(ARRAY['act', 'judge_outcome', 'summarise_context'])[1 + i % 3]",
        "role": "(ARRAY['worker', 'judge', 'summariser'])[1 + i % 3]", "model": "(ARRAY['small', 'large'])[1 + g % 2]",
        "input_tokens": "900", "output_tokens": "80", "cost_usd": "0.0012",
        "request": "jsonb_build_object('messages', jsonb_build_array(jsonb_build_object('role', 'user', 'content', "
                   "pg_temp.words(g * 10 + i, 20))))",
        "response": "jsonb_build_object('text', pg_temp.words(g * 10 + i, 4))",
    }  # fmt: skip
    yield models.ToolCall, CALL, {
        **EFFECT, "id": "pg_temp.key(began, 8, g * 10 + i)", "scope": "md5('t' || g * 10 + i)",
        "key": "md5('tk' || g * 10 + i)", "tool": "(ARRAY['read_file', 'list_files', 'write_file'])[1 + i % 3]",
        "summary": "'read part ' || g", "request": """'{"input": {"path": "part.txt"}}'::jsonb""",
        "response": "jsonb_build_object('value', pg_temp.words(g * 10 + i, 6))",
    }  # fmt: skip
    yield models.Question, "fill JOIN owner USING (person) WHERE g % 20 = 3 OR status = 'waiting'", {
        "id": "pg_temp.key(began, 9, g)", "goal_id": "goal",
        "kind": "CASE WHEN g % 1000 = 2 THEN 'approval' ELSE 'information' END", "prompt": "'Which archive? ' || g",
        "status": "CASE WHEN status = 'waiting' THEN 'open' ELSE 'answered' END",
        "answer": "CASE WHEN status = 'waiting' THEN NULL ELSE '\"the second\"'::jsonb END",
        "created_at": "began", "closed_at": "CASE WHEN status = 'waiting' THEN NULL ELSE began END",
    }  # fmt: skip
    yield models.Message, "fill JOIN owner USING (person) CROSS JOIN generate_series(1, 3) AS number "\
        "WHERE conversation IS NOT NULL", {
        "id": "uuidv7()", "conversation_id": "conversation", "number": "number", "goal_id": "goal",
        "role": "CASE WHEN number = 1 THEN 'user' ELSE 'assistant' END", "content": "'It is about part ' || g",
        "interpreted_at": "began", "created_at": "began",
    }  # fmt: skip
    yield Artifact, "fill", {
        "id": "pg_temp.key(began, 10, g)", "context_id": "context", "name": "'report'", "type": "'text'",
        "value": "to_jsonb(pg_temp.words(g, 4))", "size": "130", "description": "'What was found in part ' || g",
        "created_at": "began",
    }  # fmt: skip
    yield models.Event, f"fill CROSS JOIN generate_series(1, {EVENTS}) AS seq", {
        "id": "pg_temp.key(began + seq * interval '30 seconds', 11, g * 100 + seq)", "goal_id": "goal", "seq": "seq",
        "kind": "(ARRAY['model.called', 'tool.called', 'subgoal.started', 'verifier.ran'])[1 + seq % 4]",
        "payload": "jsonb_build_object('call', pg_temp.key(began, 7, g * 10 + seq % 5), 'purpose', 'act', 'model', "
                   "'small', 'status', 'succeeded', 'seconds', 2.0, 'cost_usd', '0.0012')",
        "at": "began + seq * interval '30 seconds'", "digest": ZEROS,
    }  # fmt: skip


def _verdict(at: str) -> dict[str, str]:
    return {
        "verifier": """'{"type": "llm", "condition": "It is in order."}'::jsonb""", "digest": ZEROS, "met": "true",
        "reason": "'Everything is there.'", "evidence": "pg_temp.words(g, 6)", "created_at": at,
    }  # fmt: skip
