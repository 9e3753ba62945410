"""The library in the admin."""

import pytest
from django.contrib.auth.models import User

from sops.models import Perspective, Sop, SopStatus, SopStep, SopUse, SopVersion

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(client):
    client.force_login(User.objects.create_superuser("operator"))
    return client


@pytest.mark.parametrize("model", [Sop, SopVersion, SopStep, Perspective, SopUse])
def test_every_row_can_be_read_and_none_written(operator, library, model):
    SopUse.objects.create(version=SopVersion.objects.first(), goal_id=library[0].version.pk)
    base = f"/admin/sops/{model._meta.model_name}/"
    assert operator.get(base).status_code == 200
    assert operator.get(base, {"q": "train"}).status_code == 200
    row = model.objects.first()
    assert operator.get(f"{base}{row.pk}/change/").status_code == 200
    assert operator.get(f"{base}add/").status_code == 403
    assert operator.post(f"{base}{row.pk}/delete/", {"post": "yes"}).status_code == 403
    assert operator.post(f"{base}{row.pk}/change/", {}).status_code == 403


def test_an_operator_retires_and_activates(operator, library):
    chosen = Sop.objects.get(slug="log-triage")
    operator.post("/admin/sops/sop/", {"action": "retire", "_selected_action": [chosen.pk]})
    chosen.refresh_from_db()
    assert chosen.status == SopStatus.RETIRED
    operator.post("/admin/sops/sop/", {"action": "activate", "_selected_action": [chosen.pk]})
    chosen.refresh_from_db()
    assert chosen.status == SopStatus.ACTIVE


def test_who_may_only_look_cannot_retire(client, library):
    from django.contrib.auth.models import Permission

    viewer = User.objects.create_user("viewer", is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_sop"))
    client.force_login(viewer)
    chosen = Sop.objects.get(slug="log-triage")
    client.post("/admin/sops/sop/", {"action": "retire", "_selected_action": [chosen.pk]})
    chosen.refresh_from_db()
    assert chosen.status == SopStatus.ACTIVE
