"""Words and their stems: all that the rehearsal model understands of a text."""

import re

STAND_IN = "Rehearsal model (a stand-in that follows rules, not a language model): "

_WORD = re.compile(r"[^\W\d_]{2,}")
_STOP_WORDS = (
    "a about above after all also am an and any are as at be been before between both but by can could did do does "
    "done each few for from further get give given had has have he her here him his how i if in into is it its just "
    "let like me more most my need needs no nor not now of off on once only or other our out over own per please same "
    "she should so some such than that the their them then there these they this those through to too under until up "
    "us use using very want was we were what when where which while who whom why will with would you your"
)
_GENERIC_WORDS = (
    "write make create list file folder report text document data note show work thing new one every directory"
)
_DOING_WORDS = (
    "add automate book build buy calculate call cancel change clean close compare compile compose compute configure "
    "convert create delete deploy design develop download draft draw edit email erase explain fix generate implement "
    "install invent make merge migrate modify move order paint pay plan play post print publish refactor remove rename "
    "replace reserve rewrite run schedule sell send set sing solve start stop summarise summarize teach test train "
    "translate update upgrade upload write"
)
_STOP = frozenset(_STOP_WORDS.split())


def stem(word: str) -> str:
    """A crude English stem: enough that "modules" meets "module" and "booking" meets "book"."""
    word = word.lower()
    for ending, put in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", "e"), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)] + put
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def stems(text: str) -> set[str]:
    """The stems of the words that carry meaning."""
    return {stem(word) for word in _WORD.findall(text.lower()) if word not in _STOP}


def significant_words(text: str, limit: int = 8) -> list[str]:
    """The words worth searching for, in order, each once, without the generic ones."""
    found: dict[str, None] = {}
    for word in _WORD.findall(text):
        if len(word) > 2 and word.lower() not in _STOP and stem(word) not in _GENERIC_STEMS:
            found.setdefault(word.lower())
    return list(found)[:limit]


def leading_word(text: str) -> str:
    """The stem of the first word that carries meaning: in a wish as people write it, what is to be done."""
    return next((stem(word) for word in _WORD.findall(text.lower()) if word not in _STOP), "")


def deed_of(text: str) -> str:
    """The stem of the deed that the text asks for; "" where it asks to look."""
    leading = leading_word(text)
    return leading if leading in _DOING_STEMS else ""


def makes(deed: str) -> bool:
    """Whether this is to make something, which says nothing of what."""
    return deed in _MAKING_STEMS


def is_written_down(text: str) -> bool:
    """Whether what the text asks for is what looking leads to: a report, a list."""
    return bool(stems(text) & _FOUND_STEMS)


def weight(found: set[str]) -> float:
    """How much these stems say together: a generic one little."""
    return sum(0.4 if one in _GENERIC_STEMS else 1.0 for one in found)


def shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


_DOING_STEMS = frozenset(stem(word) for word in _DOING_WORDS.split())
_MAKING_STEMS = frozenset(stem(word) for word in ("write", "create", "make", "generate", "compile"))
_FOUND_STEMS = frozenset(
    stem(word) for word in ("report", "summary", "overview", "list", "findings", "index", "inventory")
)
_GENERIC_STEMS = frozenset(stem(word) for word in _GENERIC_WORDS.split())
