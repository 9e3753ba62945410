"""The rehearsal model: every rule gives a reply that parses, and the rules do what they say."""

import json
from pathlib import Path

import pytest
import yaml

import sops
from goals.llm import prompts
from goals.llm.parsing import parse
from goals.llm.rehearsal.asked import read
from goals.llm.rehearsal.reply import Calls, Text
from goals.llm.rehearsal.rules import RULES, answer
from goals.llm.rehearsal.words import STAND_IN
from goals.llm.replies import REPLIES
from goals.llm.schemas import response_format
from goals.tools import registry

LIBRARY = Path(sops.__file__).parent / "library"
INVENTORY = (
    "Write an inventory of the Python modules in this folder: files, lines, public functions, missing docstrings"
)
TOOLS = [{"name": name} for name in ("list_files", "search_files", "render_report")]
OFFERED = [{"type": "function", "function": {"name": name}} for name in ("list_files", "search_files")]


def reply_to(name, *, messages=(), offered=(), **variables):
    given = dict.fromkeys(prompts.load(name).variables, "") | variables
    body = {"model": "rehearsal", "messages": [*prompts.render(name, **given), *messages], "tools": list(offered)}
    if name in REPLIES:
        body["response_format"] = response_format(name)
    return answer(read(body))


def typed(name, **given):
    value, problem = parse(name, json.dumps(reply_to(name, **given).value))
    assert problem is None, problem
    return value


def asks(key, kind, suggestions=()):
    return {"open_questions": [{"key": key, "kind": kind, "suggestions": list(suggestions)}]}


def called(status, arguments=""):
    return {"tool": "write_file", "status": status, "arguments": arguments}


@pytest.fixture(scope="module")
def candidates():
    fields = ("slug", "title", "intent", "description", "prerequisites", "inputs", "tags", "outputs")
    found = [yaml.safe_load(path.read_text()) for path in sorted(LIBRARY.glob("*.yaml"))]
    return [{field: one.get(field) for field in fields} for one in found]


def test_every_prompt_has_a_rule_and_every_rule_answers_even_empty_sections_in_form():
    assert set(RULES) == set(prompts.names())
    for name in REPLIES:
        typed(name)


@pytest.mark.parametrize("name", sorted(set(REPLIES) - {"gather_question", "interpret_message"}))
def test_every_free_text_says_that_a_stand_in_wrote_it(name):
    assert STAND_IN in json.dumps(reply_to(name).value, ensure_ascii=False)


@pytest.mark.parametrize(
    ("objective", "slug", "inputs"),
    [
        (
            INVENTORY,
            "python-inventory",
            {},
        ),
        ("Clean customers.csv to JSON with a validation report", "csv-to-json", {"csv_file": "customers.csv"}),
        ("Group the errors in these logs and count them", "log-triage", {}),
        ("Find me a train to Paris", "book-train", {"destination": "Paris"}),
        (
            "Book a train from London to New York on 2030-05-01",
            "book-train",
            {"origin": "London", "destination": "New York", "date": "2030-05-01"},
        ),
        ("Find every mention of the word 'lease'", "find-in-files", {"term": "lease"}),
        ("Write a poem about Python", None, {}),
        ("Book a hotel in Paris", None, {}),
        ("Create a caching layer", None, {}),
        ("Research competitors and write a market analysis report", None, {}),
    ],
)
def test_procedures_are_recognised_by_words_and_only_convincing_ones(candidates, objective, slug, inputs):
    verdict = typed("judge_applicability", objective=objective, candidates=candidates)
    assert verdict.sop == slug
    assert verdict.inputs == inputs
    assert (verdict.confidence >= 0.7) == (slug is not None)


def test_an_input_stated_by_name_is_taken():
    candidate = {"slug": "tea-time", "title": "Make tea", "inputs": [{"name": "sort"}, {"name": "cups"}]}
    verdict = typed("judge_applicability", objective='Make tea time: sort="Earl Grey", cups=2', candidates=[candidate])
    assert verdict.inputs == {"sort": "Earl Grey", "cups": "2"}


def test_without_a_procedure_it_searches_the_files_and_writes_up():
    plan = typed("plan_checkpoints", objective="What do the files say about pensions?", tools=TOOLS, errors=[])
    assert [one.args["tool"] for one in plan.checkpoints] == ["list_files", "search_files", "render_report"]
    assert plan.checkpoints[1].args["input"] == {"query": ["say", "pensions"]}


@pytest.mark.parametrize(
    "objective",
    ["Write a poem about spring into poem.txt", "Delete all files", "Please cancel my train", "Translate this letter"],
)
def test_what_it_cannot_do_it_does_not_plan(objective):
    plan = typed("plan_checkpoints", objective=objective, tools=TOOLS, errors=[])
    assert plan.checkpoints == []
    assert "OPENAI_BASE_URL" in plan.reasoning


@pytest.mark.parametrize("objective", ["What is the capital of France?", "Write a report about pensions"])
def test_looking_and_writing_down_it_can(objective):
    assert typed("plan_checkpoints", objective=objective, tools=TOOLS, errors=[]).checkpoints


