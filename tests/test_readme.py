"""The README says what is so: its commands, settings, words and diagrams are held against the code."""

import ast
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from django.core.management import get_commands

from goals import roles
from goals.management.base import DONE, FAILED, WAITING, WRONG_USAGE
from goals.states import EffectClass, Kind, Mode, Operation, Predicate, QuestionKind, Resource, Risk, mermaid

HOME = Path(__file__).parent.parent
README = (HOME / "README.md").read_text()
LINES = README.splitlines()
BLOCKS = re.findall(r"^```\w*\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
INSTALL = "python3 -m venv .venv && .venv/bin/pip install -q uv && .venv/bin/uv pip install -q --system-certs -r "
START = f"{INSTALL}requirements.txt && .venv/bin/python manage.py up"
TEST = f"{INSTALL}requirements-dev.txt && .venv/bin/python -m pytest"
ROLES = ("PLANNER", "WORKER", "JUDGE", "SUMMARISER")


def section(title: str) -> str:
    return README.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def table(text: str, number: int = 0) -> dict[str, list[str]]:
    """Return the rows of one table of a text by their first cell."""
    found = re.findall(r"(?:^\|.*\n)+", text + "\n", re.MULTILINE)[number]
    rows = [line.strip("|").split("|") for line in found.splitlines()]
    return {row[0].strip().strip("`"): [cell.strip() for cell in row[1:]] for row in rows[2:]}


def settings_in_code() -> dict[str, str | None]:
    """Return the variables that `settings.py` reads, with their default where it is written out."""
    found: dict[str, str | None] = {}
    for node in ast.walk(ast.parse((HOME / "goalsite" / "settings.py").read_text())):
        if not isinstance(node, ast.Call) or ast.unparse(node.func).split(".")[0] != "env":
            continue
        if isinstance(node.args[0], ast.JoinedStr):
            found |= {f"GOALSITE_MODEL_{role}": None for role in ROLES}
            continue
        default = next((word.value for word in node.keywords if word.arg == "default"), None)
        plain = isinstance(default, ast.Constant) and default.value != ""
        found[node.args[0].value] = str(default.value) if plain else None
    return found


def test_it_says_what_it_is_in_five_lines_and_then_how_to_start_and_to_test():
    assert LINES[0] == "# Goalsite"
    assert all(LINES[2:7])
    assert LINES[7] == ""
    assert BLOCKS[0] == START + "\n"
    assert BLOCKS[1] == TEST + "\n"


def test_it_tells_what_each_group_grants():
    assert [line for line in section("Who may do what").splitlines() if "| the group" in line] == list(roles.table())


def test_the_test_command_is_the_one_that_ci_runs():
    assert TEST in (HOME / ".ci" / "run").read_text().splitlines()


@pytest.mark.parametrize("kind", list(Kind))
def test_the_diagrams_are_made_from_the_table(kind):
    assert mermaid(kind) + "\n" in BLOCKS


def test_every_setting_is_there_with_its_default():
    told, known = table(section("Settings")), settings_in_code()
    assert set(told) == set(known)
    for name, default in known.items():
        if default is not None:
            assert told[name][0] == f"`{default}`", name


def test_every_command_is_there_and_exists():
    ours = {name for name, app in get_commands().items() if app in {"goals", "goalsite", "sops", "artifacts"}}
    told = {name.split()[0] for name in table(section("Commands"))}
    assert told == ours
    mentioned = set(re.findall(r"manage\.py ([a-z_]+)", README))
    assert mentioned <= ours


def test_the_exit_codes_are_those_of_the_code():
    codes = table(section("Commands"), 1)
    assert {int(code) for code in codes} == {DONE, FAILED, WAITING, WRONG_USAGE}


@pytest.mark.parametrize("words", [Predicate, Operation, Mode, EffectClass, Risk, QuestionKind, Resource])
def test_the_glossary_has_the_codes_words(words):
    assert [word.value for word in words if f"`{word.value}`" not in section("Glossary")] == []


def test_what_it_points_to_is_there():
    files = re.findall(r"(?:^|[\s`(])((?:goals|goalsite|sops|artifacts|tests)/[\w/.]*\w)", README)
    assert files
    assert [name for name in files if not (HOME / name).exists()] == []
    modules = set(re.findall(r"-m (tests\.[\w.]+)", README))
    assert modules
    assert all(find_spec(name) for name in modules)


def test_it_names_no_registry_and_no_path_of_one_machine():
    assert re.findall(r"pypi|pythonhosted|/work/|/opt/|/tmp/|/root/", README) == []
    assert re.findall(r"https?://(?!127\.0\.0\.1|goals\.example\.org)\S+", README) == []


def test_decisions_have_a_sentence_as_title_and_a_paragraph_as_body():
    notes = section("Decisions").strip().split("\n\n")
    assert len(notes) >= 12
    assert all(re.match(r"\*\*[A-Z][^*]+\.\*\* \S", note) for note in notes)
