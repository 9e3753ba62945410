"""How fast one socket may send: a bucket of tokens that fills with time. Whoever is faster is slowed, not cut off."""

BURST = 40  # frames at once
RATE = 10  # frames a second after that
REPLAY = 4  # what reading a history costs besides its frame
WORDS = f"more than {RATE} frames a second come over this socket; each is read, but later"


class Pace:
    """One socket's bucket; times are seconds of any steady clock."""

    def __init__(self, now: float) -> None:
        self._tokens = float(BURST)
        self._at = now

    def wait(self, now: float) -> float:
        """Take a frame's token; return for how many seconds its sender is to be held up."""
        self._tokens = min(BURST, self._tokens + (now - self._at) * RATE) - 1
        self._at = now
        return max(0.0, -self._tokens / RATE)

    @property
    def is_calm(self) -> bool:
        """Whether a flood is over: the bucket is half full again."""
        return self._tokens > BURST / 2

    def spend(self, tokens: float) -> None:
        """Take tokens for work that costs more than its frame."""
        self._tokens -= tokens
