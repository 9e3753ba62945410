"""Who may do what at every address of the site: the table that `test_walk.py` holds it to.

Whoever adds an address adds a line for each of its methods, or the walk fails:

    ("PATCH", "api/goals/<uuid:pk>/watch/", "move", {"interval": 9}),
    ("POST", "api/goals/<uuid:pk>/look/", "move", {}),
    ("POST", "api/goals/<uuid:pk>/steer/", "move", {"text": "Go on"}),

says the method, the address as the resolver has it, the rule, a body that would be taken, and, where the address has
places that `PLACES` does not fill, what to put there. A model in the admin is a word in `CONSOLE`, its own actions are
lines of `CONSOLE_ACTS`. A new kind of permission is a new line of `RULES`.

What can come out: `yes`; `sees` and `empty`, for a list, with or without what is ada's, and for what is done to
chosen rows, to some or to none; `login` (who are you?);
`hidden` (there is nothing here); `forbidden` (it is there, but not for you). With `-` it is not tried: others show it.
"""

from typing import Any

PEOPLE = {
    "nobody": "not signed in, or shut out since",
    "bob": "signed in, owns nothing of what is asked for",
    "ada": "owns it",
    "vic": "was shown ada's goals by her, and owns nothing of what is asked for",
    "olga": "staff of the group operator",
    "sam": "staff, and no permission",
    "rita": "staff with the right to view every table, and no other permission",
    "root": "a superuser",
    "reads": "ada's token that reads",
    "acts": "ada's token that reads and acts",
    "blind": "ada's token that acts, and does not read",
    "limited": "olga's token that reads and acts, without operate",
    "operates": "olga's token that reads, acts and operates",
    "dead": "a token that expired, one that was ended, one of somebody who was shut out",
}

RULES = """
rule          nobody     bob        ada        vic        olga       sam        rita       root       reads      acts       blind      limited    operates   dead
open          yes        yes        yes        yes        yes        yes        yes        yes        yes        yes        yes        yes        yes        login
docs          yes        -          yes        -          -          -          -          -          -          -          -          -          -          login
nowhere act   login      hidden     hidden     hidden     hidden     hidden     hidden     hidden     forbidden  hidden     hidden     hidden     hidden     login
nowhere       login      hidden     hidden     hidden     hidden     hidden     hidden     hidden     hidden     hidden     forbidden  hidden     hidden     login
people        login      yes        yes        yes        yes        yes        yes        yes        yes        yes        forbidden  yes        yes        login
begin         login      yes        yes        yes        yes        yes        yes        yes        forbidden  yes        yes        yes        yes        login
list          login      empty      sees       sees       sees       empty      empty      sees       sees       sees       forbidden  empty      sees       login
see           login      hidden     yes        yes        yes        hidden     hidden     yes        yes        yes        forbidden  hidden     yes        login
move          login      hidden     yes        forbidden  yes        hidden     hidden     yes        forbidden  yes        yes        hidden     yes        login
seal          login      hidden     forbidden  forbidden  yes        hidden     hidden     yes        forbidden  forbidden  forbidden  hidden     yes        login
rearm         login      hidden     forbidden  forbidden  yes        hidden     hidden     yes        forbidden  forbidden  forbidden  hidden     yes        login
share         login      hidden     yes        forbidden  forbidden  hidden     hidden     forbidden  forbidden  yes        yes        hidden     forbidden  login
kept list     login      empty      sees       empty      sees       empty      empty      sees       sees       sees       forbidden  empty      sees       login
kept          login      hidden     yes        hidden     yes        hidden     hidden     yes        yes        yes        forbidden  hidden     yes        login
kept act      login      hidden     yes        hidden     yes        hidden     hidden     yes        forbidden  yes        yes        hidden     yes        login
home          login      empty      sees       sees       empty      empty      empty      empty
look          login      hidden     yes        forbidden  yes        hidden     hidden     yes        yes        yes        forbidden  hidden     yes        login
own list      login      empty      sees       empty      empty      empty      empty      empty      sees       sees       forbidden  empty      empty      login
own           login      hidden     yes        hidden     hidden     hidden     hidden     hidden     yes        yes        forbidden  hidden     hidden     login
own act       login      hidden     yes        hidden     hidden     hidden     hidden     hidden     forbidden  yes        yes        hidden     hidden     login
link          yes        yes        yes        yes        yes        yes        yes        yes
nothing       hidden     hidden     hidden     hidden     hidden     hidden     hidden     hidden
figures       forbidden  forbidden  forbidden  forbidden  yes        forbidden  forbidden  yes
console       login      login      login      login      yes        yes        yes        yes
c list        login      login      login      login      sees       empty      empty      sees
c row         login      login      login      login      yes        hidden     hidden     yes
c rearm       login      login      login      login      yes        forbidden  forbidden  yes
c own list    login      login      login      login      empty      empty      empty      sees
c own row     login      login      login      login      hidden     hidden     hidden     yes
c nothing     login      login      login      login      hidden     hidden     hidden     hidden
c never       login      -          -          -          forbidden  -          -          forbidden
c chosen      login      login      login      login      sees       empty      empty      sees
c library     login      login      login      login      empty      forbidden  empty      sees
c view        login      login      login      login      yes        forbidden  yes        yes
c site        login      login      login      login      yes        forbidden  forbidden  yes
c engineered  login      login      login      login      empty      forbidden  forbidden  sees
c root        login      login      login      login      forbidden  forbidden  forbidden  yes
"""  # noqa: E501

