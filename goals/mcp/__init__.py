"""Tools of MCP servers: what they say of themselves, what of it is believed, and how they are called."""
