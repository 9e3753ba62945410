"""What an operator does to a goal from its page or from the list: each calls the service, as the person who acts."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from unfold.decorators import action
from unfold.enums import ActionVariant

from goals import reassigning, sealing, services, sharing
from goals.admin.forms import LimitsForm, PauseForm, ReasonForm, ReassignForm, TextForm, VerifierForm, WhyForm
from goals.admin.show import listing, page
from goals.exceptions import GoalError, NotFound
from goals.models import Goal
from goals.services import UNFINISHED
from goals.states import GoalStatus, Mode


def done(request: HttpRequest, row: Any, act: Callable[[], Any], told: str, *, listed: bool = False) -> HttpResponse:
    """Run a service, say how it went, and go back to where one came from: the row's list or its page."""
    try:
        act()
    except NotFound as error:
        raise Http404(str(error)) from error
    except GoalError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, told)
    back = back_to_list(request, row) if listed else ""
    if request.headers.get("HX-Request"):
        return HttpResponse(headers={"HX-Redirect": back or page(row)})
    return redirect(back or page(row))


def back_to_list(request: HttpRequest, row: Any) -> str:
    """Return the address of the list that a dialog was opened over, as it was narrowed; empty for another page."""
    came_from, _, query = request.headers.get("HX-Current-URL", "").partition("?")
    whole = listing(type(row)).rstrip("?")
    if not came_from.endswith(whole):
        return ""
    return f"{whole}?{QueryDict(query[:2000]).urlencode()}" if query else whole


def dialog(title: str, description: str, form: type | None, submit: str) -> dict[str, Any]:
    """Return what opens over a page: a form, or for None a mere confirmation."""
    return {"title": title, "description": description, "form_class": form, "form_submit_text": submit}


OPERATORS = ["change_verifier", "reassign_goal"]