PLACES = {
    "goal_id": "goal",
    "conversation_id": "conversation",
    "checkpoint_id": "checkpoint",
    "subgoal_id": "subgoal",
    "question_id": "question",
    "attachment_id": "attachment",
    "share_id": "share",
    "checkpoint": "checkpoint",
    "subgoal": "subgoal",
    "share": "share",
    "delivery": "goals.delivery",
    "number": "number",
    "view_id": "view",
    "version_id": "sops.sopversion",
    "content_type_id": "content type",
    "token": "link",
}
"""Which of ada's ids stands at a place of an address."""

PK = {
    "api/goals/": "goal",
    "api/questions/": "question",
    "api/conversations/": "conversation",
    "api/goal/": "conversation",
    "api/artifacts/": "artifact",
    "api/webhooks/": "goals.webhook",
}
"""Which it is where the place is called pk."""

Line = tuple[Any, ...]

SITE: list[Line] = [
    ("GET", "healthz", "open"),
    ("GET", "readyz", "open"),
    ("GET", "metrics", "figures"),
    ("GET", "login/once/<str:token>/", "open", None, {"token": "guessed"}),
    ("GET", "login/", "open"),
    ("POST", "login/", "open", {"username": "ada", "password": "guessed"}),
    ("POST", "logout/", "open"),
]

