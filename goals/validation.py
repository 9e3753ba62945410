"""What people give, checked at the door: refused with the field's name and what is allowed, and nothing half-made."""

import math
import re
from pathlib import Path
from typing import Any

from django.conf import settings

from artifacts.clean import MAX_INTEGER_BITS
from artifacts.references import NAME
from goals.exceptions import InvalidInput, NotAllowed
from goals.states import Mode
from goals.tools.errors import ToolError
from goals.tools.workspace import Workspace
from goals.verifiers.errors import InvalidVerifier
from goals.verifiers.spec import parse as parse_verifier
from goals.verifiers.spec import parts as verifiers_in
from goals.verifiers.spec import required_permission
from sops.models import SopStatus, SopVersion

MAX_OBJECTIVE = 20_000
MAX_TEXT = 100_000
MAX_ANSWER = 100_000
MOST_PLANS = 4  # to choose from
FAR = 1e16  # from here on Python writes floats with an exponent, Postgres as integers
PLACE = re.compile(r"verifier[\w.]*")
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def text(name: str, value: Any, *, most: int = MAX_TEXT, required: bool = False) -> str:
    """Return a text that can be stored; raises InvalidInput."""
    if value is None and not required:
        return ""
    if not isinstance(value, str):
        raise InvalidInput({name: f"must be a text, not {type(value).__name__}"})
    if required and not value.strip():
        raise InvalidInput({name: "must not be empty"})
    if len(value) > most:
        raise InvalidInput({name: f"has {len(value)} characters; at most {most} are allowed"})
    if UNSTORABLE.search(value):
        raise InvalidInput({name: "holds a NUL character or a lone surrogate, which cannot be stored; take it out"})
    return value.strip()


def json_value(name: str, value: Any, *, depth: int = 0) -> Any:
    """Return a JSON value that can be stored; raises InvalidInput."""
    if depth > 50:
        raise InvalidInput({name: "is nested more than 50 deep"})
    if isinstance(value, str):
        return text(name, value, most=MAX_ANSWER) if value.strip() else value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return number(name, value)
    if isinstance(value, dict):
        return {text(name, k, most=1000): json_value(name, v, depth=depth + 1) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(name, item, depth=depth + 1) for item in value]
    if value is None or isinstance(value, bool):
        return value
    raise InvalidInput({name: f"must be a JSON value, not {type(value).__name__}"})


def number(name: str, value: float) -> float:
    """Return a number as Postgres gives it back: a decimal without a sign on zero, far numbers as integers."""
    if isinstance(value, int):
        if value.bit_length() > MAX_INTEGER_BITS:
            raise InvalidInput({name: f"an integer may have at most {MAX_INTEGER_BITS} bits"})
        return value
    if not math.isfinite(value):
        raise InvalidInput({name: "must be a JSON value; NaN and Infinity are none"})
    return int(value) if abs(value) >= FAR else value + 0.0


def mode(value: Any) -> str:
    if value not in Mode.values:
        raise InvalidInput({"mode": f"must be one of {', '.join(Mode.values)}"})
    return str(value)


def verifier(spec: Any, user: Any) -> dict[str, Any] | None:
    """Return a verifier's spec; raises InvalidInput, or NotAllowed when the person may not set this type."""
    if spec is None:
        return None
    if not isinstance(spec, dict):
        raise InvalidInput({"verifier": 'must be an object like {"type": "data", "path": "…", "contains": "…"}'})
    spec = json_value("verifier", spec)
    try:
        parse_verifier(spec)
    except InvalidVerifier as error:
        place, _, said = str(error).partition(": ")
        field, said = (place, said) if PLACE.fullmatch(place) else ("verifier", str(error))
        raise InvalidInput({field: said}) from error
    needed = required_permission(spec)
    if needed and not user.has_perm(needed):
        raise NotAllowed(f"verifier: to set this type you need the permission {needed}")
    return spec


