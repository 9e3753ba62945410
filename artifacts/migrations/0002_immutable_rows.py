"""The database itself refuses every change of an artifact, of its lineage and of a context.

TRUNCATE passes (row triggers do not see it): only the tables' owner may do it, and tests need it.
"""

from django.db import migrations

FUNCTIONS = """
CREATE FUNCTION artifacts_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% of % refused: what is written there never changes, a new value is a new version',
        TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION artifacts_refuse_late_lineage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM artifacts_artifact WHERE id = NEW.artifact_id AND created_at < transaction_timestamp()) THEN
        RAISE EXCEPTION 'lineage of artifact % refused: it is written with the artifact, never later', NEW.artifact_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION artifacts_set_context_path() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.path := ARRAY[NEW.id];
    IF NEW.parent_id IS NOT NULL THEN
        NEW.path := NEW.path || (SELECT path FROM artifacts_context WHERE id = NEW.parent_id);
        IF cardinality(NEW.path) < 2 THEN
            RAISE EXCEPTION 'context % has an unknown parent %', NEW.id, NEW.parent_id
                USING ERRCODE = 'foreign_key_violation';
        END IF;
    END IF;
    IF cardinality(NEW.path) > 32 THEN
        RAISE EXCEPTION 'contexts may be nested 32 deep' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
"""

TRIGGERS = """
CREATE TRIGGER artifact_never_changes BEFORE UPDATE OR DELETE ON artifacts_artifact
    FOR EACH ROW EXECUTE FUNCTION artifacts_refuse_change();
CREATE TRIGGER derivation_never_changes BEFORE UPDATE OR DELETE ON artifacts_derivation
    FOR EACH ROW EXECUTE FUNCTION artifacts_refuse_change();
CREATE TRIGGER derivation_never_later BEFORE INSERT ON artifacts_derivation
    FOR EACH ROW EXECUTE FUNCTION artifacts_refuse_late_lineage();
CREATE TRIGGER context_path BEFORE INSERT ON artifacts_context
    FOR EACH ROW EXECUTE FUNCTION artifacts_set_context_path();
CREATE TRIGGER context_never_changes BEFORE UPDATE ON artifacts_context
    FOR EACH ROW EXECUTE FUNCTION artifacts_refuse_change();
"""

UNDO = """
DROP TRIGGER context_never_changes ON artifacts_context;
DROP TRIGGER context_path ON artifacts_context;
DROP TRIGGER derivation_never_later ON artifacts_derivation;
DROP TRIGGER derivation_never_changes ON artifacts_derivation;
DROP TRIGGER artifact_never_changes ON artifacts_artifact;
DROP FUNCTION artifacts_set_context_path();
DROP FUNCTION artifacts_refuse_late_lineage();
DROP FUNCTION artifacts_refuse_change();
"""


class Migration(migrations.Migration):
    dependencies = [("artifacts", "0001_initial")]

    operations = [migrations.RunSQL(FUNCTIONS + TRIGGERS, UNDO)]
