"""The site as it is run for others: behind a proxy that ends TLS, from an image, with a key that changes."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
import yaml

from goalsite.children import BASE_DIR, answers
from tests.goalsite.processes import eventually
from tests.goalsite.test_asgi import free_port

DEPLOY = BASE_DIR / "goalsite" / "deploy"
BIN = Path(sys.executable).parent
KEY, OLD_KEY = "k" * 25 + "0123456789" * 3, "o" * 25 + "0123456789" * 3
PRODUCTION = {
    "GOALSITE_TLS": "yes",
    "GOALSITE_HSTS_SECONDS": "31536000",
    "GOALSITE_HSTS_SUBDOMAINS": "yes",
    "DJANGO_ALLOWED_HOSTS": "goals.example.org,127.0.0.1,localhost",
    "DJANGO_SECRET_KEY": KEY,
    "DJANGO_SECRET_KEY_FALLBACKS": OLD_KEY,
    "DJANGO_DEBUG": "no",
}
OVER_TLS = {"Host": "goals.example.org", "X-Forwarded-Proto": "https"}


def manage(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=BASE_DIR, env=environment, capture_output=True, text=True, timeout=120)


def test_the_deployment_check_has_nothing_to_say(tmp_path):
    environment = {"PATH": os.environ["PATH"], "GOALSITE_DATA_DIR": str(tmp_path), **PRODUCTION}
    ran = manage(environment, "check", "--deploy", "--fail-level", "WARNING")
    assert ran.returncode == 0, ran.stderr
    assert "no issues (0 silenced)" in ran.stdout


@pytest.fixture
def behind_tls(transactional_db, site_environment: dict[str, str]) -> Iterator[httpx2.Client]:
    """The command of the image, on this machine; the loopback is the proxy."""
    port = free_port()
    command = image()["CMD"]
    command[command.index("0.0.0.0")], command[command.index("8000")] = "127.0.0.1", str(port)
    environment = {**site_environment, **PRODUCTION, "FORWARDED_ALLOW_IPS": "127.0.0.1"}
    process = subprocess.Popen([sys.executable, "-m", *command], cwd=BASE_DIR, env=environment)
    try:
        eventually(lambda: answers("127.0.0.1", port), 60, "the server answers")
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}") as client:
            yield client
    finally:
        process.terminate()
        process.wait(60)


def test_behind_its_proxy_it_is_reached_over_tls_alone(behind_tls):
    plain = behind_tls.get("/login/", headers={"Host": "goals.example.org"})
    assert (plain.status_code, plain.headers["location"]) == (301, "https://goals.example.org/login/")
    safe = behind_tls.get("/login/", headers=OVER_TLS)
    assert safe.status_code == 200
    assert safe.headers["strict-transport-security"] == "max-age=31536000; includeSubDomains; preload"
    assert "Secure" in safe.headers["set-cookie"]
    assert behind_tls.get("/login/", headers={**OVER_TLS, "Host": "evil.example"}).status_code == 400
    assert behind_tls.get("/healthz").status_code == 200


def test_every_page_has_a_policy_without_inline_scripts(behind_tls):
    for path in ("/login/", "/admin/login/", "/api/docs/"):
        policy = behind_tls.get(path, headers=OVER_TLS).headers["content-security-policy"]
        scripts = next(part for part in policy.split(";") if part.strip().startswith("script-src"))
        assert "unsafe-inline" not in scripts, path
        assert "frame-ancestors 'none'" in policy, path


def test_what_an_earlier_key_signed_is_still_believed(tmp_path):
    sign = "from django.core import signing; print(signing.dumps('ada'))"
    read = "import sys; from django.core import signing; print(signing.loads(sys.argv[1]))"
    shared = {
        "PATH": os.environ["PATH"],
        "GOALSITE_DATA_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "goalsite.settings",
    }

    def python(code: str, *arguments: str, **keys: str) -> subprocess.CompletedProcess:
        command = [sys.executable, "-c", code, *arguments]
        return subprocess.run(command, cwd=BASE_DIR, env={**shared, **keys}, capture_output=True, text=True)

    signed = python(sign, DJANGO_SECRET_KEY=OLD_KEY).stdout.strip()
    rotated = {"DJANGO_SECRET_KEY": KEY, "DJANGO_SECRET_KEY_FALLBACKS": OLD_KEY}
    assert python(read, signed, **rotated).stdout.strip() == "ada"
    assert "BadSignature" in python(read, signed, DJANGO_SECRET_KEY=KEY).stderr


def image() -> dict:
    """The image's instructions that a machine can look at: what is copied, and the command."""
    text = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ")
    copied = [line.split()[1:-1] for line in re.findall(r"^COPY (?!--from).*$", text, re.M)]
    command = yaml.safe_load(re.search(r"^CMD (\[.*\])$", text, re.M).group(1))
    return {"COPY": [source for sources in copied for source in sources], "CMD": command}