def within_reach(spec: dict[str, Any] | None, folder: str) -> None:
    """Refuse a verifier of a file that lies outside the goal's workspace and the folders that may be read."""
    reach = Workspace(folder or "/goal", read_roots=tuple(settings.GOALSITE_READ_ROOTS))
    for part in verifiers_in(parse_verifier(spec)) if spec is not None else ():
        try:
            reach.place(getattr(part, "path", None) or ".")
        except ToolError as error:
            raise InvalidInput({"verifier.path": str(error)}) from error


def sop(slug: Any) -> SopVersion | None:
    """Return the current version of an active procedure; raises InvalidInput that names the active ones."""
    if not slug:
        return None
    current = SopVersion.objects.filter(is_current=True, sop__status=SopStatus.ACTIVE).select_related("sop")
    found = current.filter(sop__slug=slug).first() if isinstance(slug, str) and not UNSTORABLE.search(slug) else None
    if found is None:
        slugs = ", ".join(current.order_by("sop__slug").values_list("sop__slug", flat=True)[:50]) or "none"
        raise InvalidInput({"sop": f"there is no active procedure {str(slug)[:80]!r}; there are: {slugs}"})
    return found


def workspace(path: Any) -> str:
    """Return the absolute path of an existing folder; raises InvalidInput."""
    given = text("workspace", str(path), most=4000, required=True)
    folder = Path(given).expanduser()
    if not folder.is_dir():
        raise InvalidInput({"workspace": f"{given!r} is no folder; make it first or name another"})
    return str(folder.resolve())


def answers(given: Any, chosen: SopVersion | None) -> dict[str, Any]:
    """Return answers given beforehand; a key that no procedure asks for is refused by name."""
    if not given:
        return {}
    if not isinstance(given, dict):
        raise InvalidInput({"answers": "must be an object of key: answer"})
    allowed = asked_keys(chosen)
    errors = {}
    for key in given:
        if not isinstance(key, str) or not NAME.fullmatch(key) or key not in allowed:
            listed = ", ".join(sorted(allowed)) or "none"
            errors[f"answer.{str(key)[:60]}"] = f"nobody asks for this key; keys that are asked for: {listed}"
    if errors:
        raise InvalidInput(errors)
    return {key: json_value(f"answer.{key}", value) for key, value in given.items()}


def plan_approval(wanted: Any, alternatives: Any) -> dict[str, Any]:
    """Return the options of a goal whose plans wait for an approval; empty for one whose plans do not."""
    if not isinstance(wanted, bool):
        raise InvalidInput({"plan_approval": "must be true or false"})
    if alternatives is None:
        return {"plan_approval": True} if wanted else {}
    if isinstance(alternatives, bool) or not isinstance(alternatives, int) or not 2 <= alternatives <= MOST_PLANS:
        raise InvalidInput({"alternatives": f"must be a whole number from 2 to {MOST_PLANS}"})
    if not wanted:
        raise InvalidInput({"alternatives": "need plan_approval: somebody must choose"})
    return {"plan_approval": True, "alternatives": alternatives}


def asked_keys(chosen: SopVersion | None) -> set[str]:
    """Return the keys that one procedure, or any active one, may ask a person for."""
    versions = SopVersion.objects.filter(is_current=True, sop__status=SopStatus.ACTIVE)
    if chosen is not None:
        versions = SopVersion.objects.filter(pk=chosen.pk)
    keys: set[str] = set()
    for version in versions.prefetch_related("steps"):
        keys |= {entry["name"] for entry in version.inputs}
        keys |= {step.evidence_key for step in version.steps.all() if step.predicate in {"gather_info", "confirm"}}
        keys |= {str(step.args["key"]) for step in version.steps.all() if step.args.get("key")}
    return keys - {""}


def collect(*checks: Any) -> list[Any]:
    """Run all checks and return their values; raises one InvalidInput with every error."""
    values, errors = [], {}
    for check in checks:
        try:
            values.append(check())
        except InvalidInput as error:
            errors |= error.errors
            values.append(None)
    if errors:
        raise InvalidInput(errors)
    return values
