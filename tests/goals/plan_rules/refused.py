"""Bad plans as data: (name, plan, the errors it is refused for, each as field and a part of what is said of it)."""

from tests.goals.plan_rules.tools import child, step, tool

DEEP: dict = {}
for _ in range(40):
    DEEP = {"in": DEEP}
ASK = {"key": "colour", "prompt": "Which?"}
LLM = {"type": "llm", "condition": "It is good."}
SAYS_NOTHING = "The work is done successfully and the user is happy."

CHECKPOINTS = [
    # sizes and shapes
    ("no list", "the plan", [("checkpoints", "must be a list")]),
    ("empty", [], [("checkpoints", "1 to 6")]),
    ("too many", [step(f"Bed {n}") for n in range(7)], [("checkpoints", "7 given; 1 to 6")]),
    ("ten thousand", [step()] * 10_000, [("checkpoints", "10000 given; 1 to 6")]),
    ("no object", ["Survey the beds"], [("checkpoints[0]", "must be an object")]),
    ("no title", [step("")], [("checkpoints[0].title", "must not be empty")]),
    ("a long title", [step("x" * 301)], [("checkpoints[0].title", "at most 300 characters")]),
    ("an unknown field", [step(owner="me")], [("checkpoints[0].owner", "allowed are args, description, done_when")]),
    ("an unknown predicate", [step(predicate="fly")], [("checkpoints[0].predicate", "'use_tool', 'gather_info'")]),
    ("an unknown operation", [step(operation="dig")], [("checkpoints[0].operation", "'think', 'write' or 'search'")]),
    ("args of the wrong type", [step(args=["x"])], [("checkpoints[0].args", "valid dictionary")]),
    ("a key that is no name", [step(evidence_key="my key")], [("checkpoints[0].evidence_key", "pattern")]),
    ("args too deep", [step(args=DEEP)], [("checkpoints[0].args", "at most 20 levels")]),
    ("args too large", [step(args={"text": "x" * 30_000})], [("checkpoints[0].args", "20,000 characters")]),
    ("args too many", [step(args={"n": [0] * 3_000})], [("checkpoints[0].args", "2,000 values")]),
    # tools and arguments
    ("an unknown tool", [tool("teleport")], [("checkpoints[0].args.tool", "there are list_files, read_file, send")]),
    ("no tool", [step(predicate="use_tool", evidence_key="a")], [("checkpoints[0].args.tool", "no tool 'None'")]),
    ("an unknown tool in mind", [step(tools=["spade"])], [("checkpoints[0].tools[0]", "no tool 'spade'")]),
    (
        "an unknown argument",
        [tool("read_file", path="a.md", lines=3)],
        [("checkpoints[0].args.input.lines", "takes max_lines, path")],
    ),
    ("a missing argument", [tool("read_file")], [("checkpoints[0].args.input.path", "read_file requires it")]),
    (
        "two missing arguments",
        [tool("send")],
        [("checkpoints[0].args.input.to", "requires"), ("checkpoints[0].args.input.text", "requires")],
    ),
    (
        "an argument of the wrong type",
        [tool("read_file", path="a.md", max_lines="ten")],
        [("checkpoints[0].args.input.max_lines", "'ten'")],
    ),
    (
        "an item of the wrong type",
        [tool(exclude=["a", 1])],
        [("checkpoints[0].args.input.exclude", "1 is not of type")],
    ),
    (
        "an input that is no object",
        [step(predicate="use_tool", args={"tool": "list_files", "input": "."}, evidence_key="files")],
        [("checkpoints[0].args.input", "must be an object")],
    ),
    (
        "an input under another name",
        [step(predicate="use_tool", args={"tool": "list_files", "inputs": {}}, evidence_key="files")],
        [("checkpoints[0].args.inputs", "takes input, tool")],
    ),
    # keys and references
    ("an unknown reference", [tool(path="@shed")], [("checkpoints[0].args.input.path", "@shed is not known")]),
    (
        "an unknown reference within",
        [tool(exclude=["@shed.roof"])],
        [("checkpoints[0].args.input.exclude[0]", "known there: brief, folder")],
    ),
    (
        "a key before it is made",
        [tool("read_file", "text", "Read", path="@name"), step("Name it", evidence_key="name")],
        [("checkpoints[0].args.input.path", "used before it is made, by checkpoints[1]")],
    ),
    (
        "its own key",
        [tool("read_file", "text", path="@text")],
        [("checkpoints[0].args.input.path", "what this very step makes")],
    ),
    (
        "two that wait for each other",
        [tool("read_file", "a", "One", path="@b"), tool("read_file", "b", "Two", path="@a")],
        [("checkpoints[0].args.input.path", "used before it is made")],
    ),
    (
        "a key made twice",
        [tool(key="files"), tool(key="files", title="List again")],
        [("checkpoints[1].evidence_key", "'files' is made by checkpoints[0] already")],
    ),
    (
        "a condition that nobody meets",
        [tool(key="files") | {"done_when": [{"kind": "has_evidence", "key": "report"}]}],
        [("checkpoints[0].done_when[0].key", "nothing makes 'report': this step makes files")],
    ),
    (
        "a condition that holds beforehand",
        [tool(), step(done_when=[{"kind": "has_evidence", "key": "files"}])],
        [("checkpoints[1].done_when", "holds before the step begins")],
    ),
    ("an unknown condition", [step(done_when=[{"kind": "wish"}])], [("checkpoints[0].done_when[0]", "'after'")]),
    (
        "a time without an offset",
        [step(done_when=[{"kind": "after", "at": "2030-01-31"}])],
        [("checkpoints[0].done_when[0].at", "offset from UTC")],
    ),
    # people
    (
        "a question without a key",
        [step(predicate="gather_info", args={"prompt": "Which?"})],
        [("checkpoints[0].args.key", "needs the key")],
    ),
    (
        "a question with two keys",
        [step(predicate="gather_info", args=ASK, evidence_key="shade")],
        [("checkpoints[0].args.key", "must be the evidence_key, 'shade'")],
    ),
    (
        "an answer that nothing fits",
        [step(predicate="gather_info", args=ASK | {"schema": {"type": "colour"}})],
        [("checkpoints[0].args.schema", "not a JSON schema")],
    ),
    (
        "an answer that may cost for ever",
        [step(predicate="gather_info", args=ASK | {"schema": {"pattern": "(a+)+$"}})],
        [("checkpoints[0].args.schema", "must not use pattern")],
    ),
    (
        "an answer of no schema",
        [step(predicate="gather_info", args=ASK | {"schema": "text"})],
        [("checkpoints[0].args.schema", "an object")],
    ),
    (
        "a confirmation that was given",
        [step(predicate="confirm", args={"question": "Send it?"}, evidence_key="brief")],
        [("checkpoints[0].evidence_key", "answered before")],
    ),
    # sense
    (
        "the same step twice",
        [step("Survey the beds"), step("survey  the Beds")],
        [("checkpoints[1].title", "that of checkpoints[0] too")],
    ),
    (
        "the goal again",
        [
            {
                "title": "Describe the garden",
                "description": "Describe the garden to its visitors.",
                "success_criteria": "The garden is described to the visitors.",
                "predicate": "execute",
            }
        ],
        [("checkpoints[0]", "only restates the goal")],
    ),
    (
        "the goal again beside others",
        [
            step(),
            step(
                "Achieve the goal",
                "composite",
                description="Describing the garden to its visitors",
                success_criteria="The garden has been described to visitors",
            ),
        ],
        [("checkpoints[1]", "only restates the goal")],
    ),
    ("no criteria", [step(success_criteria="")], [("checkpoints[0].success_criteria", "is empty")]),
    (
        "criteria that nothing can check",
        [step(success_criteria=SAYS_NOTHING)],
        [("checkpoints[0].success_criteria", "nothing that can be checked")],
    ),
    (
        "a statement that nothing can check",
        [step(done_when=[{"kind": "predicate_true", "predicate": "It is done well"}])],
        [("checkpoints[0].done_when[0].predicate", "nothing that can be checked")],
    ),
    # verifiers
    (
        "a verifier of no type",
        [step(verifier={"type": "hope"})],
        [("checkpoints[0].verifier.type", "allowed are data")],
    ),
    (
        "a verifier on the host",
        [step(verifier={"type": "command", "command": "true"})],
        [("checkpoints[0].verifier", "use_host_verifiers")],
    ),
    (
        "a condition on the host",
        [step(done_when=[{"kind": "verifier", "verifier": {"type": "data", "path": "a", "expr": "True"}}])],
        [("checkpoints[0].done_when[0].verifier", "use_host_verifiers")],
    ),
    (
        "a verifier that says nothing",
        [step(verifier=LLM)],
        [("checkpoints[0].verifier", "nothing that can be checked")],
    ),
    (
        "a verifier of what nobody makes",
        [tool() | {"verifier": {"type": "artifact", "name": "report"}}],
        [("checkpoints[0].verifier", "nothing makes the artifact 'report'")],
    ),
    (
        "everything at once",
        [tool("teleport", path="@moon"), step(predicate="fly", success_criteria=""), step(tools=["spade"])],
        [
            ("checkpoints[2].title", "that of checkpoints[1] too"),
            ("checkpoints[0].args.tool", "no tool 'teleport'"),
            ("checkpoints[0].args.input.path", "@moon"),
            ("checkpoints[1].predicate", "'composite'"),
            ("checkpoints[2].tools[0]", "spade"),
        ],
    ),
]

