"""A verifier's context over a temporary workspace and a dictionary of artifacts."""

from pathlib import Path
from typing import Any

import pytest

from goals.tools.workspace import Workspace
from goals.verifiers.run import VerifierContext


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def artifacts() -> dict[str, Any]:
    """What the goal has: fill it in the test."""
    return {}


@pytest.fixture
def context(root: Path, artifacts: dict[str, Any]) -> VerifierContext:
    def artifact(name: str) -> tuple[bool, Any, str]:
        return name in artifacts, artifacts.get(name), "data"

    return VerifierContext(Workspace(root), artifact, timeout=60)
