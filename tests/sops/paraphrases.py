"""How people might say what the library's procedures do, and goals that none of them is for.

None of these sentences stands in the library itself.
"""

PARAPHRASES = {
    "python-inventory": [
        "Write an inventory of the Python modules in this folder: files, lines, public functions, missing docstrings",
        "Which of our .py files have functions without a docstring?",
        "Make a table of all Python source files with their number of lines and public functions",
        "Catalogue the modules of this Python package and what each of them exports",
        "I need an overview of the python code in here",
    ],
    "csv-to-json": [
        "Clean customers.csv and give me JSON with a validation report",
        "Convert the CSV export to JSON",
        "Our orders table has duplicate rows and broken values, turn the csv into clean json",
        "Validate this spreadsheet export and tell me which rows are bad",
        "tidy data.tsv and save the records as json",
    ],
    "log-triage": [
        "Triage the logs: group errors and count them",
        "Look through the server logs and tell me which exceptions happen most often",
        "What errors are in application.log and how many times did each occur?",
        "Analyse the crash logs in this directory",
        "Count the tracebacks in our log files by kind, with first and last occurrence",
    ],
    "book-train": [
        "Book me a train to Paris",
        "I need a ticket from Berlin to Vienna on Friday by rail",
        "Reserve a seat on the train from London to Edinburgh for 2026-12-01",
        "Get me on a train tomorrow morning",
        "Buy train tickets to Rome",
    ],
    "folder-overview": [
        "Tell me what is in this folder",
        "Describe this directory: which kinds of files and how big",
        "Give me an overview of the project folder",
        "How many files are here and of what types?",
        "Summarise the contents of the docs directory",
    ],
    "find-in-files": [
        "Find every mention of 'invoice' in these files",
        "Search the project for the word deprecated and list where it occurs",
        "Where in the files is the string API_KEY used?",
        "grep for customer_id in all files",
        "Look up all occurrences of the term 'retention period'",
    ],
    "todo-report": [
        "List the TODOs in the code",
        "Collect all FIXME and TODO comments into a report",
        "What did we leave unfinished? Gather the TODO notes",
        "Report the technical debt marked by HACK and XXX comments",
    ],
    "readme-check": [
        "Check whether the README is complete",
        "Does our readme tell people how to install and use the project?",
        "Review README.md: which sections are missing?",
        "Is there a README and does it name the licence?",
    ],
    "markdown-link-index": [
        "Find broken links in the Markdown docs",
        "List all the links in our markdown files",
        "Check the documentation for dead hyperlinks",
        "Which links in the .md files point to files that do not exist?",
    ],
    "meeting-notes": [
        "Write the minutes of today's meeting",
        "Take meeting notes: who attended, what was decided and the action items",
        "I want to write up our team meeting",
        "Document what we agreed in the weekly call",
    ],
    "decision-record": [
        "Record the decision to use Postgres as an ADR",
        "Write an architecture decision record about the message queue",
        "Document our architectural decision and its consequences",
        "We decided to drop Python 3.9; write down the decision and the reasons",
    ],
    "release-checklist": [
        "Walk me through the release checklist for version 2.1",
        "Are we ready to ship? Check tests, changelog and rollback with me",
        "Prepare the release of 1.4.0",
        "Go through the go-live checklist before deployment",
    ],
    "file-edit-with-approval": [
        "Replace 'colour' by 'color' in notes.txt but ask me before you change it",
        "Change the port in config.ini from 8000 to 9000 after I approve",
        "Edit README.md: fix the typo in the first line, with my approval",
        "Modify a line in settings.toml",
    ],
}

UNRELATED = [
    "What will the weather be like tomorrow?",
    "Write a poem about the sea",
    "Design a caching layer for the product catalogue service",
    "Translate this letter into French",
    "Plan a vegetarian dinner for six guests",
    "Book a flight to New York",
    "Reserve a table at a restaurant for Saturday",
    "Train a neural network on these images",
    "Set up a Postgres replica",
    "Explain quantum entanglement to a child",
    "Write unit tests for the payment module",
    "Refactor the login view so that it uses async",
    "Migrate the database to a new server",
    "Draw a logo for my bakery",
    "Research the three best electric bicycles under 2000 euros",
    "Draft an email to our investors about the delay",
    "Monitor the disk and alert me when it is full",
    "Compute the first hundred prime numbers",
    "Summarise the novel Moby Dick in one page",
    "Set up continuous integration for our repository",
    "Write a blog post about remote work",
    "Compare the prices of three cloud providers",
]

# Written after the weights were settled, and not used to settle them.
HELD_OUT = {
    "python-inventory": [
        "Stocktake of python files: how long are they and what do they define",
        "undocumented python functions",
    ],
    "csv-to-json": ["make contacts.csv usable: drop the junk rows, output JSON", "Check sales.csv for bad values"],
    "log-triage": ["why does the service crash? look at the log directory", "Group similar exceptions in /logs"],
    "book-train": ["I have to be in Hamburg on Monday, get me a train", "Purchase a rail ticket from Lyon to Nice"],
    "folder-overview": ["what have we got in the archive directory", "List the kinds of files in this workspace"],
    "find-in-files": ["Locate the phrase 'force majeure' in the contracts", "which files mention Acme Ltd"],
    "todo-report": ["are there any FIXMEs left?", "make me a list of todos"],
    "readme-check": ["Is our README any good?", "Tell me what sections the readme lacks"],
    "markdown-link-index": ["Verify the hyperlinks in our docs", "collect URLs out of the markdown pages"],
    "meeting-notes": [
        "Create the protocol of the board meeting",
        "note who attended the retrospective and what was decided",
    ],
    "decision-record": ["ADR: use Redis for caching", "Write up the rationale for our choice of framework"],
    "release-checklist": ["sign off the release 3.0", "pre-deployment checks for v2"],
    "file-edit-with-approval": [
        "swap the word foo for bar in a.txt once I say yes",
        "Update the version number in setup.cfg, ask before saving",
    ],
}
