"""The errors that most of the house raises; those that somebody catches by name stand where they arise."""


class InputError(ValueError):
    """What was given cannot be used; the message says why and what to do, for people."""


class RefusedError(RuntimeError):
    """The server does not do this now, since it is full, say; the message says why, and is for people."""
