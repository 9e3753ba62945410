"""A walk through every address of the site as everybody: what comes out is what the table says (DESIGN rule 8)."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.access import routes, table
from tests.access.world import SECRET, World, build

pytestmark = pytest.mark.django_db
HEADER, *BODY = (line for line in table.RULES.splitlines() if line.strip())
STRANGERS = {"nobody", "gone", "bob", "sam", "rita", "limited", "dead"}
PROGRAMS = list(table.PEOPLE)[list(table.PEOPLE).index("reads") :]
WRITES = re.compile(r"\b(insert into|update|delete from|pg_notify)\b", re.IGNORECASE)
OWN_TRACKS = re.compile(r"django_session|goals_tally|goals_apipace|SET \"(used_at|last_login)\"|FOR (NO KEY )?UPDATE")
REFUSED = {403: "forbidden", 404: "hidden", 405: "no such method"}
LOGINS = ("/login/", "/admin/login/")


class Line(NamedTuple):
    """A line of the table."""

    method: str
    address: str
    rule: str
    body: Any = None
    places: Mapping[str, Any] = {}


def rules() -> dict[str, dict[str, str]]:
    """Return what comes out by rule and by who asks."""
    names = HEADER.split()[1:]
    found = {}
    for line in BODY:
        rule, words = line[:14].strip(), line[14:].split()
        found[rule] = dict(zip(names, words, strict=False))
    return found


RULES = rules()


def test_every_address_of_the_site_is_in_the_table():
    told = {line.address.partition("?")[0] for line in lines()}
    built_in = {
        f"admin/{model.replace('.', '/')}/<path:object_id>/" for model in routes.models()
    }  # redirects to change/
    assert sorted(routes.addresses().keys() - told - built_in) == []
    assert sorted(told - routes.addresses().keys()) == []


def test_every_model_of_the_admin_is_in_the_table():
    assert sorted(routes.models()) == sorted(table.CONSOLE)


def test_every_method_of_the_api_is_in_the_table():
    told = {(line.method.lower(), line.address.partition("?")[0]) for line in lines()}
    found = {
        (method, address)
        for address, entry in routes.addresses().items()
        for method in getattr(entry.callback, "actions", {})
        if method != "head" and address != "api/<anything>"
    }
    assert sorted(found - told) == []


@pytest.mark.parametrize("part", ["api", "page", "console"])
def test_nobody_gets_further_than_the_table_says(settings, tmp_path, part):
    settings.GOALSITE_DATA_DIR = tmp_path
    settings.GOALSITE_METRICS_TOKEN = "nobody knows it"
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    world = build(tmp_path)
    wrong = [told for line in PARTS[part]() for told in walk(world, line)]
    assert not wrong, "\n" + "\n".join(wrong)


def walk(world: World, line: Line) -> Iterator[str]:
    """Come to an address as everybody; yield in words what is other than the table says."""
    path = routes.filled(line.address, places(world, line))
    for who, client in world.clients.items():
        role = who.partition(" ")[0]
        expected = expectation(line, role)
        if expected in (None, "-"):
            continue
        told = f"{who}: {line.method} {path}:"
        answer, body, written = visited(client, line, path, world)
        shown = bool(written) if line.method != "GET" else shows(answer, body, line, world)
        met = outcome(answer, expected, shown)
        if met != expected:
            yield f"{told} {met} ({answer.status_code}), the table says {expected}"
        refused = met not in ("yes", "sees")
        if SECRET.encode() in body and (refused or role in STRANGERS) and line.rule != "link":
            yield f"{told} is told of what is ada's"
        if written and met != "sees" and (met != "yes" or line.method == "GET"):
            yield f"{told} {met}, and wrote: {written[0][:200]}"


def expectation(line: Line, role: str) -> str | None:
    """Return what the table says; outside of the API a token is nothing, and one is enough to see that."""
    if line.address.startswith("admin/") and role in ("bob", "gone", "acts"):
        return None  # as ada, who is no staff either, and as nobody
    if role == "gone":
        return RULES[line.rule]["nobody"]
    if role not in PROGRAMS or line.address.startswith("api/"):
        return RULES[line.rule][role]
    return RULES[line.rule]["nobody"] if role == "acts" else None


def visited(client: Client, line: Line, path: str, world: World) -> tuple[Any, bytes, list[str]]:
    """Return what came of a request, its text, and what was written meanwhile; all of it is taken back."""
    cookies = client.cookies.copy()
    connection.queries_log.clear()
    with transaction.atomic(), CaptureQueriesContext(connection) as asked:
        answer = send(client, line, path, world)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        transaction.set_rollback(True)
    client.cookies = cookies  # who has signed out is signed in again
    written = [query["sql"] for query in asked.captured_queries if WRITES.search(query["sql"])]
    return answer, body, [sql for sql in written if not OWN_TRACKS.search(sql)]


def send(client: Client, line: Line, path: str, world: World) -> Any:
    """Ask as a browser would, and the API with JSON."""
    if line.method == "GET":
        return client.get(path, line.body)
    body = {} if line.body is None else line.body
    if line.address.startswith("api/"):
        return client.generic(line.method, path, json.dumps(body), "application/json")
    chosen = body.get("_selected_action")
    return client.post(path, {**body, **({"_selected_action": place(world, chosen)} if chosen else {})})


def shows(answer: Any, body: bytes, line: Line, world: World) -> bool:
    """Whether what is ada's is on a list: a word of hers, or her row."""
    listed = getattr(answer.context and answer.context.get("cl"), "result_list", ())
    row = places(world, line).get("object_id")
    return SECRET.encode() in body or any(one.pk == row for one in listed)


def outcome(answer: Any, expected: str, shown: bool) -> str:
    """Return in the table's words what came out."""
    code, where = answer.status_code, answer.headers.get("Location", "").partition("?")[0]
    if code == 401 or (where in LOGINS and "logout" not in answer.request["PATH_INFO"]):
        return "login"
    if code in REFUSED:
        return REFUSED[code]
    if code == 500:
        return "error"
    if where == "/admin/" and answer.resolver_match.url_name not in ("index", "login", "logout"):
        return "hidden"  # the admin's way to say that there is no such row
    if expected in ("sees", "empty"):
        return "sees" if shown else "empty"
    return "yes"


def lines() -> list[Line]:
    return [line for part in PARTS.values() for line in part()]


def console() -> Iterator[Line]:
    """Yield the table of the admin, with the pages of every model written out."""
    for told in table.CONSOLE_ACTS:
        yield Line(*told)
    for model, kind in table.CONSOLE.items():
        base = f"admin/{model.replace('.', '/')}/"
        for method, page, rule, *rest in table.CONSOLE_PAGES[kind]:
            yield Line(method, base + page, rule, *rest)


def places(world: World, line: Line) -> dict[str, Any]:
    """Return what stands at the places of an address."""
    pk = next((name for prefix, name in table.PK.items() if line.address.startswith(prefix)), "")
    names = {**table.PLACES, "pk": pk}
    parts = line.address.split("/")
    if parts[0] == "admin" and len(parts) > 2:
        names |= dict.fromkeys(("object_id", "id"), ".".join(parts[1:3]))
    return {name: place(world, value) for name, value in {**names, **line.places}.items()}


def place(world: World, name: str) -> Any:
    return world.ids.get(name, name)


PARTS = {
    "api": lambda: (Line(*told) for told in (*table.SITE, *table.API)),
    "page": lambda: (Line(*told) for told in table.PAGE),
    "console": console,
}