API: list[Line] = [
    ("GET", "api/schema/", "docs"),
    ("GET", "api/docs/", "docs"),
    ("GET", "api/<anything>", "nowhere", None, {"anything": "nowhere/"}),
    ("POST", "api/<anything>", "nowhere act", {}, {"anything": "nowhere/"}),
    ("GET", "api/tools/", "people"),
    ("GET", "api/verifiers/", "people"),
    ("GET", "api/chat/commands/", "people"),
    ("GET", "api/sops/", "people"),
    ("GET", "api/sops/search/?q=x", "people"),
    ("GET", "api/sops/<slug>/", "people", None, {"slug": "find-in-files"}),
    ("GET", "api/goals/", "list"),
    ("POST", "api/goals/", "begin", {"objective": "Look around"}),
    ("POST", "api/goals/bulk/", "begin", {"goals": [{"objective": "Look around"}]}),
    ("GET", "api/goals/<uuid:pk>/", "see"),
    ("GET", "api/goals/<uuid:pk>/artifacts/", "see"),
    ("GET", "api/goals/<uuid:pk>/certificate/", "see"),
    ("GET", "api/goals/<uuid:pk>/events/", "see"),
    ("GET", "api/goals/<uuid:pk>/limits/", "see"),
    ("GET", "api/goals/<uuid:pk>/model-calls/", "see"),
    ("GET", "api/goals/<uuid:pk>/progress/", "see"),
    ("GET", "api/goals/<uuid:pk>/questions/", "see"),
    ("GET", "api/goals/<uuid:pk>/shares/", "look"),
    ("GET", "api/goals/<uuid:pk>/tool-calls/", "see"),
    ("GET", "api/goals/<uuid:pk>/tree/", "see"),
    ("GET", "api/goals/<uuid:pk>/verifications/", "see"),
    ("DELETE", "api/goals/<uuid:pk>/", "move"),
    ("PATCH", "api/goals/<uuid:pk>/checkpoints/<str:checkpoint>/", "move", {"title": "Another"}),
    ("PATCH", "api/goals/<uuid:pk>/subgoals/<str:subgoal>/", "move", {"gloss": "Another"}),
    ("PATCH", "api/goals/<uuid:pk>/limits/", "move", {"cost_usd": 9}),
    ("POST", "api/goals/<uuid:pk>/cancel/", "move", {}),
    ("POST", "api/goals/<uuid:pk>/checkpoints/<str:checkpoint>/retry/", "move", {}),
    ("POST", "api/goals/<uuid:pk>/checkpoints/<str:checkpoint>/skip/", "move", {"reason": "No need"}),
    ("POST", "api/goals/<uuid:pk>/fork/", "move", {}),
    ("POST", "api/goals/<uuid:pk>/pause/", "move", {}),
    ("POST", "api/goals/<uuid:pk>/rearm/", "rearm", {}),
    ("POST", "api/goals/<uuid:pk>/resume/", "move", {}),
    ("POST", "api/goals/<uuid:pk>/revise/", "move", {"reason": "Too slow"}),
    ("PATCH", "api/goals/<uuid:pk>/watch/", "move", {"interval": 9}),
    ("POST", "api/goals/<uuid:pk>/look/", "move", {}),
    ("POST", "api/goals/<uuid:pk>/steer/", "move", {"text": "Go on"}),
    ("PATCH", "api/goals/<uuid:pk>/verifier/", "seal", {"verifier": {"type": "llm"}, "reason": "Another"}),
    ("POST", "api/goals/<uuid:pk>/shares/", "share", {"days": 7}, {"pk": "ended"}),
    ("POST", "api/goals/<uuid:pk>/shares/", "share", {"person": "bob"}),
    ("DELETE", "api/goals/<uuid:pk>/shares/<str:share>/", "move", None, {"pk": "ended"}),
    ("GET", "api/questions/", "list"),
    ("GET", "api/questions/<uuid:pk>/", "see"),
    ("POST", "api/questions/<uuid:pk>/answer/", "move", {"answer": "Rome"}),
    ("GET", "api/conversations/", "own list"),
    ("POST", "api/conversations/", "begin", {}),
    ("GET", "api/conversations/<uuid:pk>/", "own"),
    ("GET", "api/conversations/<uuid:pk>/messages/", "own"),
    ("POST", "api/conversations/<uuid:pk>/messages/", "own act", {"content": "Hello"}),
    ("GET", "api/goal/<uuid:pk>/", "own"),
    ("DELETE", "api/goal/<uuid:pk>/", "own act"),
    ("GET", "api/webhooks/", "kept list"),
    ("POST", "api/webhooks/", "begin", {"address": "https://example.org/in"}),
    ("GET", "api/webhooks/<uuid:pk>/", "kept"),
    ("GET", "api/webhooks/<uuid:pk>/deliveries/", "kept"),
    ("PATCH", "api/webhooks/<uuid:pk>/", "kept act", {"name": "Another"}),
    ("DELETE", "api/webhooks/<uuid:pk>/", "kept act"),
    ("POST", "api/webhooks/<uuid:pk>/rotate/", "kept act", {}),
    ("POST", "api/webhooks/<uuid:pk>/test/", "kept act", {}),
    ("POST", "api/webhooks/<uuid:pk>/deliveries/<uuid:delivery>/redeliver/", "kept act", {}),
    ("GET", "api/artifacts/<uuid:pk>/", "see"),
    ("GET", "api/artifacts/<uuid:pk>/content/", "see"),
]

