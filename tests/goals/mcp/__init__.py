"""MCP servers: real ones, written with the official SDK, that do what a test says."""
