"""Strict readers of the environment: a bad value stops the start with a line that names it and what is allowed."""

import os
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from goals.door.networks import Allowed
from goalsite import places
from goalsite.secrets_file import read_or_create

TRUE, FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
# A process that is frozen inside a transaction must not hold its rows for ever.
SESSION = "-c idle_in_transaction_session_timeout=10s"
POOL = {"min_size": 0, "timeout": 10, "max_idle": 60, "num_workers": 1}
SHORTEST_KEY = 32


def refuse(name: str, value: object, allowed: str) -> ImproperlyConfigured:
    """The error for a bad value."""
    return ImproperlyConfigured(f"{name}={value!r} is not allowed: {allowed}")


def text(name: str, *, default: str) -> str:
    """Any text without control characters, stripped; unset or empty is the default."""
    value = os.environ.get(name, "").strip()
    if any(ord(character) < 32 for character in value):
        raise refuse(name, value, "give one line without control characters")
    return value or default


def secrets_beginning(prefix: str) -> dict[str, str]:
    """All secrets whose names begin so, by name; each one line without control characters."""
    found = {name: value.strip() for name, value in os.environ.items() if name.startswith(prefix)}
    for name, value in found.items():
        if not value.isprintable() or not value.isascii():
            raise refuse(name, "(not shown)", "give one line of ASCII without control characters")
    return found


def boolean(name: str, *, default: bool) -> bool:
    """A yes or a no."""
    value = text(name, default="").lower()
    if not value:
        return default
    if value not in TRUE + FALSE:
        raise refuse(name, value, f"use one of {', '.join(TRUE + FALSE)}")
    return value in TRUE


def integer(name: str, *, default: int, minimum: int, maximum: int) -> int:
    """A whole number within bounds."""
    value = text(name, default=str(default))
    allowed = f"use a whole number from {minimum} to {maximum}"
    try:
        number = int(value)
    except ValueError:
        raise refuse(name, value, allowed) from None
    if not minimum <= number <= maximum:
        raise refuse(name, value, allowed)
    return number


def decimal(name: str, *, default: str, minimum: str) -> Decimal:
    """A finite decimal number, at least the minimum."""
    value = text(name, default=default)
    allowed = f"use a decimal number of at least {minimum}"
    try:
        number = Decimal(value)
    except InvalidOperation:
        raise refuse(name, value, allowed) from None
    if not number.is_finite() or number < Decimal(minimum):
        raise refuse(name, value, allowed)
    return number


def price(name: str) -> tuple[Decimal, Decimal] | None:
    """A price as "input/output", both in USD per million tokens and at least 0; None when unset."""
    value = text(name, default="")
    if not value:
        return None
    try:
        amounts = [Decimal(part.strip()) for part in value.split("/")]
        sound = len(amounts) == 2 and all(amount.is_finite() and amount >= 0 for amount in amounts)
    except InvalidOperation:
        sound = False
    if not sound:
        raise refuse(name, value, 'give "input/output" in USD per million tokens, for instance "0.4/1.6"')
    return amounts[0], amounts[1]


def choice(name: str, *, default: str, choices: tuple[str, ...]) -> str:
    """One of the choices."""
    value = text(name, default=default)
    if value not in choices:
        raise refuse(name, value, f"use one of {', '.join(choices)}")
    return value


def words(name: str, *, default: list[str]) -> list[str]:
    """Words separated by commas."""
    value = text(name, default="")
    found = [word.strip() for word in value.split(",") if word.strip()]
    if any(" " in word for word in found):
        raise refuse(name, value, "separate the words by commas")
    return found or list(default)


def path(name: str, *, default: Path) -> Path:
    """An absolute path; `~` and relative paths are resolved."""
    return Path(text(name, default=str(default))).expanduser().resolve()


def paths(name: str, *, default: list[Path]) -> list[Path]:
    """Existing folders separated by the system's path separator."""
    found = [Path(part).expanduser().resolve() for part in text(name, default="").split(os.pathsep) if part]
    for folder in found:
        if not folder.is_dir():
            raise refuse(name, str(folder), f"name existing folders, separated by {os.pathsep!r}")
    return found or list(default)