PAGE: list[Line] = [
    ("GET", "", "home"),
    ("GET", "c/list/", "own list"),
    ("GET", "needs/", "own list"),
    ("POST", "c/new/", "begin", {"content": "Hello"}),
    ("POST", "c/examples/<slug:slug>/", "begin", {}, {"slug": "inventory"}),
    ("GET", "c/<uuid:conversation_id>/", "own"),
    ("GET", "c/<uuid:conversation_id>/timeline/", "own"),
    ("GET", "c/<uuid:conversation_id>/panel/", "own"),
    ("GET", "c/<uuid:conversation_id>/artifacts/", "own"),
    ("POST", "c/<uuid:conversation_id>/messages/", "own act", {"content": "Hello"}),
    ("POST", "c/<uuid:conversation_id>/messages/<int:number>/retry/", "own act", {}),
    ("POST", "c/<uuid:conversation_id>/messages/<int:number>/correct/", "own act", {"as": "talk"}),
    ("POST", "c/<uuid:conversation_id>/name/", "own act", {"title": "Another"}),
    ("POST", "attachments/", "begin", {}),
    ("GET", "attachments/<uuid:attachment_id>/", "own"),
    ("POST", "attachments/<uuid:attachment_id>/drop/", "own act", {}),
    ("GET", "q/<uuid:question_id>/", "see"),
    ("POST", "q/<uuid:question_id>/answer/", "move", {"value": '"Rome"'}),
    ("GET", "g/<uuid:goal_id>/", "see"),
    ("GET", "g/<uuid:goal_id>/head/", "see"),
    ("GET", "g/<uuid:goal_id>/timeline/", "see"),
    ("GET", "g/<uuid:goal_id>/timeline.json", "see"),
    ("GET", "g/<uuid:goal_id>/events/", "see"),
    ("GET", "g/<uuid:goal_id>/artifacts/", "see"),
    ("GET", "g/<uuid:goal_id>/graph.json", "see"),
    ("GET", "g/<uuid:goal_id>/steps/<uuid:checkpoint_id>/", "see"),
    ("GET", "g/<uuid:goal_id>/parts/<uuid:subgoal_id>/", "see"),
    ("GET", "g/<uuid:goal_id>/files/<path:path>", "see", None, {"path": "report.md"}),
    ("GET", "g/<uuid:goal_id>/files/<path:path>?download", "see", None, {"path": "report.md"}),
    *(
        ("GET", "g/<uuid:goal_id>/<slug:kind>/<uuid:row_id>/", "see", None, {"kind": f"{kind}s", "row_id": row})
        for kind, row in (
            ("artifact", "artifact"),
            ("checkpoint", "checkpoint"),
            ("model-call", "model_call"),
            ("question", "question"),
            ("subgoal", "subgoal"),
            ("tool-call", "tool_call"),
            ("verification", "verification"),
        )
    ),
    (
        "GET",
        "g/<uuid:goal_id>/<slug:kind>/<uuid:row_id>/<slug:part>/",
        "see",
        None,
        {"kind": "artifacts", "row_id": "artifact", "part": "value"},
    ),
    *(
        ("POST", "g/<uuid:goal_id>/steps/<uuid:checkpoint_id>/<slug:action>/", "move", body, {"action": action})
        for action, body in (("skip", {"reason": "x"}), ("retry", {}), ("edit", {"title": "Another"}))
    ),
    ("POST", "g/<uuid:goal_id>/parts/<uuid:subgoal_id>/edit/", "move", {"gloss": "Another"}),
    *(
        ("POST", "g/<uuid:goal_id>/<slug:action>/", rule, body, {"action": action})
        for action, rule, body in (
            ("pause", "move", {}),
            ("resume", "move", {}),
            ("cancel", "move", {}),
            ("steer", "move", {"text": "Go on"}),
            ("revise", "move", {"reason": "Too slow"}),
            ("limits", "move", {"resource": "cost_usd", "limit": "9"}),
            ("rearm", "rearm", {}),
        )
    ),
    ("POST", "g/<uuid:goal_id>/share/", "share", {"days": "7"}, {"goal_id": "ended"}),
    ("POST", "g/<uuid:goal_id>/people/", "share", {"person": "bob"}),
    ("POST", "g/<uuid:goal_id>/share/<uuid:share_id>/withdraw/", "move", {}, {"goal_id": "ended"}),
    *(
        ("GET", address, rule, None, {"token": token, "path": "report.md"})
        for token, rule in (("link", "link"), ("guessed", "nothing"))
        for address in (
            "s/<str:token>/",
            "s/<str:token>/graph/",
            "s/<str:token>/graph/data/",
            "s/<str:token>/files/<path:path>",
        )
    ),
]

