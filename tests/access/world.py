"""The people of the walk, and what one of them, ada, owns. Whatever is hers has the word SECRET in it."""

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from django.utils import timezone

from artifacts.services import create_artifact, lookup
from goals import attachments, models, roles, services, sharing
from goals.chat import conversations
from goals.models import ApiToken
from goals.webhooks import acts as webhooks
from tests.access import site
from tests.goals.api.conftest import work_on

SECRET = "Zanzibar"
FILE = "report.md"
ALL = ["read", "act", "operate"]


@dataclass
class Given:
    """A file as a browser hands it in."""

    name: str
    data: bytes

    @property
    def size(self) -> int:
        return len(self.data)

    def read(self) -> bytes:
        return self.data


@dataclass
class World:
    """Who comes, as a browser or with a token, and what addresses name: places of pages, and a row of every model."""

    people: dict[str, User] = field(default_factory=dict)
    clients: dict[str, Client] = field(default_factory=dict)
    ids: dict[str, Any] = field(default_factory=dict)

    @property
    def ada(self) -> User:
        return self.people["ada"]


def build(folder: Path) -> World:
    """Make the people, what ada owns, and the tokens."""
    world = World()
    _people(world)
    _goals(world, folder)
    _talk(world)
    _tokens(world)
    site.fill(models.Goal.objects.get(pk=world.ids["goal"]))
    world.ids |= site.rows(world.people["ada"])
    return world


def _people(world: World) -> None:
    make = User.objects.create_user
    view = Permission.objects.filter(codename__startswith="view_")
    world.people = {
        "ada": make("ada", email="ada@zanzibar.example"),
        "bob": make("bob"),
        "vic": make("vic"),
        "olga": make("olga", is_staff=True),
        "sam": make("sam", is_staff=True),
        "rita": make("rita", is_staff=True),
        "root": User.objects.create_superuser("root"),
        "gone": make("gus", is_active=False),
    }
    world.people["rita"].user_permissions.add(*view)
    roles.make()
    world.people["olga"].groups.set(Group.objects.filter(name="operator"))
    world.clients["nobody"] = Client(raise_request_exception=False)
    for name, person in world.people.items():
        world.clients[name] = _browser(person)


def _browser(person: User) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(person)
    return client


def _goals(world: World, folder: Path) -> None:
    talk = conversations.start(world.ada, title=f"About {SECRET}")
    goal = work_on(services.submit(owner=world.ada, objective=f"Go to {SECRET}", conversation=talk))
    goal.checkpoints.update(title=f"To {SECRET}")
    goal.subgoals.update(gloss=f"Think of {SECRET}")
    part = goal.subgoals.exclude(parent=None).get()
    question = models.Question.objects.create(goal=goal, kind="information", key="origin", prompt=f"To {SECRET}?")
    ended = services.submit(owner=world.ada, objective=f"Leave {SECRET}")
    for one in (goal, ended):
        _file(one)
    ended = services.cancel(world.ada, ended.pk, reason=f"{SECRET} is closed")
    link, token = sharing.share(world.ada, ended.pk)
    for one in (goal, ended):
        sharing.share_with(world.ada, one.pk, "vic")
    world.ids |= {
        "goal": goal.pk,
        "content type": ContentType.objects.get_for_model(models.Goal).pk,
        "ended": ended.pk,
        "conversation": talk.pk,
        "checkpoint": goal.checkpoints.get().pk,
        "subgoal": part.pk,
        "question": question.pk,
        "artifact": lookup(goal.artifact_context_id, "part0").pk,
        "model_call": goal.modelcall_set.get().pk,
        "tool_call": goal.toolcall_set.get().pk,
        "verification": goal.verifications.get().pk,
        "share": link.pk,
        "link": token,
    }


def _file(goal: models.Goal) -> None:
    """A file that one of the goal's tools says it has made."""
    (Path(goal.workspace) / FILE).write_text(f"All about {SECRET}")
    source = create_artifact(context=goal.artifact_context_id, name="source", type="text", value="x", description="x")
    told = {"description": f"of {SECRET}", "metadata": {"files": [FILE]}, "derived_from": [source]}
    create_artifact(context=goal.artifact_context_id, name="report", type="file", value=FILE, **told)


def _talk(world: World) -> None:
    kept = attachments.keep(world.ada, Given(f"{SECRET}.txt", b"Spices"))
    said = conversations.post(world.ada, world.ids["conversation"], f"I like {SECRET}", attached=[str(kept.pk)])
    models.Message.objects.filter(pk=said.pk).update(failure="it could not be read")
    models.IdempotentRequest.objects.create(
        user=world.ada, key=SECRET, digest="d", status=200, body={}, created_at=timezone.now()
    )
    hook, _ = webhooks.make(world.ada, {"name": SECRET, "address": "https://example.org/in"})
    webhooks.test(world.ada, hook.pk)
    view = models.SavedView.objects.create(owner=world.ada, name=SECRET, query="status=paused")
    world.ids |= {"view": view.pk, "attachment": kept.pk, "number": said.number}


def _tokens(world: World) -> None:
    now = timezone.now()
    for name, person, facts in (
        ("reads", "ada", {"scopes": ["read"]}),
        ("acts", "ada", {"scopes": ["read", "act"]}),
        ("blind", "ada", {"scopes": ["act"]}),
        ("limited", "olga", {"scopes": ["read", "act"]}),
        ("operates", "olga", {"scopes": ALL}),
        ("dead (expired)", "ada", {"scopes": ALL, "expires_at": now - timedelta(seconds=1)}),
        ("dead (ended)", "ada", {"scopes": ALL}),
        ("dead (its person is gone)", "gone", {"scopes": ALL}),
    ):
        title = f"{SECRET} {name}" if person == "ada" else name
        row, secret = ApiToken.objects.issue(world.people[person], name=title, **facts)
        if name == "dead (ended)":
            ApiToken.objects.filter(pk=row.pk).update(ended_at=now)
        world.clients[name] = _program(secret)


def _program(secret: str) -> Client:
    return Client(raise_request_exception=False, headers={"Authorization": f"Token {secret}"})
