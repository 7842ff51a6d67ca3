"""The one way in which a document is refused: whole, with code, place and a sentence."""


class Refusal(Exception):
    """The sender's document cannot be taken as it is; nothing of it took effect.

    ``code`` is for machines, ``path`` names the place in the document, ``detail`` is the sentence
    for the dealer, ``cite`` the paragraph that asks for it, where one does.
    """

    def __init__(self, code: str, path: str, detail: str, cite: str | None = None) -> None:
        super().__init__(code, path, detail, cite)
        self.code = code
        self.path = path
        self.detail = detail
        self.cite = cite
        self.raw = b""  # what was sent, where the reader could not make a document of it

    def under(self, place: str | int) -> "Refusal":
        """Return this refusal as seen from one level further out: in ``place``'s value."""
        if type(place) is int:
            self.path = f"[{place}]{self._joint()}{self.path}"
        else:
            self.path = f"{place}{self._joint()}{self.path}"
        return self

    def _joint(self) -> str:
        return "." if self.path and self.path[0] != "[" else ""

    def __str__(self) -> str:
        return f"{self.code} at {self.path or 'the document'}: {self.detail}"

    def as_json(self) -> dict[str, str | None]:
        """Return the refusal as the engine's shell and the API print it."""
        return {"code": self.code, "path": self.path, "detail": self.detail, "cite": self.cite}
