"""Tools that a test makes up, as in the tests of effects."""

from tests.goals.effects.conftest import planned, tool

__all__ = ["planned", "tool"]
