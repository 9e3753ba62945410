"""The fields in which a question is answered: made from its JSON schema, and read back into a value for it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import jsonschema

from goals.exceptions import InvalidInput
from goals.models import Question
from goals.models.question import is_of_file
from goals.states import QuestionKind

ANSWER = "answer"
MOST_BUTTONS = 6
MOST_OPTIONS = 500
MOST_LETTERS = 20_000
LONG = 200  # a text that may be longer gets room for several lines
FORMATS = {"date": "date", "time": "time", "date-time": "datetime-local", "email": "email", "uri": "url"}
BOUNDS = {"minimum": "min", "maximum": "max", "multipleOf": "step"}


@dataclass(frozen=True)
class Option:
    """One of several: what is sent (JSON), and what is shown."""

    value: str
    label: str


@dataclass(frozen=True)
class Field:
    """`kind` is an input's type, or one of text, long, lines, json, select, radio, checks."""

    name: str
    kind: str
    schema: Mapping[str, Any]
    label: str = ""
    required: bool = True
    hint: str = ""
    options: list[Option] = field(default_factory=list)
    attributes: dict[str, str] = field(default_factory=dict)


def fields_of(question: Question) -> list[Field]:
    """Return the fields of a question that is not answered by its buttons alone.

    JSON as Postgres keeps it has forgotten the order of the parts; that of `required` is as it was written.
    """
    if question.kind != QuestionKind.INFORMATION:
        return []
    schema = question.schema if isinstance(question.schema, dict) else {}
    parts = schema.get("properties")
    if _type(schema) != "object" or not isinstance(parts, dict) or not parts:
        return [] if choices_of(schema) else [_field(ANSWER, schema, "Your answer")]
    wanted = schema.get("required")
    required = [name for name in wanted if name in parts] if isinstance(wanted, list) else []
    return [
        _field(f"{ANSWER}.{name}", part if isinstance(part, dict) else {}, _label(name, part), name in required)
        for name, part in ((name, parts[name]) for name in dict.fromkeys([*required, *parts]))
    ]


def choices_of(schema: Any) -> list[Option]:
    """Return what a schema leaves to choose from, where that is little enough for a button each."""
    if not isinstance(schema, dict):
        return []
    options = _options(schema)
    return options if len(options) <= MOST_BUTTONS else []


def _field(name: str, schema: dict[str, Any], label: str, required: bool = True) -> Field:
    kind, options = _kind(schema)
    hint = schema.get("description")
    attributes = {html: str(schema[word]) for word, html in BOUNDS.items() if _is_number(schema.get(word))}
    if kind == "number":
        attributes.setdefault("step", "1" if _type(schema) == "integer" else "any")
    if kind == "file" and isinstance(schema.get("contentMediaType"), str):
        attributes["accept"] = schema["contentMediaType"]
    if kind in {"text", "long", "email", "url"}:
        attributes["maxlength"] = str(_most(schema))
    said = f"{hint}. {_range(schema)}" if isinstance(hint, str) and hint else _range(schema)
    return Field(name, kind, schema, label, required, said.strip(" ."), options, attributes)


def _kind(schema: dict[str, Any]) -> tuple[str, list[Option]]:
    options = _options(schema)
    if options:
        return ("radio" if len(options) <= MOST_BUTTONS else "select"), options
    match _type(schema):
        case "integer" | "number":
            return "number", []
        case "array":
            items = schema.get("items")
            several = _options(items) if isinstance(items, dict) else []
            is_text = isinstance(items, dict) and _type(items) == "string"
            return ("checks", several) if several else ("lines" if is_text else "json", [])
        case "object":
            return "json", []
        case "string" if is_of_file(schema):
            return "file", []
    shape = FORMATS.get(str(schema.get("format")))
    if shape:
        return shape, []
    return ("text" if _most(schema) <= LONG else "long"), []


def _options(schema: dict[str, Any]) -> list[Option]:
    given = schema.get("enum")
    if isinstance(given, list):
        return [Option(json.dumps(one), _said(one)) for one in given[:MOST_OPTIONS]]
    return [Option("true", "Yes"), Option("false", "No")] if _type(schema) == "boolean" else []


def _said(value: Any) -> str:
    words = {True: "Yes", False: "No", None: "None of them"}
    if value is None or isinstance(value, bool):
        return words[value]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _type(schema: Mapping[str, Any]) -> str:
    given = schema.get("type")
    if isinstance(given, list):
        given = next((one for one in given if one != "null"), None)
    return given if isinstance(given, str) else ""


def _label(name: str, part: Any) -> str:
    title = part.get("title") if isinstance(part, dict) else None
    return title if isinstance(title, str) and title else name.replace("_", " ").capitalize()


def _range(schema: Mapping[str, Any]) -> str:
    """Say the bounds, which a browser tells only once they are broken."""
    least, most = schema.get("minimum"), schema.get("maximum")
    if _is_number(least) and _is_number(most):
        return f"From {least} to {most}"
    if _is_number(least):
        return f"{least} or more"
    return f"{most} or less" if _is_number(most) else ""


def _most(schema: Mapping[str, Any]) -> int:
    most = schema.get("maxLength")
    return most if isinstance(most, int) and 0 < most < MOST_LETTERS else MOST_LETTERS


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


# -- reading ------------------------------------------------------------------------------------------------------


def read(question: Question, post: Any) -> Any:
    """Return the answer that a form says; raises InvalidInput field by field. `post` is a QueryDict."""
    fields = fields_of(question)
    if not fields or fields[0].name == ANSWER:
        return _value(fields[0], post) if fields else post.get(ANSWER, "")
    values: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for one in fields:
        try:
            value = _value(one, post)
        except InvalidInput as error:
            errors |= error.errors
            continue
        if value is not None:
            values[one.name.removeprefix(f"{ANSWER}.")] = value
        elif one.required:
            errors[one.name] = "must not be empty"
    if errors:
        raise InvalidInput(errors)
    return values


def _value(one: Field, post: Any) -> Any:
    """Return one field's value; None where nothing was said."""
    if one.kind == "checks":
        return _fits(one, [_json(one, text) for text in post.getlist(one.name)])
    text = post.get(one.name, "").replace("\r\n", "\n")
    if not text.strip():
        return None
    match one.kind:
        case "radio" | "select" | "json":
            return _fits(one, _json(one, text))
        case "number":
            return _fits(one, _number(one, text))
        case "lines":
            return _fits(one, [line.strip() for line in text.splitlines() if line.strip()])
        case _:
            return _fits(one, text.strip())


def _json(one: Field, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput({one.name: "must be JSON"}) from None


def _number(one: Field, text: str) -> int | float:
    whole = _type(one.schema) == "integer"
    try:
        return int(text) if whole else float(text)
    except ValueError:
        raise InvalidInput({one.name: f"must be a {'whole ' if whole else ''}number"}) from None


def _fits(one: Field, value: Any) -> Any:
    """Hold one field of several to its own schema, so that what is wrong is said there."""
    if one.name == ANSWER:
        return value
    try:
        jsonschema.validate(value, one.schema, format_checker=jsonschema.FormatChecker())
    except jsonschema.ValidationError as error:
        raise InvalidInput({one.name: error.message[:300]}) from None
    except jsonschema.SchemaError:
        return value
    return value
