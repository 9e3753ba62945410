#!/usr/bin/env python
"""Goalsite's command line."""

import sys

from goalsite.command_line import main

if __name__ == "__main__":
    main(sys.argv)