CONSOLE = {
    "goals.attachment": "owned",
    "goals.budget": "owned",
    "goals.checkpoint": "owned",
    "goals.conversation": "owned",
    "goals.delivery": "owned",
    "goals.event": "owned",
    "goals.goal": "owned",
    "goals.idempotentrequest": "owned",
    "goals.message": "owned",
    "goals.modelcall": "owned",
    "goals.progressscore": "owned",
    "goals.question": "owned",
    "goals.share": "owned",
    "goals.spend": "owned",
    "goals.subgoal": "owned",
    "goals.toolcall": "owned",
    "goals.verification": "owned",
    "goals.watch": "owned",
    "artifacts.artifact": "owned",
    "artifacts.context": "owned",
    "artifacts.derivation": "owned",
    "goals.breaker": "operators'",
    "goals.modelchoice": "configured",
    "goals.modelprice": "stated",
    "goals.mcpserver": "configured",
    "goals.mcptool": "found",
    "goals.toolrule": "configured",
    "goalsite.canary": "site's",
    "goalsite.livemessage": "site's",
    "goalsite.loginlink": "site's",
    "django_q.failure": "site's",
    "django_q.ormq": "site's",
    "django_q.schedule": "site's",
    "django_q.success": "site's",
    "sops.perspective": "site's",
    "sops.sop": "site's",
    "sops.sopstep": "site's",
    "sops.sopuse": "site's",
    "sops.sopversion": "site's",
    "auth.group": "accounts",
    "auth.user": "accounts",
    "goals.apitoken": "tokens",
    "goals.webhook": "webhooks",
}
"""Whose the rows of each model in the admin are."""

CHANGE, DELETE, HISTORY = (f"<path:object_id>/{page}/" for page in ("change", "delete", "history"))


def _read_only(pages: str, row: str, history: str = "") -> list[Line]:
    never = [("GET", "add/"), ("POST", "add/"), ("POST", CHANGE), ("GET", DELETE), ("POST", DELETE)]
    read = [("GET", "", pages), ("GET", CHANGE, row), ("GET", HISTORY, history or row)]
    return [*read, *((method, page, "c never") for method, page in never)]


