"""A question about a plan in the console: each plan as a numbered list, readable by whoever must decide."""

from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from goals.models import Question
from goals.plan_words import proposals


def plans_of(question: Question) -> SafeString:
    """Return the plans of a question with all their steps."""
    details = question.details or {}
    context = {"proposals": proposals(details), "note": details["note"], "reason": details["reason"]}
    return mark_safe(render_to_string("admin_goals/plans.html", context))  # noqa: S308 - a template escapes by itself