def test_the_image_holds_every_room_of_the_site():
    tracked = subprocess.run(["git", "ls-files"], cwd=BASE_DIR, capture_output=True, text=True, check=True).stdout
    rooms = {path.split("/")[0] for path in tracked.splitlines() if path.endswith((".py", ".html"))} - {"tests"}
    assert rooms <= {source.removeprefix("./") for source in image()["COPY"]}
    for source in image()["COPY"]:
        assert (BASE_DIR / source).exists()
        assert f"!{source}" in (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()


def test_the_recipes_pass_their_linters():
    for command in (
        [BIN / "hadolint", "--failure-threshold", "info", DEPLOY / "Dockerfile"],
        [BIN / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", DEPLOY / "compose.yaml"],
    ):
        ran = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_recipes_name_only_settings_that_are_read():
    known = set(re.findall(r'"([A-Z][A-Z_]+)"', (BASE_DIR / "goalsite" / "settings.py").read_text()))
    known |= {"FORWARDED_ALLOW_IPS", "GOALSITE_HOST", "POSTGRES_PASSWORD"}
    given = set(re.findall(r"^([A-Z_]+)=", (DEPLOY / "example.env").read_text(), re.M))
    recipe = (DEPLOY / "compose.yaml").read_text()
    services = yaml.safe_load(recipe)["services"]
    for name in ("web", "worker", "prepare"):
        given |= set(services[name]["environment"])
    asked = set(re.findall(r"\$\{([A-Z_]+)", recipe))
    assert given | asked <= known
    assert asked <= set(re.findall(r"^([A-Z_]+)=", (DEPLOY / "example.env").read_text(), re.M))


def test_the_recipes_run_commands_that_are_there(site_environment, transactional_db):
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    assert services["worker"]["command"] == ["python", "-m", "goalsite.workers"]
    assert (BASE_DIR / "goalsite" / "workers.py").exists()
    ran = manage(site_environment, *shlex.split(" ".join(services["prepare"]["command"][2:])))
    assert ran.returncode == 0, ran.stderr


def test_the_queue_ends_no_task_whose_call_may_still_be_answered(tmp_path):
    code = "import goalsite.settings as s; print(s.Q_CLUSTER['timeout'], s.Q_CLUSTER['retry'])"
    environment = {"PATH": os.environ["PATH"], "GOALSITE_DATA_DIR": str(tmp_path)}
    environment |= {"GOALSITE_MODEL_TIMEOUT": "900", "GOALSITE_SLICE_SECONDS": "30"}
    ran = subprocess.run([sys.executable, "-c", code], cwd=BASE_DIR, env=environment, capture_output=True, text=True)
    timeout, retry = map(int, ran.stdout.split())
    assert 930 < timeout < retry


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DJANGO_SECRET_KEY_FALLBACKS", "short"),
        ("GOALSITE_TLS", "perhaps"),
        ("GOALSITE_CONNECTIONS", "1"),
        ("GOALSITE_CONTEXT_TOKENS", "4096"),
    ],
)
def test_a_bad_value_stops_the_start(tmp_path, name, value):
    environment = {"PATH": os.environ["PATH"], "GOALSITE_DATA_DIR": str(tmp_path), name: value}
    ran = manage(environment, "check")
    assert ran.returncode != 0
    assert name in ran.stderr
    assert "Traceback" not in ran.stderr
    assert name != "DJANGO_SECRET_KEY_FALLBACKS" or value not in ran.stderr
