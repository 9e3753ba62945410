"""The walls of the house, held by reading the source: which way imports point, and who may write a status.

Source: DESIGN section 2 and 4. Every checker is also shown a module that breaks its rule.
"""

import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

HOME = Path(__file__).parent.parent
ROOMS = ("goalsite", "goals", "sops", "artifacts")
PURE = (
    "states",
    "tree",
    "decisions",
    "engine/goal",
    "engine/moves",
    "engine/parents",
    "engine/checkpoint",
    "engine/stack",
    "budget",
    "retry",
    "breaker",
    "progress",
    "window",
    "measures",
)
MAY_NOT_IMPORT = {
    "goals": {"goalsite", "tests"},
    "sops": {"goalsite", "goals", "artifacts", "tests"},
    "artifacts": {"goalsite", "goals", "sops", "tests"},
    "goalsite": {"tests"},
}
PICTURES = {"Snapshot", "GoalView", "CheckpointView", "Node"}
MAKES_PICTURES = {"goals/loop/snapshots.py", "goals/tree.py"}
WRITES_STATUS = {"goals/transitions.py"}
OTHER_NOUNS = {"EffectStatus", "QuestionStatus", "DeliveryStatus"}  # these have a status of their own
ROWS_WITH_STATUS = {"Goal", "Checkpoint", "Subgoal"}
RAW_UPDATE = re.compile(
    r"update\s+\"?goals_(goal|checkpoint|subgoal)\"?\s(?:(?!\bwhere\b).)*\bstatus\"?\s*=", re.I | re.S
)
SOURCES = sorted(path for room in ROOMS for path in (HOME / room).rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(HOME).as_posix()


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), str(path))


def imports(tree: ast.Module, path: str) -> Iterator[str]:
    """Yield every module that is imported anywhere in a module, with relative ones made absolute."""
    package = path.split("/")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def wrong_imports(tree: ast.Module, path: str) -> set[str]:
    forbidden = MAY_NOT_IMPORT[path.split("/")[0]]
    return {name for name in imports(tree, path) if name.split(".")[0] in forbidden}


def impure_imports(tree: ast.Module, path: str) -> set[str]:
    """What a pure module imports beyond the standard library, its pure siblings, and (states) the base of enums."""
    allowed = tuple(f"goals.{name.replace('/', '.')}" for name in PURE)
    extra = {"django.db.models", "django.db.models.TextChoices"} if path == "goals/states.py" else set()
    found = {name for name in imports(tree, path) if name.split(".")[0] not in sys.stdlib_module_names}
    inside = {name for name in found if name == "goals" or name.startswith(allowed)}
    return found - inside - extra


def made_pictures(tree: ast.Module, path: str = "") -> set[str]:
    """The picture types of `goals.tree` that a module constructs."""
    names, modules = {}, set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "goals.tree":
            names |= {alias.asname or alias.name: alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom) and node.module == "goals":
            modules |= {alias.asname or alias.name for alias in node.names if alias.name == "tree"}
    found = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name):
            found.add(names.get(node.func.id))
        if isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) in {*modules, "goals.tree"}:
            found.add(node.func.attr)
    return found & PICTURES


