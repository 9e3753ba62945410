"""An operator may seal another verifier: the one way is to count the seal in the same change."""

from django.db import migrations, models

BY_COUNTING = """
DROP TRIGGER goal_verifier_never_changes ON goals_goal;
CREATE TRIGGER goal_verifier_never_changes BEFORE UPDATE OF verifier, verifier_digest ON goals_goal FOR EACH ROW
    WHEN (OLD.verifier_digest <> ''
        AND (NEW.verifier IS DISTINCT FROM OLD.verifier OR NEW.verifier_digest <> OLD.verifier_digest)
        AND (NEW.seals <> OLD.seals + 1 OR NEW.finished_at IS NOT NULL))
    EXECUTE FUNCTION goals_refuse_change();
"""
NEVER = """
DROP TRIGGER goal_verifier_never_changes ON goals_goal;
CREATE TRIGGER goal_verifier_never_changes BEFORE UPDATE OF verifier, verifier_digest ON goals_goal FOR EACH ROW
    WHEN (OLD.verifier_digest <> ''
        AND (NEW.verifier IS DISTINCT FROM OLD.verifier OR NEW.verifier_digest <> OLD.verifier_digest))
    EXECUTE FUNCTION goals_refuse_change();
"""


class Migration(migrations.Migration):
    dependencies = [("goals", "0022_one_index_a_need")]

    operations = [
        migrations.AddField(
            model_name="goal",
            name="seals",
            field=models.PositiveIntegerField(
                default=0, editable=False, help_text="How often an operator has changed the sealed verifier."
            ),
        ),
        migrations.RunSQL(BY_COUNTING, NEVER),
    ]
