"""Every row has its page; nothing of history can be changed; nobody sees what is somebody else's."""

import re

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from rest_framework.test import APIClient
from unfold.admin import ModelAdmin

from goals import models, services
from goals.models import (
    ApiToken,
    Attachment,
    Breaker,
    IdempotentRequest,
    LimitedUser,
    Share,
    Spend,
    Tally,
    ToolRule,
)
from tests.goals.admin.conftest import console_of
from tests.goals.api.conftest import permitted, work_on

pytestmark = pytest.mark.django_db

ROWS = sorted(apps.get_app_config("goals").get_models(), key=lambda model: model.__name__)
ELSEWHERE = {
    ApiToken,
    LimitedUser,
    Tally,
    ToolRule,
    models.ApiPace,
    models.Delivery,
    models.McpServer,
    models.McpTool,
    models.ModelChoice,
    models.ModelPrice,
    models.SavedView,
    models.Webhook,
}  # each with pages and tests of its own kind, or none
ROWS = [model for model in ROWS if not model._meta.auto_created and model not in ELSEWHERE]
OWNED = [model for model in ROWS if model is not Breaker]


@pytest.fixture
def rows(worked, question, conversation, ada):
    """One row of each kind, all ada's."""
    conversation.messages.create(number=1, role="user", content="Hello", author=ada)
    Breaker.objects.create(kind="tool", name="far")
    models.Watch.objects.create(goal=worked)
    Spend.objects.create(hour=worked.created_at, owner=ada, model="m")
    Share.objects.create(goal=worked, token_hash="h", created_by=ada, created_at=worked.created_at)
    IdempotentRequest.objects.create(user=ada, key="k", digest="d", created_at=worked.created_at)
    Attachment.objects.create(owner=ada, name="a.txt", media_type="text/plain", size=1, blob_sha256="0" * 64)
    return {model: model.objects.first() for model in ROWS}


def address(model, row=None, act="change"):
    base = f"/admin/goals/{model._meta.model_name}/"
    return base if row is None else f"{base}{row.pk}/{act}/"


