"""One tool call as an effect: what it is given, whether it may be made, what it came to, and what it leaves."""
