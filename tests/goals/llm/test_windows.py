"""How much a model takes in one call: the operator's word, else the maintained table, else the usual."""

import os
import subprocess
import sys

import pytest

from goals.llm.windows import UNKNOWN, context_tokens


@pytest.fixture(autouse=True)
def _at_an_endpoint(settings):
    settings.OPENAI_BASE_URL = "http://127.0.0.1:1/v1"
    settings.GOALSITE_CONTEXT_TOKENS = 0


def test_the_table_knows_the_window_of_a_model():
    assert context_tokens("gpt-4.1-mini") == 1_000_000


def test_a_model_that_nobody_knows_has_the_usual_window():
    assert context_tokens("our-own-model") == UNKNOWN


def test_the_operators_word_counts(settings):
    settings.GOALSITE_CONTEXT_TOKENS = 9_000
    assert context_tokens("gpt-4.1-mini") == 9_000


@pytest.mark.parametrize("value", ["1000", "-1", "many"])
def test_a_window_without_room_for_more_than_the_reply_stops_the_start(value):
    given = {**os.environ, "GOALSITE_CONTEXT_TOKENS": value, "GOALSITE_MODEL_MAX_OUTPUT_TOKENS": "1000"}
    done = subprocess.run([sys.executable, "-c", "import goalsite.settings"], env=given, capture_output=True, text=True)
    assert done.returncode != 0
    assert f"GOALSITE_CONTEXT_TOKENS={value!r}" in done.stderr.replace("=1000 ", "='1000' ")
