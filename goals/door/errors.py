"""What can go wrong at the door."""


class DoorError(Exception):
    """The root of all errors of the door; `retryable` says whether asking again may help."""

    retryable = True


class BadAddress(DoorError):
    """The address is none that is asked: not http or https, without a host, with an account in it."""

    retryable = False


class Refused(DoorError):
    """A host's name leads into a network that is not asked from here."""


class Unreachable(DoorError):
    """Nobody answers there, or not in HTTP."""


class TimeOver(Unreachable):
    """It took longer than it may."""


class TooMuch(DoorError):
    """It answers with more than is read."""

    retryable = False
