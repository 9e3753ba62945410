"""Pictures of every state of the page: `python -m tests.browser.screenshots [FOLDER]` (default: tests/screenshots).

The browser tests walk through them anyway, in light and dark, on a desktop and on a phone; this runs that walk alone.
"""

import os
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "screenshots"


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    os.environ["GOALSITE_SCREENSHOTS"] = str(folder.resolve())
    code = pytest.main([str(Path(__file__).parent / "test_accessibility.py"), "-q", "-k", "axe"])
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
