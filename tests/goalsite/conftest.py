"""What the platform's tests take from those of the goals: a scriptable endpoint, and commands run in this process."""

from tests.goals.commands.conftest import run_here
from tests.goals.conftest import endpoint

__all__ = ["endpoint", "run_here"]
