"""`python -m goalsite.fastened MODULE ARGUMENT…` runs a module that ends when its parent does (Linux)."""

import os
import runpy
import signal
import sys

from goalsite.child_of import die_with_parent

PARENT = "GOALSITE_PARENT"


def main() -> None:
    """Fasten this process to its parent and become the module."""
    die_with_parent(signal.SIGTERM)()
    if str(os.getppid()) != os.environ.pop(PARENT, str(os.getppid())):
        sys.exit("the parent is gone")
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
