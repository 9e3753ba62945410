"""What a model says it made, kept as artifacts, and the result of its work."""

from typing import Any

from artifacts.models import Artifact
from goals import results
from goals.driver import Drive
from goals.effects.making import labelled, make_artifact, note_evidence
from goals.models import Subgoal
from goals.transitions import Writer


def write_outputs(
    drive: Drive,
    writer: Writer,
    subgoal: Subgoal,
    outputs: Any,
    text: str,
    *,
    untrusted: bool,
    sources: tuple[Artifact, ...] = (),
    as_evidence: bool = True,
) -> dict[str, Any]:
    """Keep what the model says it made, and return the result of the subgoal.

    The evidence of the step is the text itself, unless an output has its key, or it is there already.
    """
    made = {
        "metadata": {"subgoal": str(subgoal.pk), "success": True},
        "trust": "untrusted" if untrusted else "trusted",
        "derived_from": sources,
    }
    names = []
    for output in outputs:
        make_artifact(
            writer,
            output.name,
            type=output.type,
            value=output.value,
            description=output.description,
            purpose=output.purpose,
            **made,
        )
        names.append(output.name)
    key, kept = subgoal.evidence_key, ""
    if as_evidence and key and key not in names and text:
        artifact = make_artifact(writer, key, type="text", value=text, description=subgoal.gloss[:500], **made)
        kept = f"@{key}:{artifact.version}"
        names.append(key)
    note_evidence(drive, *names)
    return write_result(writer, subgoal, text, untrusted=untrusted, sources=sources, kept=kept)


def write_result(
    writer: Writer,
    subgoal: Subgoal,
    text: str,
    *,
    untrusted: bool,
    sources: tuple[Artifact, ...] = (),
    kept: str = "",
) -> dict[str, Any]:
    """Return the result of a subgoal; one that is longer than prompts tell is kept as an artifact, if not as `kept`."""
    if len(text) > results.LONGEST and not kept:
        artifact = make_artifact(
            writer,
            f"result-{subgoal.pk.hex[-12:]}",
            type="text",
            value=text,
            description=subgoal.gloss[:500],
            purpose="All of a result that is too long for a prompt",
            metadata={"subgoal": str(subgoal.pk)},
            trust="untrusted" if untrusted else "trusted",
            derived_from=sources,
        )
        kept = f"@{artifact.name}:{artifact.version}"
    return labelled({"text": text, **({"kept": kept} if kept else {})}, untrusted)
