"""What a person sees of a goal that runs in a terminal: lines, and on a real terminal a live line or two below them."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from rich.console import Console, Group
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from goals.management.wording import ending, one_line, printable, spent, words
from goals.models import Event, Goal, Question
from goals.states import GoalStatus

MARKS = {
    "goal.planned": "•",
    "goal.revised": "•",
    "checkpoint.completed": "[green]✔[/]",
    "checkpoint.failed": "[red]✘[/]",
    "checkpoint.started": "[cyan]▶[/]",
    "question.asked": "[yellow]?[/]",
    "budget.warning": "[yellow]![/]",
    "budget.exceeded": "[red]![/]",
}
ENDS = {
    GoalStatus.COMPLETED: "[green]✔[/]",
    GoalStatus.FAILED: "[red]✘[/]",
    GoalStatus.CANCELLED: "[red]✘[/]",
    GoalStatus.PAUSED: "[yellow]‖[/]",
}


class TextFollower:
    """Plain lines, for a pipe or a file."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def begin(self, goal: Goal) -> None:
        self.message(f"goal {goal.pk} in {goal.workspace}")
        if settings.GOALSITE_REHEARSAL:
            self.message("model: the rehearsal model, a stand-in that follows rules")

    def event(self, event: Event, goal: Goal) -> None:
        lead = f"{MARKS.get(event.kind, ' ')} {'' if event.kind in MARKS else '    '}"
        for number, line in enumerate(words(event)):
            self._print(lead if number == 0 else "    " if event.kind in MARKS else "        ", line)

    def look(self, goal: Goal) -> None:
        """Nothing: what is gone by is what is shown."""

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Leave the terminal to a question meanwhile."""
        yield

    def suggest(self, question: Question) -> None:
        for number, suggestion in enumerate(question.suggestions, 1):
            self.message(f"    {number}. {suggestion}")

    def message(self, text: str) -> None:
        self.console.print(printable(text), markup=False, highlight=False)

    def end(self, goal: Goal) -> None:
        self._print(f"{ENDS.get(goal.status, ' ')} ", ending(goal))
        self.message(f"  {spent(goal)}")
        for question in goal.questions.open():
            self.message(f"  open question {question.key}: {one_line(question.prompt)}")
            self.suggest(question)
        for line in next_step(goal):
            self.message(f"  {line}")

    def _print(self, lead: str, line: str) -> None:
        self.console.print(lead, end="")
        self.console.print(printable(line), markup=False, highlight=False)


class TerminalFollower(TextFollower):
    """The same lines on a terminal, with the work in hand and the budget live below them."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self.live: Live | None = None
        self.doing = "planning"
        self.spent = ""

    def begin(self, goal: Goal) -> None:
        super().begin(goal)
        self._go_live()

    def event(self, event: Event, goal: Goal) -> None:
        super().event(event, goal)
        if event.kind == "checkpoint.started":
            self.doing = printable(f"{event.payload['position'] + 1}. {event.payload['title']}")
        elif event.kind == "subgoal.started":
            self.doing = one_line(event.payload["gloss"], self.console.width - 6)
        elif event.kind == "checkpoint.completed":
            self.doing = "going on"

    def look(self, goal: Goal) -> None:
        self.spent = spent(goal)
        if self.live is not None:
            self.live.update(self._status())

    @contextmanager
    def asking(self) -> Iterator[None]:
        self._stop()
        try:
            yield
        finally:
            self._go_live()

    def end(self, goal: Goal) -> None:
        self._stop()
        super().end(goal)

    def _status(self) -> Group:
        budget = Text(f"  {self.spent}", style="dim", no_wrap=True, overflow="ellipsis")
        doing = Text(self.doing, no_wrap=True, overflow="ellipsis")
        return Group(Spinner("dots", doing, style="cyan"), budget)

    def _go_live(self) -> None:
        streams = {"redirect_stdout": False, "redirect_stderr": False}
        self.live = Live(self._status(), console=self.console, transient=True, refresh_per_second=8, **streams)
        self.live.start()

    def _stop(self) -> None:
        if self.live is not None:
            self.live.stop()
            self.live = None


def next_step(goal: Goal) -> Iterator[str]:
    """Yield what a person can do about a goal that is neither ended nor being driven here any more."""
    if goal.is_ended:
        return
    if goal.waits_for == "question":
        page = "on the chat page or over the API, which `manage.py up` starts"
        yield f"the goal is kept; answer {page}, or with: manage.py goals answer {goal.pk}"
        return
    if goal.waits_for == "watch":
        yield f"it is looked at while the site runs; without the site: manage.py resume_goals {goal.pk}"
        return
    more = f" --raise {_ran_out(goal)}=+AMOUNT" if goal.paused_for == "budget" else ""
    yield f"the goal is kept; go on with: manage.py resume_goals {goal.pk}{more}"


def _ran_out(goal: Goal) -> str:
    """Return the resource that the goal is paused for."""
    last = goal.events.filter(kind="budget.exceeded").order_by("-seq").first()
    return last.payload["resource"] if last is not None else "RESOURCE"
