"""Named procedures and the library, loaded."""

from pathlib import Path

import pytest

import sops
from sops import importer
from sops.models import SopOrigin

LIBRARY = Path(sops.__file__).parent / "library"

SEED = {
    "title": "Book a train ticket",
    "intent": "Book a train journey",
    "description": "Search trains, choose one, book it.",
    "prerequisites": ["The person may travel"],
    "inputs": {"origin": "Where from", "travelDate": {"description": "When", "required": False}},
    "outputs": {"booking": "The booking"},
    "steps": [
        {"gloss": "Gather the travel date", "doneWhen": [{"kind": "hasEvidence", "key": "travelDate"}]},
        {
            "gloss": "Search trains",
            "suggestedTools": ["train_search"],
            "doneWhen": [{"kind": "hasEvidence", "key": "trainList"}],
        },
        {
            "gloss": "Weigh them",
            "doneWhen": {"kind": "predicateTrue", "pred": {"name": "is_cheap", "args": {"eur": 9}}},
        },
    ],
    "tags": ["train"],
    "quality": 0.9,
}


@pytest.fixture
def library(db):
    """The site's own procedures."""
    return importer.load([LIBRARY], origin=SopOrigin.LIBRARY)


@pytest.fixture
def minimal():
    """The least that is a procedure."""
    return {"slug": "tea", "title": "Make tea", "intent": "Make a cup of tea", "steps": ["Boil water"]}
