"""Two people, an operator, and a goal with one of everything."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.utils import timezone
from rest_framework.test import APIClient

from goals import models, services
from goals.effects.making import make_artifact
from goals.transitions import writing


@pytest.fixture(autouse=True)
def data_dir(settings: Any, tmp_path: Any) -> Any:
    settings.GOALSITE_DATA_DIR = tmp_path
    return tmp_path


def permitted(user: User, *codenames: str) -> User:
    """Return the user, fresh, with permissions of the goals room."""
    user.user_permissions.add(*Permission.objects.filter(content_type__app_label="goals", codename__in=codenames))
    return User.objects.get(pk=user.pk)


def client_of(user: User | None) -> APIClient:
    client = APIClient()
    if user is not None:
        client.force_authenticate(user)
    return client


@pytest.fixture
def ada(db: None) -> User:
    return User.objects.create_user("ada")


@pytest.fixture
def bob(db: None) -> User:
    return User.objects.create_user("bob")


@pytest.fixture
def operator(db: None) -> User:
    return permitted(User.objects.create_user("operator"), "operate", "rearm", "use_host_verifiers")


@pytest.fixture
def api(ada: User) -> APIClient:
    """The API as ada sees it."""
    return client_of(ada)


@pytest.fixture
def others(bob: User) -> APIClient:
    """The API as bob sees it: nothing of ada's."""
    return client_of(bob)


@pytest.fixture
def goal(ada: User) -> models.Goal:
    return services.submit(owner=ada, objective="Write an inventory")


@pytest.fixture
def question(goal: models.Goal) -> models.Question:
    return models.Question.objects.create(goal=goal, kind="information", key="origin", prompt="Where from?")


@pytest.fixture
def conversation(ada: User) -> models.Conversation:
    return models.Conversation.objects.create(owner=ada, title="Trains")


@pytest.fixture
def worked(goal: models.Goal, question: models.Question) -> models.Goal:
    """The goal with one of everything under it."""
    return work_on(goal)


def work_on(goal: models.Goal, times: int = 1) -> models.Goal:
    """Write rows as the loop would, without running it."""
    now = timezone.now()
    for number in range(times):
        position = goal.checkpoints.count()
        checkpoint = models.Checkpoint.objects.create(
            goal=goal, position=position, title=f"Phase {position}", predicate="composite"
        )
        root = models.Subgoal.objects.create(goal=goal, checkpoint=checkpoint, gloss="All", predicate="composite")
        child = models.Subgoal.objects.create(
            goal=goal, checkpoint=checkpoint, parent=root, depth=1, gloss="Part", predicate="execute"
        )
        child.depends_on.add(root)
        effect = {"goal": goal, "checkpoint": checkpoint, "subgoal": child, "status": "succeeded", "finished_at": now}
        mark = f"{goal.pk}{position}{number}"[-60:]
        call = models.ModelCall.objects.create(
            **effect, effect_class="pure", scope=mark, key=f"m{mark}", purpose="act", role="worker", model="m"
        )
        models.ToolCall.objects.create(
            **effect, effect_class="pure", scope=mark, key=f"t{mark}", tool="list_files", model_call=call
        )
        models.Verification.objects.create(
            goal=goal, checkpoint=checkpoint, verifier={"type": "llm"}, digest="d", met=True
        )
        models.ProgressScore.objects.create(
            goal=goal, position=position, score=0.5, on_track=True, revise=False, cost_usd=number, tokens=9, at=now
        )
        with writing(goal.pk) as writer:
            make_artifact(writer, f"part{position}", type="data", value={"n": 1}, description="a part")
    return models.Goal.objects.get(pk=goal.pk)
