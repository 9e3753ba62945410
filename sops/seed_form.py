"""PURE: the older, looser way of writing a procedure, brought into the form of `sops.schema`.

Older files say `suggestedTools`, `doneWhen` with `hasEvidence` and `predicateTrue`, give inputs and outputs as an
object of name -> description, and steps without a predicate. What is already in our form passes through unchanged.
"""

import re
from typing import Any

RENAMED = {
    "suggestedTools": "tools",
    "suggested_tools": "tools",
    "doneWhen": "done_when",
    "evidenceKey": "evidence_key",
}
ASKING = re.compile(r"^\s*(gather|ask(?:\s+for)?)\b\s*", re.IGNORECASE)
FILLER = frozenset({"a", "an", "the", "for", "user", "users", "person", "about", "from", "their", "your"})


def modernise_sop(raw: Any) -> Any:
    """The whole procedure, its inputs and outputs as lists and its slug from the title where none is given."""
    if not isinstance(raw, dict):
        return raw
    sop = dict(raw)
    for field in ("inputs", "outputs"):
        if isinstance(sop.get(field), dict):
            sop[field] = [described(name, about) for name, about in sop[field].items()]
    if isinstance(sop.get("quality"), int | float) and not isinstance(sop["quality"], bool):
        sop["quality"] = {"rating": sop["quality"]}
    if "slug" not in sop and isinstance(sop.get("title"), str):
        sop["slug"] = slug_of(sop["title"])
    return sop


def modernise_step(raw: Any) -> Any:
    """One step, its predicate inferred where it says none: a tool is used, "Gather" and "Ask" ask, else execute."""
    if isinstance(raw, str):
        raw = {"gloss": raw}
    if not isinstance(raw, dict):
        return raw
    step = {RENAMED.get(name, name): value for name, value in raw.items()}
    if isinstance(step.get("done_when"), dict):
        step["done_when"] = [step["done_when"]]
    if isinstance(step.get("done_when"), list):
        step["done_when"] = [modernise_condition(condition) for condition in step["done_when"]]
    if "predicate" not in step:
        step["predicate"] = inferred_predicate(step)
    return step


def modernise_condition(raw: Any) -> Any:
    if not isinstance(raw, dict):
        return raw
    if raw.get("kind") == "hasEvidence":
        return {**raw, "kind": "has_evidence"}
    if raw.get("kind") == "predicateTrue":
        rest = {name: value for name, value in raw.items() if name not in ("kind", "pred")}
        return {"kind": "predicate_true", **({"predicate": statement(raw["pred"])} if "pred" in raw else {}), **rest}
    return raw


def statement(pred: Any) -> Any:
    """`{"name": "verify_payment", "args": {"amount": 3}}` as words: "verify payment (amount: 3)"."""
    if not isinstance(pred, dict) or not isinstance(pred.get("name"), str):
        return pred
    args = pred.get("args") or {}
    about = ", ".join(f"{name}: {value}" for name, value in args.items()) if isinstance(args, dict) else str(args)
    return pred["name"].replace("_", " ") + (f" ({about})" if about else "")


def inferred_predicate(step: dict[str, Any]) -> str:
    if step.get("tools"):
        return "use_tool"
    return "gather_info" if ASKING.match(str(step.get("gloss", ""))) else "execute"


def key_of(gloss: str) -> str:
    """The evidence key that "Gather the travel date" asks for: `travel_date`."""
    words = re.findall(r"[a-z0-9]+", ASKING.sub("", gloss).lower())
    kept = [word for word in words if word not in FILLER] or words or ["answer"]
    return "_".join(kept[:4])


def slug_of(title: str) -> str:
    return "-".join(re.findall(r"[a-z0-9]+", title.lower()))[:80].strip("-")


def described(name: str, about: Any) -> Any:
    if isinstance(about, dict):
        return {"name": name, **about}
    return {"name": name, "description": about}