CONSOLE_PAGES: dict[str, list[Line]] = {
    "owned": _read_only("c list", "c row"),
    "site's": _read_only("c view", "c view"),
    "operators'": _read_only("c site", "c site", "c row"),
    "stated": [
        *(("GET", page, "c site") for page in ("", CHANGE, HISTORY)),
        *((method, "add/", "c root") for method in ("GET", "POST")),
        *((method, page, "c never") for method, page in (("POST", CHANGE), ("GET", DELETE), ("POST", DELETE))),
    ],
    "configured": [
        *(("GET", page, "c site") for page in ("", CHANGE, HISTORY)),
        *((method, page, "c root") for method in ("GET", "POST") for page in ("add/", DELETE)),
        ("POST", CHANGE, "c root"),
    ],
    "found": [
        *(("GET", page, "c site") for page in ("", CHANGE, HISTORY)),
        *((method, page, "c never") for method in ("GET", "POST") for page in ("add/", DELETE)),
        ("POST", CHANGE, "c root"),
    ],
    "webhooks": [
        ("GET", "", "c list"),
        *((method, "add/", "console") for method in ("GET", "POST")),
        *((method, page, "c row") for method, page in (("GET", CHANGE), ("POST", CHANGE), ("GET", HISTORY))),
        *((method, DELETE, "c never") for method in ("GET", "POST")),
    ],
    "accounts": [
        *(("GET", page, "c view") for page in ("", CHANGE, HISTORY)),
        *((method, page, "c root") for method in ("GET", "POST") for page in ("add/", DELETE)),
        ("POST", CHANGE, "c root"),
    ],
    "tokens": [
        ("GET", "", "c own list"),
        ("GET", "add/", "console"),
        ("POST", "add/", "console"),
        ("GET", CHANGE, "c own row"),
        ("GET", HISTORY, "c own row"),
        *((method, page, "c never") for method, page in (("POST", CHANGE), ("GET", DELETE), ("POST", DELETE))),
    ],
}
"""What may be done with rows that are somebody's, the whole site's, and so on."""

DONE = {"_form_submitted": "on"}

