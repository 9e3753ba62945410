"""Recognising a procedure by its words, and drafting one from a goal that was achieved."""

import re
from collections import Counter
from itertools import chain
from typing import Any

from goals.llm.rehearsal.asked import Asked
from goals.llm.rehearsal.reply import Reply, Typed
from goals.llm.rehearsal.stated import FILE, QUOTED, stated_values
from goals.llm.rehearsal.words import STAND_IN, deed_of, makes, shortened, significant_words, stems, weight

ENOUGH_SHARED = 1.4
MUCH_SHARED = 1.5
CONVINCING = 0.35
INPUT_WEIGHT = 0.5
ENOUGH_COVERED = 0.6
ABOUT = 0.34


def judge_applicability(asked: Asked) -> Reply:
    """The candidate that fits the objective best, where that is convincing; else none."""
    objective = asked.text("objective")
    ranked = [(_stated_fit(objective, candidate), candidate) for candidate in asked.data("candidates", [])]
    fit, best = max(ranked, key=lambda pair: pair[0], default=(0.0, None))
    if best is None or not fit:
        return Typed(_verdict(None, 0.2, {}, "no procedure shares enough words with the objective."))
    stated = stated_values(f"{objective}\n{asked.text('context')}", _input_names(best))
    return Typed(_verdict(best["slug"], 0.9, stated, f"the objective and {best['slug']} share their words."))


def distil_sop(asked: Asked) -> Reply:
    """The checkpoints as they were, as steps."""
    objective = asked.text("objective")
    steps = [_step(one) for one in asked.data("checkpoints", []) if isinstance(one, dict)]
    words = [word for word in significant_words(objective) if re.fullmatch("[a-z]+", word)][:5]
    draft = {
        "slug": "-".join(words) or "procedure",
        "title": shortened(objective, 120) or "Procedure",
        "intent": shortened(objective, 500),
        "description": STAND_IN + "the steps of one achieved goal, copied as they were. Generalise before use.",
        "prerequisites": [],
        "inputs": [],
        "outputs": [],
        "steps": steps or [_step({"title": objective or "Do the work"})],
        "tags": words,
    }
    return Typed(draft)


def _stated_fit(objective: str, candidate: dict[str, Any]) -> float:
    """The fit that the search of procedures has found, where it says so; else that of the words."""
    fit = candidate.get("fit")
    if not isinstance(fit, int | float):
        return _fit(objective, candidate)
    return fit if fit >= CONVINCING and _is_about(objective, candidate) else 0.0


def _is_about(objective: str, candidate: dict[str, Any]) -> bool:
    """Whether the procedure says what the objective asks for: its deed, and enough of what it is about."""
    said = stems(
        " ".join(str(candidate.get(part) or "") for part in ("slug", "title", "intent", "description", "tags"))
    )
    stated = stated_values(objective, _input_names(candidate))
    wanted = _subject(objective) - stems(" ".join(stated.values()))
    deed = deed_of(objective)
    known = weight(wanted & said) + INPUT_WEIGHT * len(stated)
    return (not deed or makes(deed) or deed in said) and known >= 1 and known >= ABOUT * weight(wanted)


def _fit(objective: str, candidate: dict[str, Any]) -> float:
    """0 where it is not convincing, else more for more in common. An input that is stated counts as half a word."""
    stated = stated_values(objective, _input_names(candidate))
    given = INPUT_WEIGHT * sum(not FILE.fullmatch(value) for value in stated.values())
    wanted = _subject(objective) - stems(" ".join(stated.values()))
    tags = [tag for tag in candidate.get("tags") or () if isinstance(tag, str)]
    phrases = [stems(text) for text in (candidate.get("title") or "", *tags)]
    named = stems(candidate["slug"].replace("-", " ")) | phrases[0]
    times = Counter(chain(*phrases, stems(candidate.get("intent") or "")))
    shared = {word for word in wanted if word in named or times[word] > 1}
    if weight(shared) < 1:
        return 0.0
    enough = weight(shared) + given
    covered = enough / (weight(wanted) + given)
    phrase = max((_covered(shared, one) for one in phrases), default=0.0)
    by_phrase = enough >= ENOUGH_SHARED and phrase >= ENOUGH_COVERED
    by_objective = enough >= MUCH_SHARED and covered >= ENOUGH_COVERED
    return phrase + covered if by_phrase or by_objective else 0.0


def _input_names(candidate: dict[str, Any]) -> list[str]:
    inputs = candidate.get("inputs") or ()
    return [value["name"] for value in inputs if isinstance(value, dict) and value.get("name")]


def _covered(shared: set[str], phrase: set[str]) -> float:
    """The share of the phrase that the objective says; a phrase of one word proves nothing."""
    return weight(shared & phrase) / weight(phrase) if weight(phrase) >= ENOUGH_SHARED else 0.0


def _subject(objective: str) -> set[str]:
    """The objective's stems; a quoted text says nothing of its kind, and a file's name says "file" and its ending."""
    return stems(FILE.sub(lambda found: f" file {found.group(1).rsplit('.', 1)[-1]} ", QUOTED.sub(" text ", objective)))


def _verdict(slug: str | None, confidence: float, inputs: dict[str, str], reason: str) -> dict[str, Any]:
    return {
        "sop": slug,
        "confidence": confidence,
        "missing_prerequisites": [],
        "inputs": inputs,
        "reasoning": STAND_IN + reason,
    }


def _step(checkpoint: dict[str, Any]) -> dict[str, Any]:
    return {
        "gloss": shortened(checkpoint.get("title") or checkpoint.get("gloss") or "Do the work", 2_000),
        "predicate": checkpoint.get("predicate") or "execute",
        "evidence_key": checkpoint.get("evidence_key") or None,
        "tools": checkpoint.get("tools") or [],
        "args": checkpoint.get("args") or {},
        "done_when": checkpoint.get("done_when") or [],
        "prompt": None,
    }
