"""What a goal can do: the tool contract, the registry, the workspace and the built-in tools (DESIGN section 8)."""
