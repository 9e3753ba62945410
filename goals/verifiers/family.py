"""How many processes a process has become, read from /proc; the limit of the kernel does not bind root."""

import os


def count_family(leader: int, most: int) -> int:
    """The processes that descend from `leader` or are in its group; counting ends beyond `most`."""
    parents: dict[int, list[int]] = {}
    found = set()
    for name in _processes():
        parent, group = _parent_and_group(name)
        parents.setdefault(parent, []).append(int(name))
        if group == leader:
            found.add(int(name))
    waiting = [leader, *found]
    while waiting and len(found) <= most:
        for child in parents.get(waiting.pop(), ()):
            if child not in found:
                found.add(child)
                waiting.append(child)
    return len(found)


def _processes() -> list[str]:
    try:
        return [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def _parent_and_group(name: str) -> tuple[int, int]:
    try:
        with open(f"/proc/{name}/stat", "rb") as file:
            words = file.read().rpartition(b")")[2].split()
        return int(words[1]), int(words[2])
    except (OSError, IndexError, ValueError):
        return -1, -1
