"""The views: each validates, fetches with permission, calls one service and serializes."""