SUBGOALS = [
    ("none", [], "AND", [("subgoals", "1 to 6")]),
    ("ten thousand children", [child()] * 10_000, "AND", [("subgoals", "10000 given")]),
    ("neither and nor or", [child()], "XOR", [("decomposition", "allowed are AND, OR")]),
    ("no such sibling", [child(depends_on=[3])], "AND", [("subgoals[0].depends_on[0]", "3 is no other subgoal")]),
    (
        "itself",
        [child(), child("Name them", depends_on=[1])],
        "AND",
        [("subgoals[1].depends_on[0]", "allowed are 0 to 1, not 1")],
    ),
    (
        "a circle",
        [child(depends_on=[2]), child("Name them", depends_on=[0]), child("Draw them", depends_on=[1])],
        "AND",
        [("subgoals[0].depends_on", "circle: 0 -> 2 -> 1 -> 0")],
    ),
    (
        "a circle beside the way",
        [child(), child("Name them", depends_on=[2]), child("Draw them", depends_on=[1, 0])],
        "AND",
        [("subgoals[1].depends_on", "circle: 1 -> 2 -> 1")],
    ),
    (
        "dependent alternatives",
        [child(), child("Estimate them", depends_on=[0])],
        "OR",
        [("subgoals[1].depends_on", "must be empty")],
    ),
    (
        "a sibling's key without waiting for it",
        [child(evidence_key="beds"), child("Draw them", args={"instructions": "@beds"})],
        "AND",
        [("subgoals[1].args.instructions", "subgoals[0] makes it, and this one does not depend on it")],
    ),
    (
        "an alternative's key",
        [child(evidence_key="beds"), child("Draw them", args={"instructions": "@beds"})],
        "OR",
        [("subgoals[1].args.instructions", "used before it is made")],
    ),
    (
        "an output made twice",
        [child(outputs=[{"name": "map", "type": "file", "description": "d"}]), child("Draw", evidence_key="map")],
        "AND",
        [("subgoals[1].evidence_key", "'map' is made by subgoals[0] already")],
    ),
    ("the same child twice", [child(), child()], "AND", [("subgoals[1].gloss", "that of subgoals[0] too")]),
    (
        "the task again as a plan",
        [child("Survey all the beds", "composite")],
        "AND",
        [("subgoals[0]", "only restates the task")],
    ),
    (
        "the task again beside others",
        [child(), child("Do the survey of beds")],
        "AND",
        [("subgoals[1]", "only restates the task")],
    ),
    ("an unknown tool", [child(tools=["spade"])], "AND", [("subgoals[0].tools[0]", "spade")]),
    ("a missing key", [child("Ask", "gather_info")], "AND", [("subgoals[0].args.key", "needs the key")]),
]
