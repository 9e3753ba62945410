"""What the platform's tests take from those of the goals: an endpoint, goals, and commands run in this process."""

from tests.goals.commands.conftest import run_here
from tests.goals.conftest import endpoint, owner, settle, submit

__all__ = ["endpoint", "owner", "run_here", "settle", "submit"]
