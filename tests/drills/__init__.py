"""Drills: real worker processes that are killed, frozen and crowded, against receivers of their own."""
