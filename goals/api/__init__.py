"""The HTTP face (DESIGN section 10): views validate, fetch with permission, call one service, serialize."""
