"""How the site logs: lines for people, or a JSON object a line for machines. Both say what goal was in hand.

With JSON every event of a goal's history is a line as well (logger `goals.history`), with the ids of its goal, subgoal,
checkpoint and call.
"""

import logging
import re
from typing import Any

import structlog

CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
QUIET = ("httpx2", "httpx", "openai", "django-q")


class PlainFormatter(logging.Formatter):
    """One line a message, whatever is in it: nothing that is logged can look like another line, or move a terminal."""

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name} {message}", style="{")

    def formatMessage(self, record: logging.LogRecord) -> str:
        """Return the line, with what was bound to the work in hand."""
        bound = "".join(f" {name}={value}" for name, value in structlog.contextvars.get_contextvars().items())
        return CONTROLS.sub(_escaped, super().formatMessage(record) + bound)


def _escaped(found: re.Match[str]) -> str:
    return found.group().encode("unicode_escape").decode()


def add_extra(logger: Any, method: str, event: dict[str, Any]) -> dict[str, Any]:
    """Add what a call gave as `extra`."""
    record = event.get("_record")
    event.update(getattr(record, "facts", None) or {})
    return event


def configuration(level: str, form: str) -> dict[str, Any]:
    """Return Django's LOGGING; `form` is `plain` or `json`."""
    shared = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        add_extra,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    formatters = {
        "plain": {"()": PlainFormatter},
        "json": {
            "()": structlog.stdlib.ProcessorFormatter,
            "processors": [
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(ensure_ascii=False, default=str),
            ],
            "foreign_pre_chain": shared,
        },
    }
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {form: formatters[form]},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": form}},
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            **{name: {"level": "WARNING"} for name in QUIET},
            "mcp": {"level": "CRITICAL"},  # it logs what outsiders say; what went wrong is told in our words
            "goals.history": {"level": "INFO" if form == "json" else "WARNING"},
        },
    }
