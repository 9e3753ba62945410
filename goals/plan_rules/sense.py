"""Whether a plan says anything: no step twice, none that only restates the goal, and criteria that can be checked."""

import re
from collections.abc import Callable, Iterator, Sequence

from goals.plan_rules.nodes import WORKING, Node
from goals.states import Predicate

COVERED = 0.8
STEM = 4
WORD = re.compile(r"[^\W_]+")
# What can be looked at: an artifact, a file, a number, a quotation.
CONCRETE = re.compile(r"@\w|\w\.\w|\d|[\"“”«»`]")
_FILLER = (
    "a an the this that it its is are be been was were to of in on at for and or with by as we i you our your my "
    "goal goals objective aim task tasks work step checkpoint do does did done doing make sure achieve achieves "
    "achieved achieving complete completes completed completing completion finish finished fulfil fulfilled reach "
    "reached accomplish accomplished execute executed perform performed carry carried out meet met satisfy satisfied "
    "successful successfully success whole entire full fully all everything has have will shall should must"
)
_VAGUE = (
    "well good great nice nicely fine ok okay right correct correctly proper properly quality high highest best "
    "excellent perfect perfectly happy pleased content satisfying satisfactory satisfaction user owner person people "
    "everyone customer works working expected expectation expectations desired wanted required intended appropriate "
    "adequate acceptable enough result results outcome outcomes output ready"
)
FILLER = frozenset(_FILLER.split())
VAGUE = FILLER | frozenset(_VAGUE.split())


def words(text: str, left_out: frozenset[str]) -> set[str]:
    """The beginnings of the words that say something: "listing" and "lists" begin alike."""
    found = WORD.findall(text.casefold())
    return {word if len(word) <= STEM else word[:STEM] for word in found if word not in left_out}


def repeated_steps(nodes: Sequence[Node]) -> Iterator[str]:
    seen: dict[str, Node] = {}
    for node in nodes:
        title = " ".join(node.title.casefold().split())
        first = seen.setdefault(title, node)
        if title and first is not node:
            field = "title" if "title" in node.raw else "gloss"
            yield f"{node.path}.{field}: {node.title[:100]!r} is that of {first.path} too; each step is planned once"


def restating_checkpoints(nodes: Sequence[Node], objective: str) -> Iterator[str]:
    """A checkpoint that says no more than its goal: nothing to look at, no part of it, no other words."""
    for node in nodes:
        if node.predicate not in WORKING or node.raw.get("verifier") is not None or node.made:
            continue
        said = f"{node.title}\n{node.text('description')}\n{node.text('success_criteria')}\n{_instructions(node)}"
        if not CONCRETE.search(said) and _restates(said, objective):
            yield (
                f"{node.path}: only restates the goal; say which part of it is done here, with what, and what "
                "a stranger could check afterwards"
            )


def restating_subgoals(nodes: Sequence[Node], task: str) -> Iterator[str]:
    """A subgoal that is its own task again gets nowhere: as a plan, or beside others."""
    for node in nodes:
        if node.predicate in WORKING and (node.predicate == Predicate.COMPOSITE or len(nodes) > 1):
            said = f"{node.title}\n{_instructions(node)}"
            if _restates(said, task):
                yield f"{node.path}: only restates the task; say which part of it is reached here"


def _instructions(node: Node) -> str:
    value = node.args.get("instructions")
    return value if isinstance(value, str) else ""


def _restates(said: str, objective: str) -> bool:
    wanted, own = words(objective, FILLER), words(said, FILLER)
    return own <= wanted and len(own) >= COVERED * len(wanted)


def uncheckable(node: Node) -> Iterator[str]:
    """Criteria that a judge could only nod at. What a tool or a person gives is proved by its conditions."""
    for path, condition in node.conditions:
        statement = condition.get("predicate")
        if condition.get("kind") == "predicate_true" and isinstance(statement, str) and is_vague(statement):
            yield f"{path}.predicate: {_say_what(statement)}"
    if "success_criteria" in node.raw and node.predicate in WORKING and node.raw.get("verifier") is None:
        criteria = node.text("success_criteria")
        if is_vague(criteria):
            yield f"{node.path}.success_criteria: {_say_what(criteria)}"


def is_vague(text: str) -> bool:
    return not CONCRETE.search(text) and not words(text, VAGUE)


def _say_what(text: str) -> str:
    told = f"{text[:100]!r} is nothing that can be checked" if text.strip() else "is empty"
    return f"{told}; name what a stranger could look at: a file, an artifact, a figure, a text"


Rule = Callable[[Node], Iterator[str]]
