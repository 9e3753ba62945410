"""`web_fetch`: what a public address holds, as text, through the one HTTP door."""

from typing import Any

from pydantic import Field

from goals.door.asking import Reply, ask, read_address
from goals.door.errors import BadAddress, Refused, TimeOver, Unreachable
from goals.llm.transport import retry_after
from goals.states import EffectClass, Risk
from goals.tools import page_text
from goals.tools.base import OutputSpec, Reach, Tool, ToolContext, ToolInput, ToolResult
from goals.tools.errors import ToolError, ToolInputError, ToolTimeout
from goals.tools.text import decode, is_binary

MOST_BYTES = 1_000_000
MOST_CHARACTERS = 50_000
LONGEST_SECONDS = 30.0
MOST_REDIRECTS = 5
HTML = ("text/html", "application/xhtml+xml")
ACCEPTED = {"Accept": "text/html,application/xhtml+xml,text/*;q=0.9,application/json;q=0.9,*/*;q=0.1"}


class WebFetchInput(ToolInput):
    address: str = Field(description="https://… or http://…, a public address")
    offset: int = Field(0, ge=0, description="Characters of the text to skip, where it is long")


class WebFetch(Tool):
    name = "web_fetch"
    description = (
        "Read a public web page or text file. Gives {address, type, title, text, characters, next_offset}: of a page "
        "the text for readers, from `offset` on; next_offset is null at the end. Nothing is sent but the address."
    )
    Input = WebFetchInput
    outputs = (OutputSpec("page", "data", "What the address held, as text"),)
    effect_class = EffectClass.IDEMPOTENT
    risk = Risk.MODERATE
    reach = Reach.READ

    def beyond(self, arguments: dict[str, Any]) -> str:
        """One host that is down is left alone; the others are not."""
        try:
            return f"{self.name} {read_address(arguments.get('address')).host}"
        except BadAddress:
            return self.name

    def run(self, input: WebFetchInput, context: ToolContext) -> ToolResult:
        reply = _asked(input.address, min(LONGEST_SECONDS, context.remaining()))
        _refuse_status(reply)
        kind = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
        title, text = _read(reply, kind, context)
        if input.offset > len(text):
            raise ToolInputError(f"{self.name}: offset {input.offset} is beyond its {len(text)} characters.")
        end = min(len(text), input.offset + MOST_CHARACTERS)
        value = {
            "address": reply.address,
            "type": kind,
            "title": title,
            "text": text[input.offset : end],
            "characters": len(text),
            "next_offset": end if end < len(text) else None,
        }
        cut = f" (of the first {MOST_BYTES} bytes)" if reply.cut else ""
        return ToolResult(value, f"{end - input.offset} of {len(text)} characters{cut}.", untrusted=True)


def _asked(address: str, seconds: float) -> Reply:
    try:
        return ask("GET", address, seconds=seconds, most=MOST_BYTES, headers=ACCEPTED, redirects=MOST_REDIRECTS)
    except BadAddress as error:
        raise ToolInputError(f"web_fetch: the address {error}.") from error
    except Refused as error:
        raise ToolInputError(f"web_fetch: {error}.") from error
    except TimeOver as error:
        raise ToolTimeout(f"web_fetch: {error}.") from error
    except Unreachable as error:
        raise ToolError(f"web_fetch: {error}.", retryable=True) from error


def _refuse_status(reply: Reply) -> None:
    if 200 <= reply.status < 300:
        return
    if 300 <= reply.status < 400:
        raise ToolError(f"web_fetch: {reply.address} leads on after {MOST_REDIRECTS} redirects.")
    busy = reply.status == 429 or reply.status >= 500
    said = f"web_fetch: {reply.address} answered {reply.status}."
    raise ToolError(said, retryable=busy, retry_after=retry_after(reply.headers) if busy else None)


def _read(reply: Reply, kind: str, context: ToolContext) -> tuple[str, str]:
    """Return title and text; raises ToolError for what is no text."""
    if not _is_text(kind, reply):
        raise ToolError(f"web_fetch: {reply.address} holds no text but {kind or 'something else'}.")
    text = _decoded(reply)
    if kind not in HTML:
        return "", text
    try:
        return page_text.extract(text, context.remaining())
    except page_text.Unreadable as error:
        raise ToolError(f"web_fetch: the page at {reply.address} {error}.") from error


def _is_text(kind: str, reply: Reply) -> bool:
    """Whether it is text: by its type, or for one that may be anything, by being UTF-8."""
    if is_binary(reply.body):
        return False
    return kind.startswith("text/") or kind.endswith(("json", "xml")) or decode(reply.body).exact


def _decoded(reply: Reply) -> str:
    """Decode by the charset that was told, where there is such a one, else by what the bytes look like."""
    told = reply.headers.get("content-type", "").lower().partition("charset=")[2].strip("\"' ;")
    try:
        return reply.body.decode(told, "replace") if told else decode(reply.body).text
    except (LookupError, UnicodeError):
        return decode(reply.body).text
