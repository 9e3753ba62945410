"""Files of procedures, read into JSON values: `.yaml`, `.yml` and `.json`, one or several procedures each."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from sops.exceptions import InvalidSop

SUFFIXES = (".json", ".yaml", ".yml")
MAX_BYTES = 1_000_000


def read(paths: Iterable[Path | str]) -> Iterator[tuple[str, Any]]:
    """Each procedure as (where it stands, JSON value). Raises `InvalidSop` for what cannot be read."""
    for path in files(paths):
        for number, raw in enumerate(entries := parsed(path), 1):
            yield (str(path) if len(entries) == 1 else f"{path} (number {number})"), raw


def files(paths: Iterable[Path | str]) -> Iterator[Path]:
    """The files themselves; a folder stands for every procedure file under it, in order of name."""
    for path in map(Path, paths):
        if path.is_dir():
            found = sorted(item for item in path.rglob("*") if item.suffix in SUFFIXES and item.is_file())
            if not found:
                raise InvalidSop(str(path), [("(folder)", f"holds no procedure file ({', '.join(SUFFIXES)})")])
            yield from found
        elif path.is_file():
            yield path
        else:
            raise InvalidSop(str(path), [("(file)", "does not exist")])


def parsed(path: Path) -> list[Any]:
    if path.suffix not in SUFFIXES:
        raise InvalidSop(str(path), [("(file)", f"must end in {', '.join(SUFFIXES)}")])
    if path.stat().st_size > MAX_BYTES:
        raise InvalidSop(str(path), [("(file)", f"is over {MAX_BYTES} bytes")])
    try:
        text = path.read_bytes().decode("utf-8")
        found = from_json(text) if path.suffix == ".json" else from_yaml(text)
    except UnicodeDecodeError as error:
        raise InvalidSop(str(path), [("(file)", f"is not UTF-8 (byte {error.start})")]) from error
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        name = "JSON" if path.suffix == ".json" else "YAML"
        raise InvalidSop(str(path), [("(file)", f"is not {name}: {' '.join(str(error).split())}")]) from error
    if not found:
        raise InvalidSop(str(path), [("(file)", "is empty; a procedure has title, intent and steps")])
    return found


def from_json(text: str) -> list[Any]:
    value = json.loads(text, parse_constant=refuse_constant, object_pairs_hook=distinct)
    return value if isinstance(value, list) else [value]


def from_yaml(text: str) -> list[Any]:
    documents = [document for document in yaml.load_all(text, Loader=PlainLoader) if document is not None]
    if len(documents) == 1 and isinstance(documents[0], list):
        return documents[0]
    return documents


def refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON value")


def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name!r} is given twice in one object")
    return dict(pairs)


class PlainLoader(yaml.SafeLoader):
    """YAML as a notation for JSON: no aliases, no dates, no name twice."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("aliases (*name) are not allowed")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        distinct([(str(self.construct_object(key, deep=True)), None) for key, _ in node.value])
        return super().construct_mapping(node, deep=deep)


PlainLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
