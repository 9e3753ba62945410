from django.db import migrations

ADD_UP = """
INSERT INTO goals_spend (hour, owner_id, model, sop, usd, calls, tokens)
SELECT date_trunc('hour', call.finished_at, 'UTC'), coalesce(goal.owner_id, conversation.owner_id), call.model,
    coalesce(sop.slug, ''), sum(call.cost_usd), count(*), sum(call.input_tokens + call.output_tokens)
FROM goals_modelcall call
LEFT JOIN goals_goal goal ON goal.id = call.goal_id
LEFT JOIN goals_conversation conversation ON conversation.id = call.conversation_id
LEFT JOIN sops_sopversion version ON version.id = goal.sop_version_id
LEFT JOIN sops_sop sop ON sop.id = version.sop_id
WHERE call.finished_at < coalesce((SELECT min(hour) FROM goals_spend), 'infinity')
GROUP BY 1, 2, 3, 4
"""


class Migration(migrations.Migration):
    """Spend by the hour of the calls that were made before it was kept."""

    dependencies = [("goals", "0035_events_of_a_kind"), ("sops", "0001_procedures")]

    operations = [migrations.RunSQL(ADD_UP, migrations.RunSQL.noop)]
