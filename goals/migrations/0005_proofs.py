"""The database itself holds rule 6: what is completed has a passing verification of its own sealed verifier.

A verifier is sealed once, with its digest; it never changes after that, nor does what a verification has said. That a
broken verifier has met nothing is a CHECK of its row; that a proof cannot be deleted without what it proves is held by
the foreign keys, at the commit: a whole goal can go.
"""

from django.db import migrations, models

FUNCTIONS = """
CREATE FUNCTION goals_goal_needs_proof() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT 1 FROM goals_verification v
        WHERE v.id = NEW.proof_id AND v.goal_id = NEW.id AND v.checkpoint_id IS NULL
            AND v.met AND v.digest = NEW.verifier_digest
    ) THEN
        RAISE EXCEPTION 'completing goal % refused: its proof is no passing verification of its sealed verifier', NEW.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION goals_checkpoint_needs_proof() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT 1 FROM goals_verification v
        WHERE v.id = NEW.proof_id AND v.goal_id = NEW.goal_id AND v.checkpoint_id = NEW.id
            AND v.met AND (NEW.verifier IS NULL OR v.verifier = NEW.verifier)
    ) THEN
        RAISE EXCEPTION 'completing checkpoint % refused: its proof is no passing verification of its own', NEW.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION goals_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% of % refused: a sealed verifier and what a verification said never change',
        TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
"""

TRIGGERS = """
CREATE TRIGGER goal_completed_by_its_proof BEFORE UPDATE OF status, proof_id ON goals_goal FOR EACH ROW
    WHEN (NEW.status = 'completed' AND (OLD.status <> 'completed' OR NEW.proof_id IS DISTINCT FROM OLD.proof_id))
    EXECUTE FUNCTION goals_goal_needs_proof();
CREATE TRIGGER goal_begins_with_its_proof BEFORE INSERT ON goals_goal FOR EACH ROW
    WHEN (NEW.status = 'completed') EXECUTE FUNCTION goals_goal_needs_proof();
CREATE TRIGGER goal_verifier_never_changes BEFORE UPDATE OF verifier, verifier_digest ON goals_goal FOR EACH ROW
    WHEN (OLD.verifier_digest <> ''
        AND (NEW.verifier IS DISTINCT FROM OLD.verifier OR NEW.verifier_digest <> OLD.verifier_digest))
    EXECUTE FUNCTION goals_refuse_change();
CREATE TRIGGER checkpoint_completed_by_its_proof BEFORE UPDATE OF status, proof_id ON goals_checkpoint FOR EACH ROW
    WHEN (NEW.status = 'completed' AND (OLD.status <> 'completed' OR NEW.proof_id IS DISTINCT FROM OLD.proof_id))
    EXECUTE FUNCTION goals_checkpoint_needs_proof();
CREATE TRIGGER checkpoint_begins_with_its_proof BEFORE INSERT ON goals_checkpoint FOR EACH ROW
    WHEN (NEW.status = 'completed') EXECUTE FUNCTION goals_checkpoint_needs_proof();
CREATE TRIGGER checkpoint_verifier_never_changes BEFORE UPDATE OF verifier ON goals_checkpoint FOR EACH ROW
    WHEN (NEW.verifier IS DISTINCT FROM OLD.verifier) EXECUTE FUNCTION goals_refuse_change();
CREATE TRIGGER verification_never_changes BEFORE UPDATE ON goals_verification
    FOR EACH ROW EXECUTE FUNCTION goals_refuse_change();
"""

UNDO = """
DROP TRIGGER verification_never_changes ON goals_verification;
DROP TRIGGER checkpoint_verifier_never_changes ON goals_checkpoint;
DROP TRIGGER checkpoint_begins_with_its_proof ON goals_checkpoint;
DROP TRIGGER checkpoint_completed_by_its_proof ON goals_checkpoint;
DROP TRIGGER goal_verifier_never_changes ON goals_goal;
DROP TRIGGER goal_begins_with_its_proof ON goals_goal;
DROP TRIGGER goal_completed_by_its_proof ON goals_goal;
DROP FUNCTION goals_refuse_change();
DROP FUNCTION goals_checkpoint_needs_proof();
DROP FUNCTION goals_goal_needs_proof();
"""


def proof(related_name: str) -> models.ForeignKey:
    return models.ForeignKey(
        "goals.Verification", on_delete=models.RESTRICT, null=True, blank=True, related_name=related_name
    )


class Migration(migrations.Migration):
    dependencies = [("goals", "0004_resumes")]

    operations = [
        # A proof goes with what it proves, never alone (PROTECT would keep a completed goal for ever).
        migrations.AlterField("goal", "proof", proof("proves_goals")),
        migrations.AlterField("checkpoint", "proof", proof("proves_checkpoints")),
        migrations.AddConstraint(
            model_name="goal",
            constraint=models.CheckConstraint(
                name="goal_verifier_has_its_digest",
                condition=models.Q(verifier__isnull=True, verifier_digest="")
                | (models.Q(verifier__isnull=False) & ~models.Q(verifier_digest="")),
            ),
        ),
        migrations.RunSQL(FUNCTIONS + TRIGGERS, UNDO),
    ]
