"""The inventory of Python modules: nothing public is passed over, and what is not taken in is told."""

import pytest

from goals.tools.errors import ToolInputError


def module(root, call, text):
    (root / "m.py").write_text(f'"""M."""\n{text}')
    return call("inspect_python_modules")["modules"][0]


@pytest.mark.parametrize(
    "opening",
    [
        "if 1:",
        "with open('x') as f:",
        "for i in range(2):",
        "while 1:",
        "for i in ():\n    pass\nelse:",
        "try:\n    pass\nexcept* ValueError:",
        "try:\n    pass\nfinally:",
        "match 1:\n  case 1:",
        "with a:\n  for i in b:",
    ],
)
def test_functions_within_any_block_at_the_top_are_there(root, call, opening):
    found = module(root, call, f"{opening}\n    def inner():\n        def own(): pass\n")
    assert [f["name"] for f in found["functions"]] == ["inner"]
    assert found["missing_docstrings"] == ["inner"]


def test_a_property_is_documented_by_its_getter(root, call):
    body = '    """C."""\n    @property\n    def v(self):\n        """V."""\n'
    for accessor in ("setter", "deleter"):
        body += f"    @v.{accessor}\n    def v(self, x=None): pass\n"
    found = module(root, call, f"class C:\n{body}")
    assert found["missing_docstrings"] == []
    assert [(m["name"], m["line"]) for m in found["classes"][0]["methods"]] == [("v", 5)]


def test_what_is_defined_twice_counts_by_its_last_definition(root, call):
    text = 'from typing import overload\n@overload\ndef f(a: int): ...\ndef f(a):\n    """F."""\n'
    assert module(root, call, text)["missing_docstrings"] == []


def test_public_classes_within_a_class_are_there_with_their_methods(root, call):
    inner = "    class In:\n        def m(self): pass\n        class Deep:\n            pass\n    class _Own: pass\n"
    found = module(root, call, f'class Out:\n    """O."""\n{inner}class _Private:\n    class Hidden: pass\n')
    assert [c["name"] for c in found["classes"]] == ["Out", "Out.In", "Out.In.Deep"]
    assert found["missing_docstrings"] == ["Out.In", "Out.In.m", "Out.In.Deep"]
    assert call("inspect_python_modules")["totals"]["classes"] == 3


def test_what_only_looks_like_a_module_and_what_is_never_looked_into_are_told(root, call):
    for name in ("a.py", "stub.pyi", "UPPER.PY", "venv/v.py", "__pycache__/a.py", "sub/__pycache__/b.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x = 1\n")
    value = call("inspect_python_modules")
    assert [m["path"] for m in value["modules"]] == ["a.py"]
    assert {p["path"]: p["problem"] for p in value["problems"]} == {
        "stub.pyi": "is a stub, not a module",
        "UPPER.PY": "its name does not end in .py",
        "venv": "venv is never looked into",
        "__pycache__": "__pycache__ is never looked into (and 1 more of this name)",
    }


def test_a_pattern_of_ones_own_is_taken_at_its_word(root, call):
    (root / "stub.pyi").write_text("def f(): ...\n")
    value = call("inspect_python_modules", pattern="*.pyi")
    assert [m["path"] for m in value["modules"]] == ["stub.pyi"]


def test_without_a_module_there_is_no_inventory(root, call):
    (root / "stub.pyi").write_text("x = 1\n")
    with pytest.raises(ToolInputError, match=r"There are no Python modules in the folder: .*stub\.pyi is a stub"):
        call("inspect_python_modules")
