"""`train_search` and `train_book`: demonstration tools. No train runs and no ticket is sold."""

import datetime as dt
import hashlib
import re
from typing import Any

from pydantic import Field

from goals.states import EffectClass, Risk
from goals.tools import demo_ledger
from goals.tools.base import OutputSpec, ProbeResult, Reach, Tool, ToolContext, ToolInput, ToolResult
from goals.tools.errors import ToolInputError

_ID = re.compile(r"\bDEMO-\d{3}\b", re.IGNORECASE)


class TrainSearchInput(ToolInput):
    origin: str = Field(min_length=1, max_length=100, description="Where the journey begins")
    destination: str = Field(min_length=1, max_length=100, description="Where it ends")
    date: dt.date = Field(description="Day of travel, YYYY-MM-DD")


class TrainSearch(Tool):
    name = "train_search"
    description = (
        "Demonstration: invented trains between two places on a day. Gives {trains: [{id, departure, arrival, duration,"
        " changes, price_eur, option}], options, origin, destination, date, demonstration: true}."
    )
    Input = TrainSearchInput
    outputs = (OutputSpec("train_list", "data", "Invented trains to choose from (a demonstration)"),)
    reach = Reach.NONE

    def run(self, input: TrainSearchInput, context: ToolContext) -> ToolResult:
        """The same three trains for the same question, always."""
        origin, destination = input.origin.strip(), input.destination.strip()
        if not origin or origin.casefold() == destination.casefold():
            raise ToolInputError("train_search: origin and destination must be two different places.")
        trains = timetable(origin, destination)
        value = {"trains": trains, "options": [t["option"] for t in trains], "origin": origin}
        value |= {"destination": destination, "date": input.date.isoformat(), "demonstration": True}
        return ToolResult(value, f"{len(trains)} demonstration trains from {origin} to {destination}.")


class TrainBookInput(ToolInput):
    train: str = Field(min_length=1, max_length=200, description="Id of a train from train_search, or an option's text")
    origin: str = Field("", max_length=100)
    destination: str = Field("", max_length=100)
    date: dt.date | None = Field(None, description="Day of travel, YYYY-MM-DD")
    passenger: str = Field("", max_length=200)


class TrainBook(Tool):
    name = "train_book"
    description = (
        "Demonstration: book a train found by train_search; no ticket is sold. Gives {reference, train, origin, "
        "destination, date, passenger, status, demonstration: true}."
    )
    Input = TrainBookInput
    outputs = (OutputSpec("booking", "data", "The booking with its reference (a demonstration)"),)
    effect_class = EffectClass.EXTERNAL
    risk = Risk.MODERATE
    reach = Reach.WRITE

    def run(self, input: TrainBookInput, context: ToolContext) -> ToolResult:
        """Write one booking to the demonstration ledger; a booking is never repeated by this tool itself."""
        booking = book(input, context.idempotency_key)
        demo_ledger.write(context.workspace, context.idempotency_key, booking, context.remaining())
        return _result(booking)

    def probe(self, input: TrainBookInput, context: ToolContext) -> ProbeResult | None:
        """Look the idempotency key up in the ledger; None when the ledger cannot be asked."""
        known = demo_ledger.holds(context.workspace, context.idempotency_key, context.remaining())
        if known is None:
            return None
        return ProbeResult(known, _result(book(input, context.idempotency_key)) if known else None)


def timetable(origin: str, destination: str) -> list[dict[str, Any]]:
    """Three invented trains, the same ones for the same places."""
    seed = hashlib.sha256(f"{origin.casefold()}>{destination.casefold()}".encode()).digest()
    trains = []
    for place, hour in enumerate((7, 11, 16)):
        minutes = 95 + seed[place] % 180
        leaves = dt.datetime(2000, 1, 1, hour, seed[place + 3] % 60)
        arrives = leaves + dt.timedelta(minutes=minutes)
        price = 19 + seed[place + 6] % 80
        train = {
            "id": f"DEMO-{place + 1}{seed[place + 9] % 100:02d}",
            "departure": f"{leaves:%H:%M}",
            "arrival": f"{arrives:%H:%M}",
            "duration": f"{minutes // 60} h {minutes % 60:02d} min",
            "changes": seed[place + 12] % 3,
            "price_eur": price,
        }
        train["option"] = f"{train['id']}: {train['departure']} to {train['arrival']}, {price} EUR"
        trains.append(train)
    return trains


def book(input: TrainBookInput, key: str) -> dict[str, Any]:
    """The booking that this input makes under this key; ToolInputError for a train nobody offered."""
    found = _ID.search(input.train)
    if not found:
        raise ToolInputError("train_book: train must be an id such as DEMO-101, as train_search gives them.")
    train = found.group().upper()
    if input.origin and input.destination:
        offered = [t["id"] for t in timetable(input.origin.strip(), input.destination.strip())]
        if train not in offered:
            raise ToolInputError(f"train_book: {train} does not run there; there are {', '.join(offered)}.")
    return {
        "reference": "DEMO" + hashlib.sha256(key.encode()).hexdigest()[:8].upper(),
        "train": train,
        "origin": input.origin,
        "destination": input.destination,
        "date": input.date.isoformat() if input.date else "",
        "passenger": input.passenger,
        "status": "booked",
        "demonstration": True,
    }


def _result(booking: dict[str, Any]) -> ToolResult:
    said = f"Booked {booking['train']} as {booking['reference']} (a demonstration: no ticket was sold)."
    return ToolResult(booking, said)
