"""Shell completion of `manage.py goals`: the script for a shell, and the words that it asks for.

The shell asks `goals complete WORD …`, whose last word is the one being written. No database is started for that: with
the site down, what needs it is not completed.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
from django.conf import settings
from django.db import connection
from django.utils.module_loading import import_string

from goals.management import acting
from goals.management.selecting import PREFIX, beginning
from goals.models import Goal
from goals.models.goal import LIVE
from goals.services import UNFINISHED
from goals.states import GoalStatus

ACTS = ("completion", "complete")
READING = ("list", "show", "tail", "answer", "skip", "retry", "edit")
FLAGS = ("--json", "--dry-run", "--state", "--owner", "--reason", "--older", "--newer", "--all")
COMMANDS = {"goals", "resume_goals", "budgets"}
MOST = 200
AMONG: dict[str, Any] = {"skip": UNFINISHED, "retry": UNFINISHED, "edit": UNFINISHED, "answer": LIVE}
BASH = """\
_goalsite() {
    local place
    for ((place = 0; place < COMP_CWORD; place++)); do
        [[ ${COMP_WORDS[place]} == *manage.py ]] || continue
        local program=("${COMP_WORDS[@]:0:place+1}") words=("${COMP_WORDS[@]:place+1:COMP_CWORD-place}")
        [[ ${words[0]} =~ ^(goals|resume_goals|budgets)$ ]] || return
        mapfile -t COMPREPLY < <("${program[@]}" goals complete -- "${words[@]}" 2>/dev/null)
        return
    done
}
complete -o default -F _goalsite manage.py python python3
"""
ZSH = """\
_goalsite() {
    local place
    for ((place = 1; place < CURRENT; place++)); do
        [[ $words[place] == *manage.py ]] || continue
        local -a program=("${(@)words[1,place]}") typed=("${(@)words[place+1,CURRENT]}")
        [[ $typed[1] == (goals|resume_goals|budgets) ]] || break
        compadd -- ${(f)"$("${program[@]}" goals complete -- "${typed[@]}" 2>/dev/null)"}
        return
    done
    _default
}
compdef _goalsite manage.py python python3
"""
SCRIPTS = {"bash": BASH, "zsh": ZSH}


def add_to(acts: Any) -> None:
    script = acts.add_parser("completion", help="print the completion script of a shell")
    script.add_argument("shell", choices=sorted(SCRIPTS))
    asked = acts.add_parser("complete", help="print what may come next; the shell asks it")
    asked.add_argument("words", nargs="*", metavar="WORD")


def handle(act: str, options: dict[str, Any], out: Any) -> None:
    if act == "completion":
        out.write(SCRIPTS[options["shell"]])
        return
    for word in candidates(options["words"]):
        out.write(word)


def candidates(words: Sequence[str]) -> list[str]:
    """Return what the last word can become; nothing where nothing can be said."""
    *before, last = words or [""]
    if not before or before[0] not in COMMANDS:
        return []
    return sorted(found for found in _possible(before, last) if found.startswith(last))


def _possible(before: Sequence[str], last: str) -> Iterator[str]:
    if before == ["goals"]:
        yield from (*READING, *acting.WHOLESALE, "completion")
        return
    act = before[1] if before[0] == "goals" else before[0]
    if act == "completion":
        yield from SCRIPTS
    elif before[-1] == "--state":
        yield from GoalStatus.values
    elif last.startswith("-"):
        yield from FLAGS
    else:
        yield from _ids(act, last)


def _ids(act: str, last: str) -> Iterator[str]:
    """Yield the ids of goals to which the act can be done, latest first."""
    letters = last.lower().replace("-", "")
    if letters and not PREFIX.fullmatch(letters):
        return
    if not _is_up():
        return
    rows = Goal.objects.owned_by(import_string(settings.GOALSITE_OPERATOR)())
    among = acting.WHOLESALE[act].among if act in acting.WHOLESALE else AMONG.get(act)
    rows = rows if among is None else rows.filter(status__in=among)
    rows = beginning(rows, letters) if letters else rows
    yield from map(str, rows.order_by("-created_at").values_list("pk", flat=True)[:MOST])


def _is_up() -> bool:
    """Whether the database answers at once; the pool would wait for it."""
    try:
        psycopg.connect(**{**connection.get_connection_params(), "connect_timeout": 2}).close()
    except psycopg.OperationalError:
        return False
    return True
