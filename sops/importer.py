"""Loading procedures from files: everything is checked first, then all is stored or nothing."""

from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any

from sops import reading
from sops.exceptions import InvalidSop, LoadRefused
from sops.models import SopOrigin, SopStatus
from sops.schema import SopSpec, parse
from sops.store import Stored, store_all

CheckVerifier = Callable[[dict[str, Any]], object]


def load(
    paths: Iterable[Path | str],
    *,
    known_tools: Collection[str] | None = None,
    check_verifier: CheckVerifier | None = None,
    origin: str = SopOrigin.IMPORTED,
    status: str = SopStatus.ACTIVE,
) -> list[Stored]:
    """Store every procedure of the files and folders; raises `LoadRefused` naming file, field and what is allowed.

    `known_tools` None does not check tools; `check_verifier` raises ValueError for a verifier that is refused.
    `status` is for new procedures: one that an operator retired stays retired.
    """
    specs = check(paths, known_tools=known_tools, check_verifier=check_verifier)
    return store_all(specs, origin=origin, status=status)


def check(
    paths: Iterable[Path | str],
    *,
    known_tools: Collection[str] | None = None,
    check_verifier: CheckVerifier | None = None,
) -> list[SopSpec]:
    """The procedures of the files, all of them right; touches no row."""
    errors: list[InvalidSop] = []
    specs: dict[str, tuple[str, SopSpec]] = {}
    for source, raw in readable(paths, errors):
        try:
            spec = parse(raw, source=source)
        except InvalidSop as error:
            errors.append(error)
            continue
        problems = list(refusals(spec, known_tools, check_verifier))
        if spec.slug in specs:
            problems.append(("slug", f"{spec.slug!r} is already used by {specs[spec.slug][0]}; each needs its own"))
        if problems:
            errors.append(InvalidSop(source, problems))
        specs.setdefault(spec.slug, (source, spec))
    if errors:
        raise LoadRefused(errors)
    return [spec for _, spec in specs.values()]


def readable(paths: Iterable[Path | str], errors: list[InvalidSop]) -> Iterable[tuple[str, Any]]:
    """What can be read, path by path; what cannot is noted."""
    for path in paths:
        try:
            files = list(reading.files([path]))
        except InvalidSop as error:
            errors.append(error)
            continue
        for file in files:
            try:
                yield from list(reading.read([file]))
            except InvalidSop as error:
                errors.append(error)


def refusals(
    spec: SopSpec, known_tools: Collection[str] | None, check_verifier: CheckVerifier | None
) -> Iterable[tuple[str, str]]:
    """What this site cannot honour: tools that it does not have, verifiers that it does not know."""
    for position, step in enumerate(spec.steps):
        for tool in sorted({*step.tools, *([step.tool] if step.tool else [])} - set(known_tools or ())):
            if known_tools is not None:
                yield f"steps.{position}.tools", f"unknown tool {tool!r}; known: {', '.join(sorted(known_tools))}"
        for number, condition in enumerate(step.done_when):
            if check_verifier and condition.kind == "verifier":
                yield from refused(f"steps.{position}.done_when.{number}", condition.verifier, check_verifier)
    if check_verifier and spec.verifier is not None:
        yield from refused("verifier", spec.verifier, check_verifier)


def refused(field: str, verifier: dict[str, Any], check_verifier: CheckVerifier) -> Iterable[tuple[str, str]]:
    try:
        check_verifier(verifier)
    except ValueError as error:
        yield field, str(error)
