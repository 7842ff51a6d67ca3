"""``./run bench``: the house against the plain way of doing its work, and against a bare COPY."""

from config.house import HouseError


class Wrong(HouseError):
    """What was measured did not come out as it must; its rate would mean nothing."""