class GoalActs:
    """Actions of the goal's page: a form opens, and is sent with its token."""

    actions_detail = [
        "resume_goal",
        "pause_goal",
        "steer_goal",
        "raise_limits",
        "rearm_goal",
        {"title": "More", "icon": "more_horiz", "items": ["revise_goal", *OPERATORS, "withdraw_links"]},
        "cancel_goal",
    ]

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> list[Any]:
        """Offer what the goal's status allows; the service has the last word."""
        goal = self.get_object(request, object_id)
        offered = _offered(goal, request.user) if goal else set()
        return [one for one in super().get_actions_detail(request, object_id) if one.path in offered]

    def has_rearm_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("goals.rearm")

    def has_operate_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("goals.operate")

    @action(
        description="Pause",
        url_path="pause",
        icon="pause",
        dialog=dialog("Pause", "The call in hand finishes; then the goal rests.", PauseForm, "Pause"),
    )
    def pause_goal(self, request: HttpRequest, form: PauseForm, object_id: str) -> HttpResponse:
        how = {"reason": form.cleaned_data["reason"], "now": form.cleaned_data["now"]}
        return self._act(request, object_id, lambda u, g: services.pause(u, g, **how), "The goal is paused.")

    @action(
        description="Resume",
        url_path="resume",
        icon="play_arrow",
        variant=ActionVariant.PRIMARY,
        dialog=dialog("Resume", "The goal goes on where it stood.", None, "Resume"),
    )
    def resume_goal(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        return self._act(request, object_id, services.resume, "The goal goes on.")

    @action(
        description="Cancel goal",
        url_path="cancel",
        icon="stop",
        variant=ActionVariant.DANGER,
        dialog=dialog("Cancel this goal", "It ends now. Only rearming brings it back.", ReasonForm, "Cancel the goal"),
    )
    def cancel_goal(self, request: HttpRequest, form: ReasonForm, object_id: str) -> HttpResponse:
        reason = form.cleaned_data["reason"]
        return self._act(request, object_id, lambda u, g: services.cancel(u, g, reason=reason), "Cancelled.")

    @action(
        description="Steer",
        url_path="steer",
        icon="assistant_navigation",
        dialog=dialog("Steer", "What you say enters the next prompt.", TextForm, "Say it"),
    )
    def steer_goal(self, request: HttpRequest, form: TextForm, object_id: str) -> HttpResponse:
        text = form.cleaned_data["text"]
        return self._act(request, object_id, lambda u, g: services.steer(u, g, text), "It will be heeded.")

    @action(
        description="Revise",
        url_path="revise",
        icon="alt_route",
        dialog=dialog("Another plan", "What is completed stays; what remains is planned anew.", WhyForm, "Ask for it"),
    )
    def revise_goal(self, request: HttpRequest, form: WhyForm, object_id: str) -> HttpResponse:
        reason = form.cleaned_data["reason"]
        return self._act(request, object_id, lambda u, g: services.revise(u, g, reason), "Another plan is asked for.")

    @action(
        description="Raise limits",
        url_path="limits",
        icon="price_change",
        dialog=dialog("Limits", "A number sets a limit, +5 raises it by five, none lifts it.", LimitsForm, "Set"),
    )
    def raise_limits(self, request: HttpRequest, form: LimitsForm, object_id: str) -> HttpResponse:
        changes = form.changes()
        return self._act(request, object_id, lambda u, g: services.raise_limits(u, g, changes), "The limits are set.")

    @action(
        description="Change verifier",
        url_path="verifier",
        icon="verified_user",
        permissions=["operate"],
        dialog=dialog("Another verifier", "It is sealed; what the old one said proves nothing.", VerifierForm, "Seal"),
    )
    def change_verifier(self, request: HttpRequest, form: VerifierForm, object_id: str) -> HttpResponse:
        given = (form.cleaned_data["verifier"], form.cleaned_data["reason"])
        return self._act(
            request, object_id, lambda u, g: sealing.change_verifier(u, g, *given), "The verifier is sealed."
        )

    @action(
        description="Reassign",
        url_path="reassign",
        icon="move_down",
        permissions=["operate"],
        dialog=dialog("Another owner", "What draws on its budget goes with it; links to it end.", ReassignForm, "Give"),
    )
    def reassign_goal(self, request: HttpRequest, form: ReassignForm, object_id: str) -> HttpResponse:
        owner, reason = form.cleaned_data["owner"], form.cleaned_data["reason"]
        told = f"The goal is {owner}'s now."
        return self._act(request, object_id, lambda u, g: reassigning.reassign(u, g, owner, reason=reason), told)

    @action(
        description="Rearm",
        url_path="rearm",
        icon="restart_alt",
        permissions=["rearm"],
        dialog=dialog("Rearm", "The goal comes back to life and is planned anew.", None, "Rearm"),
    )
    def rearm_goal(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        return self._act(request, object_id, services.rearm, "The goal is rearmed.")

    @action(
        description="Withdraw shares",
        url_path="withdraw-links",
        icon="link_off",
        dialog=dialog(
            "Withdraw all shares",
            "People no longer see it, links show nothing.",
            None,
            "Withdraw them",
        ),
    )
    def withdraw_links(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        return self._act(request, object_id, sharing.withdraw_all, "The shares are withdrawn.")

    def _act(self, request: HttpRequest, object_id: str, act: Callable[[Any, Any], Any], told: str) -> HttpResponse:
        goal = self.get_object(request, object_id)
        if goal is None:
            raise Http404(f"there is no goal {object_id}")
        return done(request, goal, lambda: act(request.user, goal.pk), told)


def _offered(goal: Goal, user: Any) -> set[str]:
    """The url paths of what can be done to a goal in its status."""
    given = {"reassign"} if user.has_perm("goals.operate") and goal.root_id is None else set()
    links = ["withdraw-links"] if sharing.shares_of(goal) else []
    if goal.status not in UNFINISHED:
        return {"limits", *links, *given, *(["rearm"] if user.has_perm("goals.rearm") else [])}
    rest = "resume" if goal.status == GoalStatus.PAUSED else "pause"
    plan = set() if goal.plan_due or goal.mode == Mode.MONITOR else {"revise"}
    seal = {"verifier"} if user.has_perm("goals.operate") else set()
    return {rest, "steer", "limits", "cancel", *links} | plan | seal | given
