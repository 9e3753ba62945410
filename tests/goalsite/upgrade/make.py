"""Makes the rows of a release, with goals in every state, for the test of the upgrade from it.

Run it in a checkout of that release, with that release's packages, so that its own code has written every row:

    PYTHONPATH=. python .../tests/goalsite/upgrade/make.py | gzip -9n > goals_NNNN.json.gz

A worker is really killed in a call, calls really fail, and nothing is written by hand. Folders are written as {DATA}.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
import django

django.setup()

sys.path.append(str(Path(__file__).parent))
from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection, connections  # noqa: E402
from script import DONE, SCRIPT  # noqa: E402

LEFT_OUT = ("goals_tally",)
TROUBLE = {"act": {"match": {"be killed": {**DONE, "delay": 60}, "sleep": {"status": 503}, "*": DONE}}}


def drive(goal, until, seconds=60):
    from goals.models import Goal
    from goals.tasks import Slice

    give_up = time.monotonic() + seconds
    while not until(found := Goal.objects.get(pk=goal.pk)):
        if time.monotonic() > give_up:
            raise SystemExit(f"{goal.objective}: still {found.status} ({found.reason})")
        Slice(lambda: until(Goal.objects.get(pk=goal.pk)), only=[goal.pk], linger=0).run()
    return found


def killed_in_a_call(goal):
    """Drive it in a process of its own, and kill that while its call is in flight."""
    from goals.models import ModelCall
    from goals.tasks import Slice

    connections.close_all()
    child = os.fork()
    if child == 0:
        Slice(lambda: False, only=[goal.pk]).run()
        os._exit(0)
    while not ModelCall.objects.filter(goal=goal, purpose="act", status="intended").exists():
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def make(endpoint):
    from django.contrib.auth import get_user_model

    from goals import services
    from goals.models import Checkpoint

    owner = get_user_model().objects.create_superuser("ada", password=None)

    def submit(objective, **wishes):
        return services.submit(owner=owner, objective=objective, **wishes)

    submit("Be planned later")
    killed_in_a_call(submit("Be killed: it must be killed"))
    drive(submit("Please ask for a name"), lambda goal: goal.waits_for == "question")
    drive(submit("Show the plan first", plan_approval=True), lambda goal: goal.waits_for == "question")
    drive(submit("Now sleep a while"), lambda goal: goal.waits_for == "timer")
    watch = {"type": "data", "path": "done.txt", "contains": "yes"}
    watched = submit("Watch the file", mode="monitor", verifier=watch, options={"interval": 5})
    drive(watched, lambda goal: goal.waits_for == "watch")
    rest = submit("Rest after the first step")
    drive(rest, lambda goal: Checkpoint.objects.filter(goal=goal, status="completed").exists())
    services.pause(owner, rest.pk, reason="for the night")
    drive(submit("Run out of calls", limits={"model_calls": 3}), lambda goal: goal.status == "paused")
    drive(submit("Be done"), lambda goal: goal.status == "completed")
    drive(
        submit("It will never be met", options={"max_iterations": 1, "max_revisions": 0, "max_checkpoint_attempts": 1}),
        lambda goal: goal.is_ended or goal.status == "paused",
    )
    services.cancel(owner, submit("Be cancelled").pk, reason="not wanted any more")


def rows():
    """Every row of ours, table by table, as JSON."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_name ~ %s "
            "AND table_name <> ALL(%s) ORDER BY 1",
            ["^(goals|artifacts)_|^auth_user$", list(LEFT_OUT)],
        )
        tables = [row[0] for row in cursor.fetchall()]
        found = {}
        for table in tables:
            cursor.execute(f"SELECT coalesce(jsonb_agg(to_jsonb(t)), '[]') FROM {table} t")
            found[table] = json.loads(cursor.fetchone()[0])
        return {table: kept for table, kept in found.items() if kept}


def main():
    from tests.endpoint import Endpoint

    call_command("migrate", verbosity=0)
    with Endpoint({**SCRIPT, **TROUBLE}) as endpoint:
        settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = endpoint.url, "test"
        settings.GOALSITE_REHEARSAL, settings.GOALSITE_MODEL_PRICE = False, (1, 2)
        make(endpoint)
    told = json.dumps(rows(), ensure_ascii=False, sort_keys=True)
    sys.stdout.write(told.replace(str(settings.GOALSITE_DATA_DIR), "{DATA}") + "\n")


main()
