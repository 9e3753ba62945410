"""Conversations as a person finds them: by pages, by name, by what was said; and what can be named after an @."""

import pytest
from django.test import Client
from django.urls import reverse

from goals import services
from goals.chat import conversations, listing, naming
from goals.effects.making import add_message, make_artifact
from goals.exceptions import InvalidInput, NotFound
from goals.models import Role
from goals.transitions import writing

pytestmark = pytest.mark.django_db(transaction=True)
SCRIPT = {"X-Requested-With": "goalsite"}


@pytest.fixture
def named(owner):
    return lambda title: conversations.start(owner, title=title)


def shown(owner, **wanted):
    return "".join(piece.render() for piece in listing.listed(owner, **wanted))


def test_more_is_shown_when_there_is_more_and_costs_no_more_queries(owner, named, django_assert_num_queries):
    for number in range(7):
        named(f"Number {number}")
    with django_assert_num_queries(2):
        pieces = listing.listed(owner, most=5)
    assert [piece.id for piece in pieces][-1] == "c-more"
    assert len(pieces) == 6
    with django_assert_num_queries(2):
        assert len(listing.listed(owner, most=7)) == 7


def test_conversations_of_one_name_are_told_apart_by_when_they_began(owner, named):
    named("Book a train")
    assert "begun" not in shown(owner)
    named("book a train ")
    assert shown(owner).count('class="begun"') == 2


def test_search_finds_names_and_what_was_said_and_shows_where(owner, named, conversation, django_assert_num_queries):
    named("Trains to Paris")
    other = named("Something else")
    add_message(other.pk, role=Role.USER, content="I went to PARIS <b>by train</b> and it was very nice indeed")
    with django_assert_num_queries(3):
        html = shown(owner, words="paris")
    assert "Trains to Paris" in html
    assert "I went to <mark>PARIS</mark> &lt;b&gt;by" in html
    assert "begun" not in html
    assert str(conversation.pk) not in html
    assert "Nothing was found for “<bdi>x%</bdi>”" in shown(owner, words="x%")


@pytest.mark.parametrize("words", ["%", "_", "\\", "'; DROP", "\u202e", "İ"])
def test_odd_words_are_only_words(owner, named, words):
    named("Plain")
    assert "Plain" not in shown(owner, words=words)


def test_nothing_of_anybody_else_is_found(owner, django_user_model):
    eve = django_user_model.objects.create_superuser("eve")
    theirs = conversations.start(eve, title="Paris")
    add_message(theirs.pk, role=Role.USER, content="Paris")
    assert "Paris</bdi></span>" not in shown(owner, words="Paris")


@pytest.mark.parametrize(
    ("query", "field"),
    [({"most": "x"}, "most"), ({"most": "0"}, "most"), ({"most": "9" * 30}, "most"), ({"q": "x" * 201}, "q")],
)
def test_nonsense_is_refused_by_its_field(ada, query, field):
    assert field in ada.get(reverse("conversation_list"), query, headers=SCRIPT).json()["errors"]


def test_a_conversation_is_renamed_and_keeps_its_place(ada, owner, named):
    first, second = named("One"), named("Two")
    response = ada.post(reverse("rename", args=[first.pk]), {"title": "  Paris,\n in spring "}, headers=SCRIPT)
    assert response.json() == {"title": "Paris, in spring"}
    assert [piece.id for piece in listing.listed(owner)] == [f"c-{second.pk}", f"c-{first.pk}"]


def test_a_name_turns_nothing_around(owner, named):
    row = named("Pay \u202egnp\u202c now")
    assert row.title == "Pay gnp now"
    assert conversations.rename(owner, row.pk, "\u2067Paris\u2069").title == "Paris"
    unnamed = conversations.start(owner)
    conversations.post(owner, unnamed.pk, "Read a\u202egpj.exe")
    unnamed.refresh_from_db()
    assert unnamed.title == "Read agpj.exe"


@pytest.mark.parametrize("title", ["", "  ", "x" * 201, "a\x00", "\u202e \u2066"])
def test_a_name_that_is_none_is_refused(ada, conversation, title):
    response = ada.post(reverse("rename", args=[conversation.pk]), {"title": title}, headers=SCRIPT)
    assert (response.status_code, list(response.json()["errors"])) == (400, ["title"])


def test_nobody_renames_the_conversation_of_another(conversation, django_user_model):
    with pytest.raises(NotFound):
        conversations.rename(django_user_model.objects.create_superuser("eve"), conversation.pk, "mine")
    with pytest.raises(InvalidInput):
        listing.wanted({"most": "-1"})


def test_artifacts_of_the_conversation_s_goals_can_be_named(ada, owner, conversation, django_user_model):
    for objective, name in (("One", "train_list"), ("Two", "report")):
        goal = services.submit(owner=owner, objective=objective, conversation=conversation)
        with writing(goal.pk) as writer:
            make_artifact(writer, name, type="data", value=1, description="<b>it</b>")
            make_artifact(writer, name, type="data", value=2, description="again")
    elsewhere = services.submit(owner=owner, objective="Elsewhere")
    with writing(elsewhere.pk) as writer:
        make_artifact(writer, "train_secret", type="data", value=1, description="x")
    address = reverse("artifact_names", args=[conversation.pk])
    assert [one["name"] for one in ada.get(address).json()["results"]] == ["report", "train_list"]
    assert [one["name"] for one in ada.get(address, {"q": "LIST"}).json()["results"]] == ["train_list"]
    assert ada.get(address, {"q": "%"}).json()["results"] == []
    eve = Client()
    eve.force_login(django_user_model.objects.create_superuser("eve"))
    assert eve.get(address).status_code == 404


def test_the_names_cost_the_same_however_many_goals_there_are(owner, conversation, django_assert_num_queries):
    for number in range(4):
        services.submit(owner=owner, objective=f"Goal {number}", conversation=conversation)
    with django_assert_num_queries(2):
        naming.names(conversation, "x")


@pytest.mark.parametrize("command", ["", "/goal ", "/plan "])
def test_a_conversation_is_named_after_what_is_wanted_not_after_the_command(owner, command):
    conversation = conversations.start(owner)
    conversations.name_after(conversation, f"{command}Bake a  cake")
    conversation.refresh_from_db()
    assert conversation.title == "Bake a cake"
