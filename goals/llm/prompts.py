"""Prompts are files: `goals/prompts/NAME.md`, YAML front matter and text, read once a process.

The text (and that of its `parts`) becomes the system message; of its `variants`, parts named NAME_VARIANT, it has the
one that is asked for. Each variable becomes a tagged section of one user message, in the order of the front matter. A
value cannot open or close a section: where it holds one of the prompt's own tags, the `<` is written `&lt;` in text and
`\\u003c` in JSON. Rendering is deterministic.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from goals.llm.errors import PromptError

FOLDER = Path(__file__).resolve().parent.parent / "prompts"
ROLES = ("planner", "worker", "judge", "summariser")
_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n---\n(.*)\Z", re.DOTALL)
_FIELDS = {"name", "description", "role", "variables", "variants", "parts"}


@dataclass(frozen=True)
class Prompt:
    """One prompt as it is sent; `hash` is the SHA-256 of all that it says and asks for."""

    name: str
    description: str
    role: str
    variables: tuple[str, ...]
    variants: tuple[str, ...]
    text: str
    hash: str
    own_tag: re.Pattern[str]


@cache
def load(name: str, variant: str = "") -> Prompt:
    """The prompt of that name, in that variant; PromptError when there is none or it is malformed."""
    path = FOLDER / f"{name}.md"
    if not re.fullmatch(r"[a-z_]+", name) or not path.is_file():
        raise PromptError(f"no prompt named {name!r}; known: {', '.join(names())}")
    front, text = _read(path)
    if front.keys() - _FIELDS or front.get("name") != name or front.get("role") not in ROLES:
        raise PromptError(f"{path.name}: front matter needs name {name!r} and role {' | '.join(ROLES)}")
    variables = tuple(front.get("variables") or ())
    variants = tuple(front.get("variants") or ())
    if variant and variant not in variants:
        raise PromptError(f"prompt {name} has no variant {variant!r}; known: {', '.join(variants) or 'none'}")
    parts = [*([f"{name}_{variant}"] if variant else []), *(front.get("parts") or ())]
    text = "\n\n".join([text.strip(), *map(_part, parts)])
    told = json.dumps([name, front["role"], variables, text], ensure_ascii=False)
    return Prompt(
        name=name,
        description=front.get("description", ""),
        role=front["role"],
        variables=variables,
        variants=variants,
        text=text,
        hash=hashlib.sha256(told.encode()).hexdigest(),
        own_tag=re.compile(rf"<(?=\s*/?\s*(?:{'|'.join(variables)})\b)", re.IGNORECASE),
    )


@cache
def names() -> tuple[str, ...]:
    """Every prompt there is, sorted."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.md")))


def render(name: str, variant: str = "", /, **variables: Any) -> list[dict[str, str]]:
    """The two messages. Every declared variable must be given, and no other."""
    prompt = load(name, variant)
    if variables.keys() != set(prompt.variables):
        missing = sorted(set(prompt.variables) - variables.keys())
        unknown = sorted(variables.keys() - set(prompt.variables))
        raise PromptError(f"prompt {name}: missing variables {missing}, unknown variables {unknown}")
    sections = [section(prompt, variable, variables[variable]) for variable in prompt.variables]
    return [{"role": "system", "content": prompt.text}, {"role": "user", "content": "\n\n".join(sections)}]


def section(prompt: Prompt, variable: str, value: Any) -> str:
    """`<variable>`, the text or compact JSON, `</variable>`."""
    if isinstance(value, str):
        shown = prompt.own_tag.sub("&lt;", value)
    else:
        told = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        shown = prompt.own_tag.sub(r"\\u003c", told)
    return f"<{variable}>\n{shown}\n</{variable}>"


def _part(name: str) -> str:
    return (FOLDER / "parts" / f"{name}.md").read_text(encoding="utf-8").strip()


def _read(path: Path) -> tuple[dict[str, Any], str]:
    found = _FRONT_MATTER.match(path.read_text(encoding="utf-8"))
    if not found:
        raise PromptError(f"{path.name}: needs YAML front matter between two lines of ---")
    front = yaml.safe_load(found.group(1))
    if not isinstance(front, dict):
        raise PromptError(f"{path.name}: the front matter is not a mapping")
    return front, found.group(2)