CONSOLE_ACTS: list[Line] = [
    ("GET", "admin/", "console"),
    ("GET", "admin/<app_label>/", "console", None, {"app_label": "goals"}),
    ("GET", "admin/<url>", "c nothing", None, {"url": "nowhere"}),
    ("GET", "admin/autocomplete/", "c view", {"app_label": "goals", "model_name": "apitoken", "field_name": "user"}),
    ("GET", "admin/jsi18n/", "console"),
    ("GET", "admin/login/", "open"),
    ("POST", "admin/login/", "open", {"username": "ada", "password": "guessed"}),
    ("POST", "admin/logout/", "open"),
    ("GET", "admin/password_change/", "console"),
    ("POST", "admin/password_change/", "console", {}),
    ("GET", "admin/password_change/done/", "console"),
    ("GET", "admin/r/<path:content_type_id>/<path:object_id>/", "c nothing", None, {"object_id": "goal"}),
    ("GET", "admin/search/", "console", {"s": "Zanzibar"}),
    ("GET", "admin/auth/user/<id>/password/", "c root"),
    ("POST", "admin/auth/user/<id>/password/", "c root", {"password1": "a-long-one-2", "password2": "a-long-one-2"}),
    ("POST", "admin/goals/apitoken/<path:object_id>/end/", "c own row", DONE),
    ("POST", "admin/goals/breaker/<path:object_id>/close/", "c row", DONE),
    ("POST", "admin/goals/checkpoint/<path:object_id>/edit/", "c row", {**DONE, "title": "Another"}),
    ("POST", "admin/goals/checkpoint/<path:object_id>/retry/", "c row", DONE),
    ("POST", "admin/goals/checkpoint/<path:object_id>/skip/", "c row", {**DONE, "reason": "x"}),
    ("POST", "admin/goals/mcpserver/<path:object_id>/look/", "c root", {}),
    ("POST", "admin/goals/mcptool/", "c engineered", {"action": "let_in_new", "_selected_action": "goals.mcptool"}),
    ("POST", "admin/goals/modelchoice/<path:object_id>/try/", "c root", {}),
    ("POST", "admin/goals/modelprice/<path:object_id>/end/", "c root", {}),
    ("POST", "admin/goals/subgoal/<path:object_id>/edit/", "c row", {**DONE, "gloss": "Another"}),
    ("POST", "admin/goals/question/<path:object_id>/answer/", "c row", {**DONE, "answer": "Rome"}),
    ("POST", "admin/goals/goal/<path:object_id>/resume/", "c row", DONE),
    ("POST", "admin/goals/goal/<path:object_id>/pause/", "c row", DONE),
    ("POST", "admin/goals/goal/<path:object_id>/steer/", "c row", {**DONE, "text": "Go on"}),
    ("POST", "admin/goals/goal/<path:object_id>/revise/", "c row", {**DONE, "reason": "x"}),
    ("POST", "admin/goals/goal/<path:object_id>/limits/", "c row", {**DONE, "cost_usd": "9"}),
    ("POST", "admin/goals/goal/<path:object_id>/verifier/", "c rearm", {**DONE, "verifier": "{}", "reason": "x"}),
    ("POST", "admin/goals/goal/<path:object_id>/withdraw-links/", "c row", DONE),
    ("POST", "admin/goals/goal/<path:object_id>/rearm/", "c rearm", DONE),
    ("GET", "admin/goals/goal/<uuid:goal_id>/certificate/", "c row"),
    ("GET", "admin/goals/goal/export/", "c list"),
    ("GET", "admin/goals/spend/export/", "c list"),
    ("POST", "admin/goals/goal/<path:object_id>/reassign/", "c rearm", {**DONE, "owner": "bob"}),
    ("POST", "admin/goals/goal/views/keep/", "console", {"name": "Paused", "query": "status=paused"}),
    ("POST", "admin/goals/goal/views/<uuid:view_id>/drop/", "c nothing", {}),
    ("POST", "admin/goals/goal/<path:object_id>/cancel/", "c row", DONE),
    *(("POST", f"admin/goals/watch/<path:object_id>/{act}/", "c row", DONE) for act in ("look", "pause", "resume")),
    ("POST", "admin/goals/watch/<path:object_id>/rule/", "c row", {**DONE, "interval": "9", "trigger": "met"}),
    ("GET", "admin/sops/sopversion/<uuid:version_id>/edit/", "c root"),
    ("POST", "admin/sops/sopversion/<uuid:version_id>/edit/", "c root", {}),
    ("GET", "admin/sops/sopversion/<path:object_id>/begin/", "c root"),
    ("POST", "admin/goals/delivery/<path:object_id>/redeliver/", "c row", DONE),
    ("POST", "admin/goals/delivery/", "c chosen", {"action": "redeliver_chosen", "_selected_action": "goals.delivery"}),
    ("POST", "admin/goals/webhook/<path:object_id>/remove/", "c row", DONE),
    ("POST", "admin/goals/webhook/<path:object_id>/rotate/", "c row", DONE),
    ("POST", "admin/goals/webhook/<path:object_id>/test/", "c row", DONE),
    *(
        ("POST", "admin/goals/goal/", "c chosen", {**DONE, **said, "action": act, "_selected_action": "goal"})
        for act, said in (
            ("pause_chosen", {}),
            ("cancel_chosen", {}),
            ("raise_chosen", {"cost_usd": "+1"}),
            ("reassign_chosen", {"owner": "bob"}),
        )
    ),
    ("POST", "admin/sops/sop/", "c library", {"action": "retire", "_selected_action": "sops.sop"}),
]
"""The admin's other addresses: those of the site, and the acts of rows."""

SOCKETS: list[Line] = [
    ("connect", "ws/goals/<str:id>/", "see", None, {"id": "goal"}),
    ("connect", "ws/conversations/<str:id>/", "own", None, {"id": "conversation"}),
    ("connect", "ws/needs/", "people"),
]
"""The live sockets: who is welcomed. What is then sent and heard: `tests/goals/chat/test_sockets.py`."""
