"""The errors that most of the house raises; those that somebody catches by name stand where they arise."""


class InputError(ValueError):
    """What was given cannot be used; the message says why and what to do, for people."""


class FullError(RuntimeError):
    """The server has no room for more at this moment; the message is for people."""