@pytest.mark.parametrize(
    ("summary", "met"), [("0 matches in 0 of 3 files.", False), ("2 matches in 1 of 3 files.", True)]
)
def test_a_search_that_found_nothing_meets_nothing(summary, met):
    calls = [
        {"tool": "search_files", "status": "succeeded", "summary": summary},
        {"tool": "render_report", "status": "succeeded", "summary": "findings.md"},
    ]
    verdict = typed("judge_outcome", criteria="Who greets whom?", artifacts="- @matches_found", tool_calls=calls)
    assert verdict.met is met
    assert met or "no file says anything about it" in verdict.reason


def test_its_plans_use_the_real_tools_as_they_are():
    plan = typed("plan_checkpoints", objective="What about pensions?", tools=TOOLS, errors=[])
    for one in plan.checkpoints:
        registry.get(one.args["tool"]).Input.model_validate(one.args["input"])


@pytest.mark.parametrize("given", [{"tools": []}, {"tools": TOOLS, "errors": ["unknown tool"]}, {"objective": "?"}])
def test_where_it_cannot_search_it_plans_one_step_of_work(given):
    plan = typed("plan_checkpoints", **({"objective": "Look at pensions"} | given))
    assert [one.predicate for one in plan.checkpoints] == ["execute"]


def test_it_cannot_think_of_another_way():
    assert typed("plan_checkpoints", objective="x", previous="not met").checkpoints == []
    assert typed("revise_plan", objective="x").checkpoints == []


def test_acting_looks_first_and_then_hands_over_what_it_saw():
    task = {"gloss": "Read about pensions", "operation": "search", "evidence_key": "findings", "outputs": []}
    first = reply_to("act", task=task, offered=OFFERED)
    assert isinstance(first, Calls)
    assert [name for name, _ in first.calls] == ["list_files", "search_files"]
    done = typed("act", task=task, offered=OFFERED, messages=[{"role": "tool", "content": "a.md: pensions"}])
    assert done.status == "done"
    assert "a.md: pensions" in done.result
    assert [output.name for output in done.outputs] == ["findings"]


def test_acting_is_stuck_when_every_tool_failed():
    failed = [{"role": "tool", "content": '{"error": "no such folder"}'}]
    assert typed("act", task={"gloss": "look"}, offered=OFFERED, messages=failed).status == "stuck"


@pytest.mark.parametrize(
    ("given", "met"),
    [
        ({"criteria": "@report exists", "artifacts": "- @report (file): the report"}, True),
        ({"criteria": "@report exists", "artifacts": "none", "result": "@report exists"}, False),
        ({"criteria": "report.md is there", "tool_calls": [called("succeeded", "report.md")]}, True),
        ({"criteria": "report.md is there", "tool_calls": [called("failed", "report.md")]}, False),
        ({"criteria": "it is good", "result": "I did it"}, False),
        ({"criteria": "it is good", "tool_calls": [called("succeeded")]}, True),
    ],
)  # fmt: skip
def test_judging_goes_by_the_record_and_not_by_the_claim(given, met):
    verdict = typed("judge_outcome", **given)
    assert verdict.met is met
    assert (verdict.score == 1) is met


@pytest.mark.parametrize(
    ("message", "given", "action", "evidence"),
    [
        ("Book a train to Paris", {}, "new_goal", []),
        ("hello", {}, "continue", []),
        ("please use the second table", {"goal": {"objective": "x", "status": "active"}}, "continue", []),
        ("forget it", {"goal": {"objective": "x", "status": "active"}}, "abandon_goal", []),
        ("London.", asks("origin", "information"), "add_evidence", [("origin", "London")]),
        ("2", asks("t", "information", ["9:00", "10:00"]), "add_evidence", [("t", "10:00")]),
        ("Yes, please", asks("ok", "confirmation"), "add_evidence", [("ok", True)]),
        ("no!", asks("ok", "approval"), "add_evidence", [("ok", False)]),
        ("yes, but only if it is cheap", asks("ok", "confirmation"), "continue", []),
        ("sounds risky", asks("ok", "approval"), "continue", []),
        ("why do you ask?", asks("origin", "information"), "continue", []),
        (
            "from Rome to Berlin on 2030-01-31",
            {"open_questions": [{"key": key, "kind": "information"} for key in ("origin", "destination", "date")]},
            "add_evidence",
            [("origin", "Rome"), ("destination", "Berlin"), ("date", "2030-01-31")],
        ),
    ],
)  # fmt: skip
def test_messages_are_understood_against_what_is_open(message, given, action, evidence):
    meaning = typed("interpret_message", message=message, **({"open_questions": [], "goal": None} | given))
    assert meaning.action == action
    assert [(one.key, one.value) for one in meaning.evidence] == evidence


def test_the_summary_stays_bounded_however_long_the_work():
    summary = ""
    for number in range(50):
        summary = typed(
            "summarise_context", summary=summary, checkpoint={"title": f"c{number}"}, results="x" * 5_000
        ).summary
    assert len(summary) < 7_000
    assert "c49" in summary


def test_in_the_chat_it_says_what_it_is_and_calls_for_the_status():
    assert STAND_IN in reply_to("chat_reply", message="hello").text
    status = {"type": "function", "function": {"name": "goal_status"}}
    assert isinstance(reply_to("chat_reply", message="status?", offered=[status]), Calls)
    said = reply_to(
        "chat_reply", message="status?", offered=[status], messages=[{"role": "tool", "content": "1 active"}]
    )
    assert isinstance(said, Text)
    assert "1 active" in said.text
