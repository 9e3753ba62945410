"""A person's new version of a procedure: checked by the rules of an import, and never made over another's."""

from collections.abc import Callable, Collection
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from sops import indexing
from sops.exceptions import InvalidSop, StaleSop
from sops.importer import CheckVerifier, refusals
from sops.models import Sop, SopOrigin, SopVersion
from sops.schema import SopSpec, parse
from sops.store import write_version

Rules = Callable[[], tuple[Collection[str], CheckVerifier]]


def checked(raw: Any) -> SopSpec:
    """Return the procedure that this JSON value describes; raises InvalidSop with every field that is refused.

    What tools and verifiers there are is told by the setting `GOALSITE_SOP_RULES`.
    """
    spec = parse(raw)
    known_tools, check_verifier = import_string(settings.GOALSITE_SOP_RULES)()
    if problems := list(refusals(spec, known_tools, check_verifier)):
        raise InvalidSop("procedure", problems)
    return spec


def new_version(sop: Sop, raw: Any, *, after: int) -> SopVersion:
    """Store the next version, which becomes the current one; `after` is the latest number that its author saw.

    Raises InvalidSop, EmbedderUnavailable, or StaleSop when there is a later one; then nothing is stored.
    """
    spec = checked({**raw, "slug": sop.slug})
    prepared = indexing.prepare(spec)  # may ask an endpoint: no transaction waits for it
    with transaction.atomic():
        locked = Sop.objects.select_for_update().get(pk=sop.pk)
        versions = locked.versions.order_by("-number")
        latest = versions.values_list("number", flat=True).first() or 0
        if latest != after:
            raise StaleSop(f"version {latest} was made meanwhile; look at it, and begin again from there")
        current = versions.filter(is_current=True).first()
        if current is not None and current.digest == spec.digest():
            raise InvalidSop("procedure", [("(whole)", f"says what version {current.number} says already")])
        version = write_version(locked, spec, number=latest + 1, origin=SopOrigin.PERSON)
        indexing.write(version, prepared)
    return version
