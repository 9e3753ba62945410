"""What a program does with the typed client that is generated from the schema: its types are checked, and it is run."""

from urllib.parse import parse_qs, urlsplit
from uuid import UUID

from goalsite_client import AuthenticatedClient
from goalsite_client.api.goals import (
    goals_bulk_create,
    goals_create,
    goals_events_retrieve,
    goals_list,
    goals_pause_create,
    goals_retrieve,
)
from goalsite_client.api.questions import questions_answer_create, questions_list
from goalsite_client.models import (
    AnswerInput,
    BulkInput,
    Event,
    Events,
    Goal,
    GoalInput,
    GoalSummaries,
    PaginatedGoalSummaryList,
    PaginatedQuestionList,
    PauseInput,
    Problem,
    Question,
)
from goalsite_client.types import UNSET, Unset


def submit(client: AuthenticatedClient, objective: str) -> Goal:
    made = goals_create.sync(
        client=client, body=GoalInput(objective=objective), idempotency_key=f"key-{len(objective)}"
    )
    assert isinstance(made, Goal), made
    return made


def submit_all(client: AuthenticatedClient, objectives: list[str]) -> list[str]:
    made = goals_bulk_create.sync(client=client, body=BulkInput([GoalInput(objective=one) for one in objectives]))
    assert isinstance(made, GoalSummaries), made
    return [goal.objective for goal in made.results]


def refused(client: AuthenticatedClient) -> Problem:
    problem = goals_create.sync(client=client, body=GoalInput(objective=" "))
    assert isinstance(problem, Problem), problem
    return problem


def follow(client: AuthenticatedClient, goal: UUID, after: int) -> list[Event]:
    found = goals_events_retrieve.sync(goal, client=client, after=after, wait=10)
    assert isinstance(found, Events), found
    return found.results


def answer(client: AuthenticatedClient, goal: UUID, text: str) -> Question:
    waiting = questions_list.sync(client=client, goal=goal)
    assert isinstance(waiting, PaginatedQuestionList), waiting
    answered = questions_answer_create.sync(waiting.results[0].id, client=client, body=AnswerInput(answer=text))
    assert isinstance(answered, Question), answered
    return answered


def pause_as_seen(client: AuthenticatedClient, goal: UUID, tag: str | None = None) -> tuple[int, str]:
    """Pause the goal if it is as it was seen (with the tag, or just now); return the status and the new tag."""
    seen = tag or goals_retrieve.sync_detailed(goal, client=client).headers["ETag"]
    done = goals_pause_create.sync_detailed(goal, client=client, body=PauseInput(), if_match=seen)
    return int(done.status_code), seen


def walk(client: AuthenticatedClient, size: int) -> list[list[str]]:
    """Return the objectives of all goals, page by page."""
    pages: list[list[str]] = []
    cursor: str | Unset = UNSET
    while True:
        page = goals_list.sync(client=client, page_size=size, cursor=cursor)
        assert isinstance(page, PaginatedGoalSummaryList), page
        pages.append([goal.objective for goal in page.results])
        if page.next_ is None:
            return pages
        cursor = parse_qs(urlsplit(page.next_).query)["cursor"][0]
