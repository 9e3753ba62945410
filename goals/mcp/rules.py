"""What a server's fields may be: refused with the field's name and what is allowed."""

import re
import shlex
from pathlib import Path
from typing import Any

from goals import validation
from goals.door.asking import read_address
from goals.door.errors import BadAddress
from goals.exceptions import InvalidInput
from goals.models.mcp_server import LONGEST_SECONDS, MOST_CHARACTERS, NAME
from goals.states import EffectClass, McpTransport, Risk
from goals.tools.workspace import hidden_folders

OUTSIDE = (EffectClass.EXTERNAL.value, EffectClass.IDEMPOTENT.value)
VARIABLE = re.compile(r"GOALSITE_MCP_[A-Z0-9_]{1,80}")
HEADER, OWN_VARIABLE = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,99}"), re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
NOT_SECRETS = {"host", "content-length", "content-type", "transfer-encoding", "connection", "accept", "user-agent"}
FIELDS = frozenset(
    {
        *("name", "transport", "address", "command", "folder", "secret_variable", "secret_as", "allow_private"),
        *("enabled", "risk", "effect_class", "timeout_seconds", "most_characters", "note"),
    }
)


def checked(given: dict[str, Any]) -> dict[str, Any]:
    """Return a server's fields as they are stored; raises one InvalidInput with every error."""
    if unknown := sorted(given.keys() - FIELDS):
        raise InvalidInput({unknown[0]: f"is no field; there are {', '.join(sorted(FIELDS))}"})
    http = given["transport"] == McpTransport.HTTP
    found = validation.collect(
        lambda: ("name", _match("name", given["name"], re.compile(NAME), "1 to 30 small letters, digits and -")),
        lambda: ("transport", _one_of("transport", given["transport"], McpTransport.values)),
        lambda: ("address", _address(given["address"]) if http else _blank("address", given["address"], "a command")),
        lambda: ("command", _blank("command", given["command"], "an address") if http else _command(given["command"])),
        lambda: ("folder", _blank("folder", given["folder"], "an address") if http else _folder(given["folder"])),
        lambda: ("secret_variable", _variable(given["secret_variable"])),
        lambda: ("secret_as", _sent_as(given["secret_as"], http)),
        lambda: ("allow_private", _truth("allow_private", given["allow_private"])),
        lambda: ("enabled", _truth("enabled", given["enabled"])),
        lambda: ("risk", _one_of("risk", given["risk"], Risk.values)),
        lambda: ("effect_class", _one_of("effect_class", given["effect_class"], OUTSIDE)),
        lambda: ("timeout_seconds", _within("timeout_seconds", given["timeout_seconds"], 1, LONGEST_SECONDS)),
        lambda: ("most_characters", _within("most_characters", given["most_characters"], 1_000, MOST_CHARACTERS)),
        lambda: ("note", validation.text("note", given["note"], most=500)),
    )
    return dict(found)


def _address(given: Any) -> str:
    told = validation.text("address", given, most=2000, required=True)
    try:
        return str(read_address(told))
    except BadAddress as error:
        raise InvalidInput({"address": f"{error}; give the server's MCP endpoint, such as https://host/mcp"}) from None


def _command(given: Any) -> str:
    told = validation.text("command", given, most=4000, required=True)
    try:
        words = shlex.split(told)
    except ValueError as error:
        raise InvalidInput({"command": f"cannot be read ({error}); close every quotation mark"}) from None
    if not words or not told.isprintable():
        raise InvalidInput({"command": "must be one line: a program and its arguments"})
    return told


def _folder(given: Any) -> str:
    told = validation.text("folder", given, most=2000)
    if not told:
        return ""
    folder = Path(told)
    if not folder.is_absolute() or not folder.is_dir() or folder.resolve() == Path("/"):
        raise InvalidInput({"folder": "must be the absolute path of a folder of this machine, or empty"})
    folder = folder.resolve()
    if any(Path(one).is_relative_to(folder) or folder.is_relative_to(one) for one in hidden_folders()):
        raise InvalidInput({"folder": "must not hold the site's data, nor lie in it"})
    return str(folder)


def _blank(name: str, given: Any, other: str) -> str:
    if given:
        raise InvalidInput({name: f"must be empty: this server has {other}"})
    return ""


def _variable(given: Any) -> str:
    told = validation.text("secret_variable", given, most=100)
    if told and not VARIABLE.fullmatch(told):
        raise InvalidInput({"secret_variable": "must begin with GOALSITE_MCP_ and go on in capitals, digits and _"})
    return told


def _sent_as(given: Any, http: bool) -> str:
    told = validation.text("secret_as", given, most=100)
    if told and not (HEADER if http else OWN_VARIABLE).fullmatch(told):
        raise InvalidInput({"secret_as": f"must be the name of {'a header' if http else 'a variable'}, or empty"})
    if http and told.lower() in NOT_SECRETS:
        raise InvalidInput({"secret_as": f"{told} is a header of the connection; name another, such as Authorization"})
    return told


def _match(name: str, given: Any, pattern: re.Pattern[str], allowed: str) -> str:
    if not isinstance(given, str) or not pattern.fullmatch(given):
        raise InvalidInput({name: f"must be {allowed}, a letter first"})
    return given


def _one_of(name: str, given: Any, allowed: Any) -> str:
    if given not in allowed:
        raise InvalidInput({name: f"must be one of {', '.join(allowed)}"})
    return str(given)


def _truth(name: str, given: Any) -> bool:
    if not isinstance(given, bool):
        raise InvalidInput({name: "must be true or false"})
    return given


def _within(name: str, given: Any, least: int, most: int) -> int:
    if not isinstance(given, int) or isinstance(given, bool) or not least <= given <= most:
        raise InvalidInput({name: f"must be a whole number from {least:,} to {most:,}"})
    return given
