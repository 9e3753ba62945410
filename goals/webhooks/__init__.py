"""Telling somebody's own address of events: at least once, signed, and never at the cost of a goal."""