def hosts_and_networks(name: str) -> list[str]:
    """Names of hosts, IP addresses and networks, separated by commas."""
    found = words(name, default=[])
    try:
        Allowed.of(found)
    except ValueError as error:
        allowed = "name hosts, addresses and networks, such as intranet.example.org,10.1.0.0/16,::1"
        raise refuse(name, ",".join(found), f"{allowed}; {str(error)!r} is none") from None
    return found


def url(name: str, *, default: str, schemes: tuple[str, ...]) -> str:
    """An address with one of the schemes and a host (or, for `unix`, a path)."""
    value = text(name, default=default)
    if not value:
        return value
    allowed = f"give an address such as {schemes[0]}://host:port with one of the schemes {', '.join(schemes)}"
    try:
        parts = urlsplit(value)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise refuse(name, without_password(value), allowed) from None
    if parts.scheme not in schemes or not (parts.path if parts.scheme == "unix" else host):
        raise refuse(name, without_password(value), allowed)
    return value


def secret_key(name: str, *, data_dir: Path) -> str:
    """The key from the environment, or one made once and kept in the data folder, readable by its owner alone."""
    value = text(name, default="")
    if value:
        return _long_enough(name, value)
    try:
        return read_or_create(data_dir / "secret_key")
    except OSError as error:
        allowed = f"{error.strerror or error} at {error.filename or data_dir}; give a folder that this user can write"
        raise refuse("GOALSITE_DATA_DIR", str(data_dir), allowed) from None


def secret_keys(name: str) -> list[str]:
    """Earlier keys, separated by commas: what they signed is still believed, and nothing new is signed with them."""
    return [_long_enough(name, word.strip()) for word in text(name, default="").split(",") if word.strip()]


def traces(name: str) -> bool:
    """Whether OpenTelemetry's own variables, `name` or its like for traces alone, want them, by a protocol we speak."""
    own = name.replace("ENDPOINT", "TRACES_ENDPOINT")
    found = [url(one, default="", schemes=("http", "https")) for one in (name, own)]
    exporter = choice("OTEL_TRACES_EXPORTER", default="otlp", choices=("otlp", "none"))
    if not any(found) or exporter == "none" or boolean("OTEL_SDK_DISABLED", default=False):
        return False
    for name in ("OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"):
        choice(name, default="http/protobuf", choices=("http/protobuf",))
    return True


def database(name: str, *, data_dir: Path, connections: int = 10) -> dict[str, Any]:
    """Django's settings for the Postgres of the address, or for the embedded one in the data folder.

    `connections` is the most that one process opens.
    """
    value = text(name, default="")
    parameters = _parsed(name, value) if value else _embedded(data_dir)
    keys = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
    options = {key: found for key, found in parameters.items() if key not in keys}
    return {
        "ENGINE": "goalsite.postgresql",
        **{setting: parameters.get(key, "") for key, setting in keys.items()},
        "OPTIONS": {
            **options,
            "options": f"{options.get('options', '')} {SESSION}".strip(),
            "pool": {**POOL, "max_size": connections},
            "prepare_threshold": 3,  # a statement that comes again is planned once a connection
        },
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": True,
    }


def _long_enough(name: str, key: str) -> str:
    if len(key) < SHORTEST_KEY:
        raise refuse(name, "(not shown)", f"use at least {SHORTEST_KEY} characters, or unset it")
    return key


def without_password(address: str) -> str:
    """The address with its password hidden."""
    head, separator, tail = address.rpartition("@")
    scheme, slashes, account = head.partition("://")
    if not separator or ":" not in account:
        return address
    return f"{scheme}{slashes}{account.split(':', 1)[0]}:***@{tail}"


def _parsed(name: str, value: str) -> dict[str, Any]:
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    allowed = "give postgresql://user:password@host:port/name"
    if not value.startswith(("postgres://", "postgresql://")):
        raise refuse(name, without_password(value), allowed)
    try:
        parameters = conninfo_to_dict(value)
    except ProgrammingError as error:
        raise refuse(name, without_password(value), f"{allowed} ({str(error).strip()})") from None
    if not parameters.get("dbname"):
        raise refuse(name, without_password(value), f"{allowed} (the name of the database is missing)")
    return parameters


def _embedded(data_dir: Path) -> dict[str, Any]:
    try:
        folder = places.socket_folder(data_dir)
    except places.UnsafeFolder as error:
        raise refuse("GOALSITE_DATA_DIR", str(data_dir), str(error)) from None
    return {"dbname": "goalsite", "user": "postgres", "host": str(folder)}
