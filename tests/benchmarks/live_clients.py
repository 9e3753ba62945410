"""Many live sockets in a process of their own: `python -m tests.benchmarks.live_clients PORT COOKIE N CONVERSATION…`.

Prints READY when all are open; at a line on standard input, prints one JSON object: `{"GOAL SEQ": [arrivals]}`.
"""

import asyncio
import json
import sys
import time
from collections import defaultdict

from websockets.asyncio.client import connect

AT_ONCE = 25  # handshakes


async def follow(port: str, cookie: str, conversation: str, gate: asyncio.Semaphore, opened, told) -> None:
    async with gate:
        socket = await connect(
            f"ws://127.0.0.1:{port}/ws/conversations/{conversation}/",
            additional_headers={"Cookie": f"sessionid={cookie}"},
            origin=f"http://127.0.0.1:{port}",
            open_timeout=60,
            compression=None,
        )
        await socket.recv()
        opened()
    async for text in socket:
        frame = json.loads(text)
        if frame["type"] == "event":
            told[f"{frame['goal']} {frame['seq']}"].append(time.time())


async def main(port: str, cookie: str, number: str, *conversations: str) -> None:
    told: dict[str, list[float]] = defaultdict(list)
    gate, count, ready = asyncio.Semaphore(AT_ONCE), 0, asyncio.Event()

    def opened() -> None:
        nonlocal count
        count += 1
        if count == int(number):
            ready.set()

    tasks = [
        asyncio.create_task(follow(port, cookie, conversations[n % len(conversations)], gate, opened, told))
        for n in range(int(number))
    ]
    waiting = asyncio.create_task(ready.wait())
    await asyncio.wait([*tasks, waiting], return_when=asyncio.FIRST_COMPLETED)
    assert ready.is_set(), [task.exception() for task in tasks if task.done()]
    print("READY", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    print(json.dumps(told), flush=True)
    for task in tasks:
        task.cancel()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
