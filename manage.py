#!/usr/bin/env python
"""Goalsite's command line."""

import sys

if __name__ == "__main__":
    try:
        from goalsite.command_line import main

        main(sys.argv)
    except KeyboardInterrupt:  # before a command has begun, or where it leaves nothing to tidy up
        sys.exit(130)
