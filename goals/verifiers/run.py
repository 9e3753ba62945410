"""Run a verifier and say what it found. A verifier that cannot run is broken, which is never met."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from goals.tools.errors import ToolError, ToolInputError
from goals.tools.text import decode
from goals.tools.workspace import Workspace
from goals.verifiers.errors import ExpressionError, MissingArtifact, VerifierError
from goals.verifiers.expressions import evaluate, plain
from goals.verifiers.fingerprint import fingerprint
from goals.verifiers.sandbox import Limits, SandboxResult, run_command
from goals.verifiers.schemas import problem_with
from goals.verifiers.spec import (
    AllVerifier,
    AnyVerifier,
    ArtifactVerifier,
    CommandVerifier,
    DataVerifier,
    LlmVerifier,
    parse,
)
from goals.verifiers.summary import summary_line

MAX_EVIDENCE = 2000
MAX_DOCUMENT = 64 * 1024 * 1024

Found = tuple[bool, Any, str]
Judgement = tuple[bool, float | None, str, str]


@dataclass(frozen=True)
class VerifierContext:
    """What a verifier may look at. `artifact(name)` gives (found, value, type); `judge(condition)` gives
    (met, score, reason, evidence) and None means that no model may be asked."""

    workspace: Workspace
    artifact: Callable[[str], Found]
    judge: Callable[[str], Judgement] | None = None
    timeout: float = 120.0


@dataclass(frozen=True)
class Verdict:
    """What a verifier found. `error` says why it could not decide (then `met` is false); "" when it could."""

    met: bool
    reason: str
    evidence: str = ""
    error: str = ""
    score: float | None = None
    fingerprint: str = ""
    seconds: float = 0.0
    details: dict[str, Any] = field(default_factory=dict)


def run(spec: Any, context: VerifierContext) -> Verdict:
    """The verdict on a spec (plain or typed). InvalidVerifier for what is no spec; all else becomes a verdict."""
    verifier = parse(spec)
    started = time.monotonic()
    until = started + context.timeout
    try:
        verdict = _decide(verifier, context, until)
    except (VerifierError, ToolError) as error:
        verdict = _broken(str(error))
    verdict = replace(verdict, evidence=_tail(verdict.evidence), reason=verdict.reason[:MAX_EVIDENCE])
    print_ = fingerprint(verdict.met, verdict.reason, verdict.evidence, verdict.error)
    return replace(verdict, fingerprint=print_, seconds=time.monotonic() - started)


def _decide(verifier: Any, context: VerifierContext, until: float) -> Verdict:
    if time.monotonic() > until:
        return _broken(f"The verifier did not finish within {context.timeout:g} s.")
    if isinstance(verifier, AllVerifier | AnyVerifier):
        return _combine(verifier, context, until)
    if isinstance(verifier, CommandVerifier):
        return _command(verifier, context, until)
    if isinstance(verifier, DataVerifier):
        return _data(verifier, context)
    if isinstance(verifier, ArtifactVerifier):
        return _artifact(verifier, context)
    return _llm(verifier, context)


def _broken(error: str) -> Verdict:
    return Verdict(False, f"The verifier could not run: {error}", error=error or "unknown")


def _tail(text: str) -> str:
    return text if len(text) <= MAX_EVIDENCE else "…" + text[-(MAX_EVIDENCE - 1) :]


def _combine(verifier: AllVerifier | AnyVerifier, context: VerifierContext, until: float) -> Verdict:
    """`all` ends at the first that is not met, `any` at the first that is; a broken part is not met."""
    wanted = isinstance(verifier, AnyVerifier)
    verdicts: list[Verdict] = []
    for part in verifier.of:
        try:
            verdict = _decide(part, context, until)
        except (VerifierError, ToolError) as error:
            verdict = _broken(str(error))
        verdicts.append(verdict)
        if verdict.met is wanted:
            break
    details = {"parts": [_part(p.type, v) for p, v in zip(verifier.of, verdicts, strict=False)], "of": len(verifier.of)}
    if wanted and not verdicts[-1].met:
        broken = next((v.error for v in verdicts if v.error), "")
        reason = " ".join(f"({n}) {v.reason}" for n, v in enumerate(verdicts, 1))
        evidence = "\n".join(v.evidence for v in verdicts if v.evidence)
        return Verdict(False, f"None is met. {reason}", evidence, error=broken, details=details)
    last = verdicts[-1]
    many = len(verifier.of) > 1 and not wanted
    passed = " ".join(dict.fromkeys(v.reason for v in verdicts))[:600]
    reason = f"All {len(verdicts)} checks passed. {passed}" if many and last.met else last.reason
    scores = [v.score for v in verdicts if v.score is not None]
    return replace(last, reason=reason, score=min(scores, default=None), details=details)


def _part(kind: str, verdict: Verdict) -> dict[str, Any]:
    return {"type": kind, "met": verdict.met, "reason": verdict.reason[:300], "error": verdict.error[:300]}


def _data(verifier: DataVerifier, context: VerifierContext) -> Verdict:
    if verifier.path is not None:
        where, data = verifier.path, _text_of(verifier.path, context)
        if data is None:
            return Verdict(False, f"There is no file {where} in the workspace that can be read.")
    else:
        where = f"@{verifier.artifact}"
        found, data, _ = context.artifact(str(verifier.artifact))
        if not found:
            return Verdict(False, f"There is no artifact {where}.")
    if verifier.contains is not None:
        return _contains(data, verifier.contains, where)
    return _expression(verifier, data, where, context)


def _text_of(path: str, context: VerifierContext) -> str | None:
    context.workspace.place(path)
    if not context.workspace.exists(path):
        return None
    if context.workspace.size(path) > MAX_DOCUMENT:
        raise ToolInputError(f"{path!r} is larger than {MAX_DOCUMENT:,} bytes.")
    return decode(context.workspace.read_bytes(path, limit=MAX_DOCUMENT)).text


def _contains(data: Any, wanted: str, where: str) -> Verdict:
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    at = text.find(wanted)
    if at < 0:
        return Verdict(False, f"{where} does not contain {wanted[:200]!r}.", text[:MAX_EVIDENCE])
    return Verdict(True, f"{where} contains {wanted[:200]!r}.", text[max(at - 200, 0) : at + len(wanted) + 200])


def _expression(verifier: DataVerifier, data: Any, where: str, context: VerifierContext) -> Verdict:
    if verifier.path is not None:
        try:
            data = json.loads(data)
        except (ValueError, RecursionError) as error:
            if where.lower().endswith(".json"):
                return Verdict(False, f"{where} is not JSON: {error}.", data[:MAX_EVIDENCE])
    else:
        data = plain(data)
    try:
        result = evaluate(str(verifier.expr), {"data": data}, {"artifact": _other_artifacts(context)})
    except MissingArtifact as error:
        return Verdict(False, str(error))
    shown = str(result)[:200]
    if result:
        return Verdict(True, f"What is expected of {where} holds.", f"{verifier.expr} is {shown}")
    return Verdict(False, f"{verifier.expr} is {shown} for {where}.", shown)


def _other_artifacts(context: VerifierContext) -> Callable[[Any], Any]:
    """The function that expressions call to see the rest of the goal's evidence; each artifact is read once."""
    seen: dict[str, Any] = {}

    def artifact(name: Any) -> Any:
        if not isinstance(name, str):
            raise ExpressionError("artifact takes a name.")
        if name not in seen:
            found, value, _ = context.artifact(name)
            if not found:
                raise MissingArtifact(f"There is no artifact @{name[:200]}.")
            seen[name] = plain(value)
        return seen[name]

    return artifact


