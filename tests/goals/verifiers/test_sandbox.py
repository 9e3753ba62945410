"""Commands run away from the site. Each test runs at the full level and at the fallback level."""

import os
import socket
import subprocess
import sys
import time

import pytest

from goals.verifiers.errors import SandboxError
from goals.verifiers.sandbox import Limits, has_bubblewrap, run_command

LEVELS = [
    pytest.param(True, id="bubblewrap", marks=pytest.mark.skipif(not has_bubblewrap(), reason="no bubblewrap here")),
    pytest.param(False, id="fallback"),
]


@pytest.fixture(params=LEVELS)
def run(request, root):
    def call(command, folder=".", **limits):
        return run_command(command, str(root), folder, Limits(**({"seconds": 20} | limits)), bubblewrap=request.param)

    call.bubblewrap = request.param
    return call


def test_the_level_that_really_ran_is_recorded(run):
    words = run("true").isolation.split()
    assert "limits" in words
    assert ("bubblewrap" in words) is run.bubblewrap


def test_the_exit_code_and_the_output_come_back(run):
    result = run("echo out; echo err >&2; exit 3")
    assert (result.exit_code, result.output, result.stopped) == (3, "out\nerr\n", "")


def test_a_command_that_kills_itself_has_not_passed(run):
    assert run("kill -9 $$").exit_code == 137


def test_the_command_works_in_the_workspace(run, root):
    (root / "sub").mkdir()
    assert run("pwd; echo x > made", folder="sub").output == f"{root}/sub\n"
    assert (root / "sub" / "made").read_text() == "x\n"


def test_the_sites_environment_is_not_there(run, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    monkeypatch.setenv("DATABASE_URL", "postgres://secret")
    output = run("env; cat /proc/self/environ /proc/1/environ /proc/$PPID/environ 2>&1 | tr '\\0' '\\n'").output
    assert "secret" not in output


def test_the_environment_of_the_sites_process_cannot_be_read(run):
    """The process that runs this test carries a secret in its own start environment."""
    child = subprocess.Popen(["sleep", "30"], env={"TOKEN": "very-secret"})
    try:
        output = run(f"cat /proc/{child.pid}/environ /proc/{os.getpid()}/environ; ls /proc/{child.pid}").output
    finally:
        child.kill()
        child.wait()
    assert "very-secret" not in output
    assert "TOKEN" not in output


def test_a_secret_file_of_the_site_cannot_be_read(run, root, tmp_path):
    (tmp_path / "secret_key").write_text("very-secret")
    result = run(f"cat {tmp_path}/secret_key ../secret_key")
    assert result.exit_code != 0
    assert "very-secret" not in result.output


def test_a_link_to_a_secret_file_does_not_help(run, root, tmp_path):
    (tmp_path / "secret_key").write_text("very-secret")
    (root / "link").symlink_to(tmp_path / "secret_key")
    assert "very-secret" not in run("cat link").output


def test_nothing_outside_the_workspace_can_be_written(run, tmp_path):
    run(f"echo x > {tmp_path}/made; echo x > ../made; touch /usr/made /etc/made")
    assert not (tmp_path / "made").exists()
    assert not os.path.exists("/usr/made")
    assert not os.path.exists("/etc/made")


def test_there_is_no_network(run):
    """A real server on loopback waits for the command; it must not be reached."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"import socket; socket.create_connection(('127.0.0.1', {port}), 2); print('reached')"
        result = run(f'{sys.executable} -I -c "{code}"')
    assert result.exit_code != 0
    assert "reached" not in result.output


def test_a_command_that_takes_too_long_is_stopped_with_all_it_started(run, root):
    started = time.monotonic()
    result = run("sleep 987 & setsid sleep 987 & (trap '' TERM; sleep 987)", seconds=0.7)
    assert (result.exit_code, result.stopped) == (None, "time")
    assert time.monotonic() - started < 30
    assert _nobody_sleeps()


def test_what_a_command_leaves_behind_is_ended(run):
    assert run("sleep 987 & setsid sleep 987 & echo done").output == "done\n"
    assert _nobody_sleeps()


def test_a_command_that_closes_its_output_is_still_waited_for(run):
    assert run("exec >&- 2>&-; sleep 0.5; exit 4").exit_code == 4


def test_a_command_that_writes_without_end_is_stopped(run):
    result = run("yes", output=1 << 20)
    assert result.stopped == "output"
    assert len(result.output) <= 64 * 1024


def test_too_many_processes_are_stopped(run):
    result = run("for i in $(seq 120); do sleep 5 & done; sleep 5", processes=40)
    assert result.stopped == "processes" or "fork" in result.output.lower()


def test_memory_and_file_size_are_limited(run, root):
    assert run(f"{sys.executable} -I -c 'x = bytearray(300 << 20)'", memory=200 << 20).exit_code != 0
    run("head -c 5000000 /dev/zero > big", file_size=1 << 20)
    assert (root / "big").stat().st_size <= 1 << 20


def test_processor_time_is_limited(run):
    assert run("while :; do :; done", cpu_seconds=1, seconds=15).exit_code not in (0, None)


def test_python_and_its_packages_are_there(run):
    assert run("python -c 'import pytest; print(1)'").output == "1\n"


def test_the_sites_folder_inside_the_workspace_stays_hidden(run, root, settings):
    settings.GOALSITE_DATA_DIR = root / "data"
    (root / "data").mkdir()
    (root / "data" / "secret_key").write_text("very-secret")
    if not run.bubblewrap:
        with pytest.raises(SandboxError, match="need bubblewrap"):
            run("true")
        return
    assert "very-secret" not in run("cat data/secret_key").output


@pytest.mark.parametrize("folder", ["..", "/etc", "missing", "link"])
def test_the_folder_must_be_in_the_workspace(run, root, folder):
    (root / "link").symlink_to("/etc")
    with pytest.raises(SandboxError):
        run("true", folder=folder)


def _nobody_sleeps() -> bool:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
        if "sleep 987" not in listed.replace("sh -c", ""):
            return True
        time.sleep(0.1)
    return False
