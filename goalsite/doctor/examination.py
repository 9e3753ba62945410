"""All checks, one after the other; one that breaks down is a finding, too, and keeps no other from being made."""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack

from django.conf import settings
from django.db import DatabaseError

from goalsite import places
from goalsite.doctor import database, machine, mcp_servers, outside, webhooks, work
from goalsite.doctor.finding import Finding, Level, fail, well
from goalsite.embedded import database_in_use, is_elsewhere
from goalsite.site_errors import SiteError

logger = logging.getLogger(__name__)
CHECKS: dict[str, Callable[[], Finding]] = {
    "configuration": machine.configuration,
    "secrets": machine.secrets,
    "permissions": machine.permissions,
    "disk": machine.disk,
    "database": database.database,
    "pgvector": database.pgvector,
    "migrations": database.migrations,
    "clock": database.clock,
    "workers": work.workers,
    "queue": work.queue,
    "breakers": work.breakers,
    "tools": work.tools,
    "webhooks": webhooks.webhooks,
    "mcp": mcp_servers.mcp_servers,
    "model": outside.model,
    "embedder": outside.embedder,
    "sandbox": outside.sandbox,
}
NEED_THE_DATABASE = {
    *(
        "pgvector",
        "migrations",
        "clock",
        "workers",
        "queue",
        "breakers",
        "tools",
        "webhooks",
        "mcp",
        "model",
        "embedder",
    ),
}


def examine(names: Iterable[str] = ()) -> Iterator[tuple[str, Finding]]:
    """Yield each check's name and finding, as they are made; of all checks, or of these."""
    wanted = set(names) or set(CHECKS)
    with ExitStack() as needed:
        of_database = _database(needed) if wanted & {"database", *NEED_THE_DATABASE} else well("")
        for name, check in CHECKS.items():
            if name in wanted:
                yield name, _found(name, check, of_database)


def _found(name: str, check: Callable[[], Finding], of_database: Finding) -> Finding:
    if name == "database":
        return of_database
    if name in NEED_THE_DATABASE and of_database.level == Level.FAIL:
        return fail("could not be looked at without the database", "See what is said of the database.")
    return _look(check)


def _database(needed: ExitStack) -> Finding:
    """Hold the embedded database up for as long as it is needed, and look at it; none is made here."""
    data_dir = settings.GOALSITE_DATA_DIR
    if not is_elsewhere() and not places.cluster(data_dir).exists():
        return fail(f"there is none yet in {data_dir}", "Start the site with `manage.py up`, which makes it.")
    try:
        needed.enter_context(database_in_use(data_dir))
    except SiteError as error:
        return fail(str(error), f"See {places.log_file(data_dir)}.")
    return _look(CHECKS["database"])


def _look(check: Callable[[], Finding]) -> Finding:
    try:
        return check()
    except DatabaseError as error:
        return fail(_first_line(error), "See what is said of the database and of migrations.")
    except Exception as error:  # the doctor's edge: whatever breaks a check must not keep the others from being made
        logger.debug("a check broke down", exc_info=True)
        return fail(f"{type(error).__name__}: {_first_line(error)}", "Set GOALSITE_LOG_LEVEL=DEBUG for the traceback.")


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
