"""The API does what its schema says: schemathesis reads the schema and tries the running site by it."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command

from goals.models import ApiToken
from tests.goals.api.site import Site

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.drill]
SCHEMATHESIS = Path(sys.executable).parent / "schemathesis"
# What the schema allows a service may still refuse: there is no such procedure, that verifier needs a permission.
LEFT_OUT = "positive_data_acceptance"
# Nobody is too fast, and a wait is short.
SETTINGS = {"GOALSITE_API_READS": "0", "GOALSITE_API_CHANGES": "0", "GOALSITE_API_WAIT": "1"}
EXAMPLES = "60" if os.environ.get("GOALSITE_DRILL") == "full" else "6"


@pytest.fixture
def site(site_environment: dict[str, str]) -> Iterator[str]:
    """The web server's address."""
    running = Site(site_environment, **SETTINGS)
    try:
        yield running.url
    finally:
        running.stop()


def test_the_running_site_is_as_its_schema_says(site, worked, operator, tmp_path):
    call_command("load_sops", verbosity=0)
    worked.owner = operator
    worked.save()
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
    operations = re.search(r"(\d+) total", ran.stdout)
    assert operations is not None
    assert f"Tested: {operations[1]}" in ran.stdout
