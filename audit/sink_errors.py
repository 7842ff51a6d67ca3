"""What goes wrong at places that keep checkpoints."""


class SinkError(Exception):
    """A place could not be reached, or did not take what it was given."""


class SinkConflict(SinkError):
    """A place has another file under the same name."""