@pytest.mark.parametrize("model", ROWS)
def test_every_row_can_be_read_and_none_written(console, rows, model):
    row = rows[model]
    assert console.get(address(model)).status_code == 200
    assert console.get(address(model), {"q": "inventory"}).status_code == 200
    assert console.get(address(model, row)).status_code == 200
    assert console.get(f"{address(model)}add/").status_code == 403
    assert console.post(address(model, row), {"status": "completed"}).status_code == 403
    assert console.post(address(model, row, "delete"), {"post": "yes"}).status_code == 403
    console.post(address(model), {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"})
    assert model.objects.filter(pk=row.pk).exists()


@pytest.mark.parametrize("model", OWNED)
def test_staff_without_operate_see_their_own_rows_only(staff, ada, rows, model):
    type(ada).objects.filter(pk=ada.pk).update(is_staff=True)
    stranger, owner = console_of(staff), console_of(ada)
    row = rows[model]
    assert stranger.get(address(model)).context["cl"].result_count == 0
    assert stranger.get(address(model, row)).status_code == 302
    assert owner.get(address(model)).context["cl"].result_count >= 1
    assert owner.get(address(model, row)).status_code == 200


@pytest.mark.parametrize("model", OWNED)
def test_the_right_to_view_a_table_shows_nobody_elses_rows(staff, rows, model):
    staff.user_permissions.add(*Permission.objects.filter(content_type__app_label="goals", codename__startswith="view"))
    assert console_of(staff).get(address(model)).context["cl"].result_count == 0


@pytest.mark.parametrize("model", ROWS)
def test_an_operator_sees_everybodys_rows(staff, rows, model):
    assert console_of(permitted(staff, "operate")).get(address(model)).context["cl"].result_count >= 1


def test_filters_tell_nothing_of_others(staff, rows):
    page = console_of(staff).get(address(models.Goal)).content.decode()
    assert not re.search(r"\bada\b", page)


def test_who_is_no_staff_does_not_get_in(ada, rows):
    assert console_of(ada).get(address(models.Goal)).status_code == 302


@pytest.mark.parametrize("model", ROWS)
def test_a_list_takes_no_more_statements_when_it_is_longer(
    console, rows, ada, root, model, django_assert_max_num_queries, django_assert_num_queries
):
    console.get(address(model))
    with django_assert_max_num_queries(14) as few:
        console.get(address(model))
    for number in range(3):
        goal = work_on(services.submit(owner=ada, objective=f"More {number}"))
        goal.questions.create(kind="information", prompt="?")
        talk = models.Conversation.objects.create(owner=ada)
        talk.messages.create(number=1, role="user", content="x", author=ada)
        IdempotentRequest.objects.create(user=ada, key=f"k{number}", digest="d", created_at=goal.created_at)
    with django_assert_num_queries(len(few.captured_queries)):
        console.get(address(model))


def test_a_goals_page_is_bounded_whatever_its_history(console, worked, django_assert_max_num_queries):
    with django_assert_max_num_queries(45) as few:
        console.get(address(models.Goal, worked))
    work_on(worked, times=20)
    models.Event.objects.bulk_create(
        models.Event(goal=worked, seq=seq, kind="goal.steered", at=worked.created_at) for seq in range(1000, 3000)
    )
    with django_assert_max_num_queries(len(few.captured_queries)):
        page = console.get(address(models.Goal, worked)).content.decode()
    assert page.count("goal.steered") <= 10
    assert len(page) < 700_000


def test_what_models_and_tools_say_is_shown_as_text(console, worked):
    call = worked.toolcall_set.get()
    models.ToolCall.objects.filter(pk=call.pk).update(error="Traceback\n  <script>alert(1)</script>")
    page = console.get(address(models.ToolCall, call)).content.decode()
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert(1)" not in page
    assert "<pre" in page


def test_every_page_of_the_console_is_in_its_style():
    plain = [model.__name__ for model, page in admin.site._registry.items() if not isinstance(page, ModelAdmin)]
    assert plain == []
    registered = {model.__name__ for model in admin.site._registry}
    assert {"User", "Group", "ApiToken", "OrmQ", "Success", "Failure", "Schedule"} <= registered


@pytest.mark.parametrize(
    "path", ["", "auth/user/", "auth/user/add/", "auth/group/", "goals/apitoken/", "goals/apitoken/add/"]
)
def test_the_other_pages_open(console, path):
    assert console.get(f"/admin/{path}").status_code == 200


@pytest.mark.parametrize("name", ["ormq", "success", "failure", "schedule"])
def test_the_queues_pages_open(console, name):
    assert console.get(f"/admin/django_q/{name}/").status_code == 200


def test_a_token_is_shown_once(console, ada):
    sent = {"user": ada.pk, "name": "nightly", "scopes": ["read"]}
    made = console.post("/admin/goals/apitoken/add/", sent, follow=True).content.decode()
    secret = re.search(r"gs_[\w-]{40,}", made).group()
    token = ada.api_tokens.get()
    assert (token.name, token.scopes, secret in str(token.__dict__)) == ("nightly", ["read"], False)
    assert secret not in console.get("/admin/goals/apitoken/").content.decode()
    assert not LogEntry.objects.filter(object_repr__contains=secret).exists()
    assert APIClient().get("/api/goals/", HTTP_AUTHORIZATION=f"Token {secret}").status_code == 200


def test_a_token_can_be_ended(console, ada):
    token, _ = ApiToken.objects.issue(ada, name="api", scopes=["read"])
    path = f"/admin/goals/apitoken/{token.pk}/end/"
    assert console.get(path).status_code == 200
    assert ApiToken.objects.living().exists()
    console.post(path, {"_form_submitted": "on"})
    assert not ApiToken.objects.living().exists()
