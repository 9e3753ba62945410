"""Looking inside a goal: one page for each node, call, artifact, verification and question."""
