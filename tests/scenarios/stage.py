"""Where scenarios are played: one endpoint, one real worker process, and whatever people and faults a scenario has."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.db.models import F
from django.utils import timezone

from goals import answers, services
from goals.models import Event, Goal, Question, Subgoal
from goals.states import GoalStatus, QuestionStatus
from goalsite.children import BASE_DIR
from tests.endpoint import Endpoint
from tests.goalsite.processes import eventually, family
from tests.scenarios import script
from tests.scenarios.scenario import Scenario, Step

LEASE, MODEL_TIMEOUT = 2, 3  # seconds
ID = re.compile(r"[0-9a-f-]{36}")
AT_REST = {GoalStatus.PAUSED, GoalStatus.COMPLETED, GoalStatus.FAILED, GoalStatus.CANCELLED}


class Stage:
    """The endpoint and the worker; `play` runs one scenario on them to where its goal comes to rest."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self.folder, self.count = folder, 0
        self.endpoint = Endpoint()
        self.endpoint.__enter__()
        self.environment = {
            **environment,
            "DJANGO_SETTINGS_MODULE": "goalsite.settings",
            "OPENAI_BASE_URL": self.endpoint.url,
            "OPENAI_API_KEY": "test",
            "GOALSITE_MODEL_PRICE": "1/2",
            "GOALSITE_LEASE_SECONDS": str(LEASE),
            "GOALSITE_MODEL_TIMEOUT": str(MODEL_TIMEOUT),
            "GOALSITE_LOG_LEVEL": "ERROR",
        }
        self.worker = self._start_worker()

    def _start_worker(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-m", "goalsite.workers"], cwd=BASE_DIR, env=self.environment, start_new_session=True
        )

    def kill_worker(self) -> None:
        """SIGKILL the worker with all its processes, and start another."""
        os.killpg(self.worker.pid, signal.SIGKILL)
        self.worker.wait(60)
        self.worker = self._start_worker()

    def stop(self) -> None:
        """End what was started."""
        left = family(self.worker.pid)
        self.worker.terminate()
        try:
            self.worker.wait(60)
        finally:
            for pid in left:
                _end(pid)
        self.endpoint.__exit__()

    def play(self, scenario: Scenario) -> Goal:
        """Submit the goal, let everything happen that the scenario has, and return the goal at rest."""
        self.count += 1
        self.endpoint.play(script.expand(scenario.script))
        person = self._person(scenario.permissions)
        workspace = Path(tempfile.mkdtemp(dir=self.folder))
        for name, text in scenario.files.items():
            (workspace / name).parent.mkdir(parents=True, exist_ok=True)
            (workspace / name).write_text(text, encoding="utf-8")
        goal = services.submit(owner=person, objective=scenario.objective, workspace=workspace, **scenario.submitted)
        give_up_at = time.monotonic() + scenario.seconds
        for step in scenario.steps:
            self._await(goal, lambda step=step: _happened(goal, step), give_up_at, f"{step.after} {step.nth}")
            time.sleep(step.wait)
            self._do(goal, step)
        self._await(goal, lambda: _is_at_rest(goal), give_up_at, "rest")
        return Goal.objects.get(pk=goal.pk)

    def _person(self, permissions: list[str]) -> Any:
        person = get_user_model().objects.create_user(f"person{self.count}")
        for name in permissions:
            person.user_permissions.add(Permission.objects.get(codename=name))
        return get_user_model().objects.get(pk=person.pk)

    def _do(self, goal: Goal, step: Step) -> None:
        owner = goal.owner
        match step.do:
            case "kill_worker":
                self.kill_worker()
            case "write":
                for name, text in step.given.items():
                    (Path(goal.workspace) / name).write_text(text, encoding="utf-8")
            case "answer":
                question = Question.objects.filter(goal=goal, status=QuestionStatus.OPEN).latest("created_at")
                answers.answer(owner, question.pk, step.given, channel="test")
            case "let_pass":
                _let_pass(goal, timedelta(seconds=step.given))
            case "pause" | "resume" | "cancel":
                getattr(services, step.do)(owner, goal.pk)
            case "steer" | "revise" | "raise_limits":
                getattr(services, step.do)(owner, goal.pk, step.given)

    def _await(self, goal: Goal, happened: Callable[[], object], give_up_at: float, what: str) -> None:
        try:
            eventually(happened, max(0.1, give_up_at - time.monotonic()), what)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{told(goal)}") from None


def _let_pass(goal: Goal, time: timedelta) -> None:
    for rows, name in (
        (Goal.objects.filter(pk=goal.pk), "plan_wake_at"),
        (Subgoal.objects.filter(goal=goal), "wake_at"),
        (Goal.objects.filter(pk=goal.pk), "wake_at"),
    ):
        rows.filter(**{f"{name}__isnull": False}).update(**{name: F(name) - time})


def _end(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _happened(goal: Goal, step: Step) -> bool:
    return Event.objects.filter(goal=goal, kind=step.after).count() >= step.nth


def _is_at_rest(goal: Goal) -> bool:
    now = Goal.objects.get(pk=goal.pk)
    is_due = now.wake_at is not None and now.wake_at <= timezone.now()
    return now.status in AT_REST or (now.waits_for == "question" and not is_due)


def told(goal: Goal) -> str:
    """A goal's story in lines, for whoever must find out what went wrong."""
    now = Goal.objects.get(pk=goal.pk)
    events = Event.objects.filter(goal=goal).order_by("seq")
    lines = [f"  {event.seq} {event.kind} {ID.sub('…', str(event.payload))[:200]}" for event in events]
    return "\n".join([f"the goal is {now.status} {now.outcome} {now.paused_for}: {now.reason[:500]}", *lines])
