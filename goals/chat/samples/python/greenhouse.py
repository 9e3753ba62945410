"""Keeping a small greenhouse: its sensors, and what they say should be done."""

from dataclasses import dataclass


@dataclass
class Reading:
    """One measurement: degrees Celsius and relative humidity in percent."""

    bed: str
    celsius: float
    humidity: float


def is_too_dry(reading):
    """Whether the bed needs water."""
    return reading.humidity < 40


def is_too_warm(reading):
    return reading.celsius > 31


def advice(readings):
    """Return a line for each bed that needs something."""
    lines = []
    for reading in readings:
        if is_too_dry(reading):
            lines.append(f"{reading.bed}: water")
        if is_too_warm(reading):
            lines.append(f"{reading.bed}: open the windows")
    return lines
