"""The roles that a site has from the start: groups of permissions, made when they are missing and never changed after.

An owner and whoever is shown a goal are that goal's (`goals/seeing.py`); what is here holds for the whole site. To the
admin a person gets by the tick "staff status" as well.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.apps import apps as installed
from django.db.models import Q

if TYPE_CHECKING:
    from django.contrib.auth.models import Permission

READ = ("auth", "django_q", "goalsite", "sops")  # whose every table is to be read; rows of goals are seen by `operate`


@dataclass(frozen=True)
class Role:
    """A group: its name, what it is for, and what it grants, as app.codename."""

    name: str
    said: str
    grants: tuple[str, ...]
    reads: tuple[str, ...] = ()

    def permissions(self) -> "list[Permission]":
        from django.contrib.auth.models import Permission

        wanted = Q(pk=None)
        for grant in self.grants:
            app, codename = grant.split(".")
            wanted |= Q(content_type__app_label=app, codename=codename)
        if self.reads:
            wanted |= Q(content_type__app_label__in=self.reads, codename__startswith="view_")
        return list(Permission.objects.filter(wanted))


ROLES = (
    Role(
        "operator",
        "sees and moves everybody's goals, answers their questions, brings ended ones back, reads the whole admin",
        ("goals.operate", "goals.rearm"),
        READ,
    ),
    Role(
        "engineer",
        "says what runs on the host, which tools are used, which models, and which procedures are offered",
        ("goals.use_host_verifiers", "goals.configure", "sops.change_sop"),
        ("sops",),
    ),
)


def make() -> list[str]:
    """Make the groups that are missing; returns their names."""
    from django.contrib.auth.models import Group

    made = []
    for role in ROLES:
        group, is_new = Group.objects.get_or_create(name=role.name)
        if is_new:
            group.permissions.set(role.permissions())
            made.append(role.name)
    return made


def make_after_migrating(sender: Any, apps: Any = installed, **_: Any) -> None:
    """Make them when the last app's permissions are there; a database brought to an early state has no groups yet."""
    if sender is _last_app() and "group" in apps.all_models["auth"]:
        make()


def _last_app() -> Any:
    return list(installed.get_app_configs())[-1]


def table() -> Iterator[str]:
    """Yield the README's line for each."""
    for role in ROLES:
        names = ", ".join(f"`{grant}`" for grant in role.grants)
        yield f"| the group `{role.name}` | {role.said} ({names}) |"
