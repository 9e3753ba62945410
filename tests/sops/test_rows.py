"""What Postgres refuses, and the record of uses."""

import uuid
from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction

from sops import services
from sops.models import Perspective, Sop, SopStep, SopUse, SopVersion

pytestmark = pytest.mark.django_db


@pytest.fixture
def version():
    return SopVersion.objects.create(sop=Sop.objects.create(slug="tea"), number=1, title="Tea", intent="Make tea")


def refused(make):
    with pytest.raises(IntegrityError), transaction.atomic():
        make()


def test_unknown_words_and_second_current_versions_are_refused(version):
    refused(lambda: Sop.objects.create(slug="x", status="odd"))
    refused(lambda: SopVersion.objects.create(sop=version.sop, number=1))
    refused(lambda: SopVersion.objects.create(sop=version.sop, number=0))
    refused(lambda: SopVersion.objects.create(sop=version.sop, number=2, origin="moon"))
    refused(lambda: SopStep.objects.create(version=version, position=0, predicate="fly"))
    refused(lambda: SopStep.objects.create(version=version, position=0, predicate="execute", operation="sing"))
    refused(lambda: Perspective.objects.create(version=version, kind="odd", embedding=[0.0] * 512))
    SopVersion.objects.filter(pk=version.pk).update(is_current=True)
    refused(lambda: SopVersion.objects.create(sop=version.sop, number=2, is_current=True))


def test_a_use_is_written_once_and_ends_with_its_goal(version):
    goal = uuid.uuid4()
    assert services.start_use(version=version, goal_id=goal) == services.start_use(version=version, goal_id=goal)
    assert services.finish_uses(goal_id=goal, outcome="achieved", cost=Decimal("0.25"), seconds=3.5) == 1
    use = SopUse.objects.get()
    assert (use.outcome, use.cost, use.seconds) == ("achieved", Decimal("0.25"), 3.5)
    with pytest.raises(ValueError, match="outcome must be one of running, achieved"):
        services.finish_uses(goal_id=goal, outcome="great")
    refused(lambda: SopUse.objects.create(version=version, goal_id=uuid.uuid4(), outcome="great"))
    refused(lambda: SopUse.objects.create(version=version, goal_id=uuid.uuid4(), cost=-1))
