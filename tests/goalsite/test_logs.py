"""What is logged, as lines for people and as JSON."""

import io
import json
import logging
import logging.config
from collections.abc import Iterator

import pytest
from django.conf import settings as configured
from structlog.contextvars import bound_contextvars

from goals import services
from goals.models import Goal
from goalsite import logs


@pytest.fixture
def lines(request) -> Iterator[io.StringIO]:
    """What is written with a form of logging in force; the usual one returns afterwards."""
    stream = io.StringIO()
    configuration = logs.configuration("INFO", request.param)
    configuration["handlers"]["console"]["stream"] = stream
    logging.config.dictConfig(configuration)
    yield stream
    logging.config.dictConfig(configured.LOGGING)


@pytest.mark.parametrize("lines", ["plain"], indirect=True)
def test_nothing_that_is_logged_looks_like_another_line(lines):
    logging.getLogger("goals.test").warning("a\n2026-01-01 CRITICAL forged\x1b[2J %s", "b\r\u2028c")
    assert len(lines.getvalue().splitlines()) == 1
    assert "\x1b" not in lines.getvalue()


@pytest.mark.parametrize("lines", ["plain"], indirect=True)
def test_a_line_says_what_was_in_hand(lines):
    with bound_contextvars(goal="g-1"):
        logging.getLogger("goals.test").warning("something happened")
    logging.getLogger("goals.test").warning("elsewhere")
    first, second = lines.getvalue().splitlines()
    assert first.endswith("something happened goal=g-1")
    assert "goal=" not in second


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("lines", ["json"], indirect=True)
def test_every_event_is_an_object_with_its_ids_and_no_secret_of_the_goal(lines, django_user_model):
    owner = django_user_model.objects.create_user("ada")
    goal = services.submit(owner=owner, objective="Tell nobody that the word is hunter2")
    services.cancel(owner, goal.pk, reason="no longer needed")
    told = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert [line["event"] for line in told if line["logger"] == "goals.history"] == ["goal.created", "goal.cancelled"]
    assert {line["goal"] for line in told} == {str(goal.pk)}
    assert "no longer needed" in told[-1]["reason"]
    assert "hunter2" not in lines.getvalue()


@pytest.mark.parametrize("lines", ["json"], indirect=True)
def test_an_error_is_one_object_with_its_traceback(lines):
    try:
        raise ValueError("x\ny")
    except ValueError:
        logging.getLogger("goals.test").exception("it failed")
    told = json.loads(lines.getvalue())
    assert (told["event"], told["level"]) == ("it failed", "error")
    assert "ValueError: x\ny" in told["exception"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("lines", ["plain"], indirect=True)
def test_people_are_not_told_every_event(lines, django_user_model):
    owner = django_user_model.objects.create_user("ada")
    services.submit(owner=owner, objective="Count to ten")
    assert Goal.objects.exists()
    assert "goal.created" not in lines.getvalue()
