"""A scripted endpoint over real HTTP, and the settings that point the port at it."""

import pytest

from tests.endpoint import Endpoint


@pytest.fixture
def endpoint(settings):
    with Endpoint() as server:
        settings.GOALSITE_REHEARSAL = False
        settings.OPENAI_BASE_URL = server.url
        settings.OPENAI_API_KEY = "test-key"
        settings.GOALSITE_MODELS = dict.fromkeys(("planner", "worker", "judge", "summariser"), "gpt-4.1-mini")
        settings.GOALSITE_MODEL_PRICE = None
        settings.GOALSITE_STRUCTURED_OUTPUT = "json_schema"
        yield server
