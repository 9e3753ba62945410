"""`python -m goals.llm.rehearsal --port N`: the rehearsal model as a process of its own, on loopback."""

import argparse

import uvicorn

from goals.llm.rehearsal.app import app


def main() -> None:
    """Serve until SIGINT or SIGTERM."""
    parser = argparse.ArgumentParser(prog="python -m goals.llm.rehearsal", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    given = parser.parse_args()
    uvicorn.run(
        app,
        host=given.host,
        port=given.port,
        log_level="warning",
        access_log=False,
        lifespan="off",
        ws="none",
        loop="asyncio",
        timeout_graceful_shutdown=3,
    )


if __name__ == "__main__":
    main()
