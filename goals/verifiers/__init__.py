"""What decides that a checkpoint or a goal is met: specs, runs, expressions, sandbox (DESIGN section 9)."""
