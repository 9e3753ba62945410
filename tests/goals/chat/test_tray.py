"""What waits for a person over all conversations: counted, listed, and told at once."""

import pytest
from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from goals import answers, services
from goals.chat import conversations
from goals.chat.tray import LISTED, tray
from goals.effects.making import ask_person
from goals.models import Question
from goals.states import QuestionKind
from goals.transitions import writing
from tests.goals.chat.sockets import opened

pytestmark = pytest.mark.django_db(transaction=True)


def asked(goal, prompt="Where to?") -> Question:
    with writing(goal.pk) as writer:
        return ask_person(writer, QuestionKind.INFORMATION, prompt, key="k")


@pytest.fixture
def goals(owner):
    """Two goals in conversations, and one without any."""
    places = [conversations.start(owner), conversations.start(owner), None]
    return [services.submit(owner=owner, objective="Plan. More words.", conversation=place) for place in places]


def listed(client) -> str:
    return client.get(reverse("tray")).content.decode()


def test_it_counts_over_all_conversations_and_leads_to_each(client, owner, goals):
    questions = [asked(goal, f"Question {number}?") for number, goal in enumerate(goals)]
    client.force_login(owner)
    html = listed(client)
    assert 'data-count="3"' in html
    assert [html.index(f"Question {number}?") for number in range(3)] == sorted(
        html.index(f"Question {number}?") for number in range(3)
    )
    first, _, alone = goals
    assert f"{reverse('conversation', args=[first.conversation_id])}?goal={first.pk}#q-{questions[0].pk}" in html
    assert f'href="{reverse("goal_page", args=[alone.pk])}#q-{questions[2].pk}"' in html
    answers.answer(owner, questions[0].pk, "Paris")
    assert 'data-count="2"' in listed(client)


def test_it_holds_only_what_waits_for_oneself(client, owner, goals, django_user_model):
    asked(goals[0])
    client.force_login(django_user_model.objects.create_superuser("root"))
    assert 'data-count="0"' in listed(client)
    assert Client().get(reverse("tray"), headers={"X-Requested-With": "goalsite"}).status_code == 401


def test_it_lists_some_and_counts_all_with_as_many_queries(owner, goals):
    asked(goals[0])
    with CaptureQueriesContext(connection) as few:
        tray(owner)
    for number in range(LISTED + 4):
        asked(goals[number % 3], f"{number}?")
    with CaptureQueriesContext(connection) as many:
        pieces = tray(owner)
    assert len(pieces) == LISTED + 1
    assert pieces[0].data["count"] == LISTED + 5
    assert len(many) == len(few) + 1


def test_a_question_leads_a_browser_to_its_conversation(client, owner, goals):
    question = asked(goals[0])
    client.force_login(owner)
    address = reverse("question", args=[question.pk])
    assert client.get(address).url.endswith(f"#q-{question.pk}")
    card = client.get(address, headers={"X-Requested-With": "goalsite"}).content.decode()
    assert "Where to?" in card
    assert f'id="q-{question.pk}" tabindex' not in card


async def test_every_page_of_a_person_is_told_at_once(owner, goals):
    def later(work):
        return database_sync_to_async(work, thread_sensitive=False)

    page = await opened(owner, "/ws/needs/")
    question = await later(asked)(goals[2])
    assert (await page.frame("needs")) == {"type": "needs"}
    await later(services.steer)(owner, goals[2].pk, "a word")
    await later(answers.answer)(owner, question.pk, "Paris")
    assert (await page.frame("needs")) == {"type": "needs"}
    assert await page.receive_nothing(0.2)
    await page.close()
    await get_channel_layer().close()
