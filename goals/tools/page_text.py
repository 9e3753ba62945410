"""The text of a page for readers, taken out by trafilatura in a process of its own.

A page may be made so that reading it takes minutes or gigabytes: the process has limits of both, and nothing to lose.
"""

import json
import subprocess
import sys

LONGEST_SECONDS = 15.0
MEMORY_BYTES = 1 << 30


class Unreadable(Exception):
    """The page's text could not be taken out."""


def extract(html: str, seconds: float) -> tuple[str, str]:
    """Return title and text of a page; raises Unreadable."""
    patience = max(1.0, min(LONGEST_SECONDS, seconds))
    try:
        ran = subprocess.run(
            [sys.executable, "-I", __file__, str(int(patience) + 1)],
            input=html.encode("utf-8", "replace"),
            capture_output=True,
            timeout=patience,
            cwd="/",
            env={},
        )
    except subprocess.TimeoutExpired:
        raise Unreadable("takes too long to read") from None
    if ran.returncode != 0:
        raise Unreadable("cannot be read")
    title, text = json.loads(ran.stdout)
    return title, text


def main() -> None:
    """Read a page from standard input; print title and text as JSON. Limited before anything is read."""
    import resource

    resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[1]), int(sys.argv[1])))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    import trafilatura

    html = sys.stdin.buffer.read().decode()
    text = trafilatura.extract(html, output_format="markdown", favor_recall=True, include_tables=True)
    known = trafilatura.extract_metadata(html)
    title = (known.title if known is not None else None) or ""
    text = text or trafilatura.html2txt(html)
    sys.stdout.buffer.write(json.dumps([title[:500], text]).encode())


if __name__ == "__main__":
    main()
