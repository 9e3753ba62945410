"""Verifier specs as typed values: parsed strictly, sealed by a digest, each with the permission it needs."""

import hashlib
import json
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from goals.verifiers.errors import ExpressionError, InvalidVerifier
from goals.verifiers.expressions import check_expression
from goals.verifiers.schemas import check_schema

HOST_PERMISSION = "goals.use_host_verifiers"
MAX_DEPTH, MAX_PARTS, MAX_CHARACTERS = 5, 50, 20_000


class _Spec(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DataVerifier(_Spec):
    """A file of the workspace or an artifact: holds a text, or makes an expression true.

    In `expr` the subject is `data` (a file's JSON, or its text when it is none; an artifact's value), and
    `artifact("name")` is the value of another artifact of the goal.
    """

    type: Literal["data"]
    path: str | None = Field(None, min_length=1, max_length=4096)
    artifact: str | None = Field(None, min_length=1, max_length=200)
    contains: str | None = Field(None, min_length=1, max_length=5000)
    expr: str | None = Field(None, min_length=1, max_length=2000)

    @model_validator(mode="after")
    def _one_of_each(self) -> "DataVerifier":
        if (self.path is None) == (self.artifact is None):
            raise ValueError("give either path or artifact")
        if (self.contains is None) == (self.expr is None):
            raise ValueError("give either contains or expr")
        if self.expr is not None:
            try:
                check_expression(self.expr, {"data"}, {"artifact"})
            except ExpressionError as error:
                raise ValueError(f"expr: {error}") from error
        return self


class ArtifactVerifier(_Spec):
    """An artifact is there (or is not), and fits a JSON schema."""

    type: Literal["artifact"]
    name: str = Field(min_length=1, max_length=200)
    exists: bool = True
    json_schema: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _usable_schema(self) -> "ArtifactVerifier":
        if self.json_schema is not None:
            check_schema(self.json_schema)
            if not self.exists:
                raise ValueError("json_schema needs exists to be true")
        return self


class LlmVerifier(_Spec):
    """A judge model finds the condition met; without one, the success criteria are the condition."""

    type: Literal["llm"]
    condition: str = Field("", max_length=5000)


class CommandVerifier(_Spec):
    """A shell command exits with 0, in a sandbox with the workspace as its folder."""

    type: Literal["command"]
    command: str = Field(min_length=1, max_length=5000)
    cwd: str = Field(".", min_length=1, max_length=4096)
    timeout: float | None = Field(None, gt=0, le=3600)


class TestVerifier(CommandVerifier):
    """A command whose last summary line is the reason."""

    __test__ = False
    type: Literal["test"]  # type: ignore[assignment]


class AllVerifier(_Spec):
    """Every one is met; the first that is not ends it."""

    type: Literal["all"]
    of: list["Verifier"] = Field(min_length=1, max_length=20)


class AnyVerifier(_Spec):
    """One of them is met; the first that is ends it."""

    type: Literal["any"]
    of: list["Verifier"] = Field(min_length=1, max_length=20)


KINDS: dict[str, type[_Spec]] = {
    "data": DataVerifier,
    "artifact": ArtifactVerifier,
    "llm": LlmVerifier,
    "command": CommandVerifier,
    "test": TestVerifier,
    "all": AllVerifier,
    "any": AnyVerifier,
}
Verifier = Annotated[
    DataVerifier | ArtifactVerifier | LlmVerifier | CommandVerifier | TestVerifier | AllVerifier | AnyVerifier,
    Field(discriminator="type"),
]
AllVerifier.model_rebuild()
AnyVerifier.model_rebuild()
_ADAPTER: TypeAdapter[Any] = TypeAdapter(Verifier)


def parse(spec: Any) -> Any:
    """The typed verifier; InvalidVerifier names what is wrong and what is allowed. A typed one is given back."""
    if isinstance(spec, _Spec):
        return spec
    _check_shape(spec, "verifier", 1, [0])
    try:
        return _ADAPTER.validate_python(spec)
    except ValidationError as error:
        problems = [f"{_place(e['loc'])}: {e['msg'].removeprefix('Value error, ')}" for e in error.errors()[:5]]
        raise InvalidVerifier("; ".join(problems)) from error


def dump(spec: Any) -> dict[str, Any]:
    """The spec as plain JSON, defaults left out."""
    return parse(spec).model_dump(mode="json", exclude_defaults=True)


def digest(spec: Any) -> str:
    """SHA-256 of the spec in canonical form: the seal."""
    return hashlib.sha256(json.dumps(dump(spec), sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def required_permission(spec: Any) -> str | None:
    """The permission that setting this verifier needs; None when everybody may."""
    return HOST_PERMISSION if any(_touches_host(part) for part in parts(parse(spec))) else None


def parts(spec: Any) -> Iterator[Any]:
    """The verifier and all inside it."""
    yield spec
    for inner in getattr(spec, "of", ()):
        yield from parts(inner)


def catalogue() -> list[dict[str, Any]]:
    """The verifier types for people and the API: name, description, fields, and the permission they need."""
    described = []
    for name, kind in KINDS.items():
        text = " ".join((kind.__doc__ or "").split())
        fields = [field for field in kind.model_fields if field != "type"]
        needs = HOST_PERMISSION if name in ("command", "test") else None
        described.append({"type": name, "description": text, "fields": fields, "permission": needs})
    return described


def _touches_host(part: Any) -> bool:
    return part.type in ("command", "test") or getattr(part, "expr", None) is not None


def _check_shape(spec: Any, place: str, depth: int, count: list[int]) -> None:
    """What pydantic says in a less helpful way: the kind of thing, known types and fields, sizes."""
    if not isinstance(spec, dict):
        raise InvalidVerifier(f"{place}: a verifier is an object with a type; types are {', '.join(KINDS)}.")
    if depth == 1 and _size(spec) > MAX_CHARACTERS:
        raise InvalidVerifier(f"{place}: a verifier may have at most {MAX_CHARACTERS:,} characters of JSON.")
    count[0] += 1
    if depth > MAX_DEPTH or count[0] > MAX_PARTS:
        raise InvalidVerifier(f"{place}: at most {MAX_DEPTH} levels and {MAX_PARTS} verifiers.")
    name = spec.get("type")
    if not isinstance(name, str) or name not in KINDS:
        said = "is missing" if name is None else f"{str(name)[:50]!r} is unknown"
        raise InvalidVerifier(f"{place}.type: {said}; allowed are {', '.join(KINDS)}.")
    allowed = list(KINDS[name].model_fields)
    for key in spec:
        if key not in allowed:
            raise InvalidVerifier(f"{place}.{str(key)[:50]}: unknown field; {name} has {', '.join(allowed)}.")
    inner = spec.get("of") if name in ("all", "any") else None
    for position, part in enumerate(inner if isinstance(inner, list) else []):
        _check_shape(part, f"{place}.of.{position}", depth + 1, count)


def _size(spec: Any) -> int:
    try:
        return len(json.dumps(spec))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidVerifier(f"verifier: it is not JSON: {error}.") from error


def _place(location: tuple[Any, ...]) -> str:
    """The path to a field as a person writes it: pydantic puts the verifier's type before its fields."""
    words, tag_follows = ["verifier"], True
    for part in location:
        if not tag_follows:
            words.append(str(part))
        tag_follows = isinstance(part, int) and words[-2] == "of"
    return ".".join(words)
