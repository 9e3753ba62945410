"""The API does what its schema says: schemathesis reads the schema and tries the running site by it."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command

from artifacts.services import lookup
from goals.models import ApiToken
from tests.goals.api.site import Site

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.drill]
SCHEMATHESIS = Path(sys.executable).parent / "schemathesis"
# What the schema allows a service may still refuse: there is no such procedure, that verifier needs a permission.
LEFT_OUT = "positive_data_acceptance"
# Nobody is too fast, and a wait is short.
SETTINGS = {"GOALSITE_API_READS": "0", "GOALSITE_API_CHANGES": "0", "GOALSITE_API_WAIT": "1"}
# What was seen is compared before a body is read (RFC 9110, 13.2.1): 412 refuses a bad body, too.
REFUSALS = """[checks]
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 406, 409, 412, 415, 422, 429, "5xx"]
"""
EXAMPLES = "60" if os.environ.get("GOALSITE_DRILL") == "full" else "6"


@pytest.fixture
def site(site_environment: dict[str, str]) -> Iterator[str]:
    """The web server's address."""
    running = Site(site_environment, **SETTINGS)
    try:
        yield running.url
    finally:
        running.stop()


def known(goal, question, conversation) -> str:
    """schemathesis's configuration: which rows there are for the addresses to name."""
    checkpoint = goal.checkpoints.create(position=9, title="Later", predicate="composite")
    subgoal = goal.subgoals.create(checkpoint=checkpoint, gloss="Later", predicate="execute")
    artifact = lookup(goal.artifact_context_id, "part0")
    below = {"path.checkpoint": checkpoint.pk, "path.subgoal": subgoal.pk}
    rows = {
        "/api/goals/\\{id\\}/": {"path.id": goal.pk, **below},
        "/api/questions/\\{id\\}/": {"path.id": question.pk},
        "/api/conversations/\\{id\\}/": {"path.id": conversation.pk},
        "/api/goal/\\{id\\}/": {"path.id": conversation.pk},
        "/api/artifacts/\\{id\\}/": {"path.id": artifact.pk},
    }
    told = [REFUSALS]
    for address, parameters in rows.items():
        named = ", ".join(f'"{name}" = "{value}"' for name, value in parameters.items())
        told.append(f"[[operations]]\ninclude-path-regex = '{address}'\nparameters = {{ {named} }}\n")
    return "\n".join(told)


def test_the_running_site_is_as_its_schema_says(site, worked, question, conversation, operator, tmp_path):
    call_command("load_sops", verbosity=0)
    worked.owner = operator
    worked.save()
    conversation.owner = operator
    conversation.save()
    (tmp_path / "schemathesis.toml").write_text(known(worked, question, conversation))
    _, secret = ApiToken.objects.issue(operator, name="contract", scopes=["read", "act", "operate"])
    ran = subprocess.run(
        [
            *(SCHEMATHESIS, "run", f"{site}/api/schema/", "--url", site, "-H", f"Authorization: Bearer {secret}"),
            *("--phases", "coverage,fuzzing", "--max-examples", EXAMPLES, "--seed", "1", "--workers", "1"),
            *("--exclude-checks", LEFT_OUT, "--no-color"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert ran.returncode == 0, ran.stdout[-12_000:]
    tested, selected = (int(re.search(rf"{word}: (\d+)", ran.stdout)[1]) for word in ("Tested", "Selected"))
    assert tested == selected > 50