def status_writes(tree: ast.Module, path: str = "") -> list[str]:
    """The places that write a status of a goal, a checkpoint or a subgoal, or one that cannot be told from it."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            found += [node for target in node.targets for part in _parts(target, node.value) if _sets_status(*part)]
        if isinstance(node, ast.AugAssign | ast.AnnAssign) and node.value and _sets_status(node.target, node.value):
            found.append(node)
        if isinstance(node, ast.Call) and _call_sets_status(node):
            found.append(node)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and RAW_UPDATE.search(node.value):
            found.append(node)
    return [f"line {node.lineno}: {ast.unparse(node)}" for node in found]


def _parts(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    if not isinstance(target, ast.Tuple):
        return [(target, value)]
    values = value.elts if isinstance(value, ast.Tuple) else [value] * len(target.elts)
    return list(zip(target.elts, values, strict=True))


def _sets_status(target: ast.expr, value: ast.expr) -> bool:
    return isinstance(target, ast.Attribute) and target.attr == "status" and not _is_other_noun(value)


def _is_other_noun(value: ast.expr) -> bool:
    """Whether a value can only be the status of an effect, of a question, or of an HTTP response."""
    if not isinstance(value, ast.Attribute):
        return False
    return value.attr == "status_code" or ast.unparse(value.value).split(".")[-1] in OTHER_NOUNS


def _call_sets_status(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name == "setattr" and len(call.args) == 3 and ast.unparse(call.args[1]) == "'status'":
        return not _is_other_noun(call.args[2])
    if name == "bulk_update":
        return "'status'" in ast.unparse(call)
    of_rows = ast.unparse(call.func).split(".")[0] in ROWS_WITH_STATUS and name in {"create", *ROWS_WITH_STATUS}
    if name not in {"update", "update_or_create", "get_or_create"} and not of_rows:
        return False
    return any(keyword.arg == "status" and not _is_other_noun(keyword.value) for keyword in call.keywords)


def breaches(find: Callable, paths: Iterable[Path]) -> dict[str, Any]:
    """Return what a checker finds, by file; an empty dict is a house in order."""
    found = {name_of(path): find(parsed(path), name_of(path)) for path in paths}
    return {name: breach for name, breach in found.items() if breach}


def test_imports_run_one_way():
    assert breaches(wrong_imports, SOURCES) == {}


@pytest.mark.parametrize("name", PURE)
def test_the_pure_core_imports_only_the_standard_library_and_itself(name):
    path = HOME / "goals" / f"{name}.py"
    assert impure_imports(parsed(path), name_of(path)) == set()


@pytest.mark.parametrize("name", PURE)
def test_the_pure_core_asks_no_clock_and_throws_no_dice(name):
    clocks = {"time", "random", "secrets", "uuid", "os", "socket", "subprocess", "threading", "asyncio"}
    path = HOME / "goals" / f"{name}.py"
    tree = parsed(path)
    assert {module.split(".")[0] for module in imports(tree, name_of(path))} & clocks == set()
    called = {node.func.attr for node in ast.walk(tree) if isinstance(node, ast.Call) and hasattr(node.func, "attr")}
    assert called & {"now", "utcnow", "today"} == set()


def test_only_the_loop_turns_rows_into_pictures():
    others = [path for path in SOURCES if name_of(path) not in MAKES_PICTURES]
    assert breaches(made_pictures, others) == {}


def test_only_the_one_writer_sets_a_status():
    rooms = [path for path in SOURCES if name_of(path).split("/")[0] in {"goals", "goalsite"}]
    assert breaches(status_writes, [path for path in rooms if name_of(path) not in WRITES_STATUS]) == {}


def test_the_one_writer_is_where_the_checker_thinks():
    assert set(breaches(status_writes, SOURCES)) >= WRITES_STATUS
    assert set(breaches(made_pictures, SOURCES)) >= {"goals/loop/snapshots.py"}


# -- the checkers themselves


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("sops/a.py", "from goals.models import Goal"),
        ("sops/a.py", "import artifacts"),
        ("artifacts/a/b.py", "def f():\n    import sops.models as s"),
        ("goals/a.py", "from goalsite.settings import X"),
        ("goals/a/b.py", "from ...goalsite import settings"),
    ],
)
def test_an_import_against_the_direction_is_seen(path, text):
    assert wrong_imports(ast.parse(text), path)


@pytest.mark.parametrize("text", ["import django", "from goals.models import Goal", "from goals import services"])
def test_an_impure_import_is_seen(text):
    assert impure_imports(ast.parse(text), "goals/engine/goal.py")
    assert impure_imports(ast.parse("from django.db.models import Model"), "goals/states.py")


@pytest.mark.parametrize(
    "text",
    ["from goals.tree import Node as N\nN(1)", "from goals import tree\ntree.Snapshot(g)", "goals.tree.GoalView(1)"],
)
def test_a_picture_made_elsewhere_is_seen(text):
    assert made_pictures(ast.parse(text))


@pytest.mark.parametrize(
    "text",
    [
        "goal.status = GoalStatus.ACTIVE",
        "row.status = status",
        "a.status, b = 'active', 1",
        "Goal.objects.filter(pk=1).update(status='paused')",
        "setattr(goal, 'status', 'active')",
        "Goal(status='completed')",
        "Goal.objects.create(status='completed')",
        "Goal.objects.bulk_update(rows, ['status'])",
        "run('UPDATE goals_goal SET status = 1')",
    ],
)
def test_a_status_written_elsewhere_is_seen(text):
    assert status_writes(ast.parse(text))


@pytest.mark.parametrize(
    "text",
    [
        "call.status = EffectStatus.FAILED",
        "question.status, question.x = QuestionStatus.ANSWERED, 1",
        "rows.update(status=EffectStatus.UNKNOWN)",
        "Goal.objects.filter(status='active')",
        "run('UPDATE goals_goal SET seq = 1 WHERE status = 2')",
        "response.status",
        "row.status, row.body = response.status_code, response.data",
    ],
)
def test_the_status_of_an_effect_or_a_question_is_its_own(text):
    assert status_writes(ast.parse(text)) == []