def _artifact(verifier: ArtifactVerifier, context: VerifierContext) -> Verdict:
    found, value, kind = context.artifact(verifier.name)
    if not verifier.exists:
        return Verdict(not found, f"The artifact @{verifier.name} is {'there' if found else 'not there'}.")
    if not found:
        return Verdict(False, f"There is no artifact @{verifier.name}.")
    if verifier.json_schema is not None:
        try:
            problem = problem_with(value, verifier.json_schema)
        except RecursionError:
            return _broken(f"@{verifier.name} is too deep to be checked.")
        if problem:
            return Verdict(False, f"@{verifier.name} does not fit the schema: {problem}.", _shown(value))
    return Verdict(True, f"The artifact @{verifier.name} ({kind}) is there.", _shown(value))


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)[:MAX_EVIDENCE]


def _llm(verifier: LlmVerifier, context: VerifierContext) -> Verdict:
    if context.judge is None:
        return _broken("No model may be asked here.")
    met, score, reason, evidence = context.judge(verifier.condition)
    return Verdict(met, reason, evidence, score=score)


def _command(verifier: CommandVerifier, context: VerifierContext, until: float) -> Verdict:
    seconds = max(min(verifier.timeout or context.timeout, until - time.monotonic()), 0.1)
    context.workspace.place(verifier.cwd, write=True)
    limits = Limits(seconds=seconds, cpu_seconds=max(int(seconds) * 2, 1))
    result = run_command(verifier.command, context.workspace.root, verifier.cwd, limits)
    details = {"isolation": result.isolation, "exit_code": result.exit_code, "command": verifier.command}
    met = result.exit_code == 0
    return Verdict(met, _said(verifier, result, seconds), result.output, details=details)


def _said(verifier: CommandVerifier, result: SandboxResult, seconds: float) -> str:
    if result.stopped == "time":
        return f"The command did not end within {seconds:g} s and was stopped."
    if result.stopped:
        what = "wrote too much" if result.stopped == "output" else "started too many processes"
        return f"The command {what} and was stopped."
    summary = summary_line(result.output) if verifier.type == "test" else ""
    said = f"The command ended with {result.exit_code}."
    return f"{summary} ({said})" if summary else said
