"""The dossier as pages that people read: the table, what happened, who was there, what to look at.

Drawn from the reconstruction alone; the same facts give the same bytes.
"""

from collections.abc import Iterable
from io import BytesIO
from typing import NamedTuple

from reportlab import rl_config
from reportlab.lib.colors import HexColor, black
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas

from tables.dossier.drawing import draw_felt, printable
from tables.felt import Felt

rl_config.invariant = 1
WIDTH, HEIGHT = A4
MARGIN, LINE, LABEL = 42, 12.5, 130
GREY = HexColor("#555555")


class Pages(NamedTuple):
    """What stands on the pages."""

    title: str
    under: str
    felt: Felt
    facts: list[tuple[str, str]]
    people: list[tuple[str, str]]
    payments: list[tuple[str, ...]]  # position, wager, stake, result, due, paid
    slips: list[tuple[str, str]]
    video: list[tuple[str, str]]
    timeline: list[str]
    events: list[tuple[str, str]]


class Writer:
    """A pen that goes down the page and begins a new one."""

    def __init__(self, title: str) -> None:
        self.out = BytesIO()
        self.canvas = Canvas(self.out, pagesize=A4, pageCompression=1)
        self.canvas.setTitle(printable(title))
        self.title, self.page = title, 0
        self.begin()

    def begin(self) -> None:
        """Begin a page: its head says what it is of."""
        if self.page:
            self.canvas.showPage()
        self.page += 1
        self.canvas.setFillColor(GREY)
        self.canvas.setFont("Helvetica", 8)
        self.canvas.drawString(MARGIN, HEIGHT - 28, printable(self.title))
        self.canvas.drawRightString(WIDTH - MARGIN, HEIGHT - 28, f"page {self.page}")
        self.canvas.setFillColor(black)
        self.y: float = HEIGHT - MARGIN - 14

    def need(self, height: float) -> None:
        """Begin a page where so much does not fit on this one."""
        if self.y - height < MARGIN:
            self.begin()

    def heading(self, text: str) -> None:
        """Write a heading, never the last thing on a page."""
        self.need(48)
        self.y -= 8
        self.canvas.setFont("Helvetica-Bold", 12)
        self.canvas.drawString(MARGIN, self.y, printable(text))
        self.y -= 18

    def line(self, text: str, *, indent: float = 0, font: str = "Helvetica") -> None:
        """Write a line, broken where it is too long."""
        width = WIDTH - 2 * MARGIN - indent
        for part in simpleSplit(printable(text), font, 9.5, width) or [""]:
            self.need(LINE)
            self.canvas.setFont(font, 9.5)
            self.canvas.drawString(MARGIN + indent, self.y, part)
            self.y -= LINE

    def rows(self, rows: Iterable[tuple[str, str]]) -> None:
        """Write labels and what belongs to each."""
        for label, value in rows:
            self.need(LINE)
            self.canvas.setFont("Helvetica", 9.5)
            self.canvas.setFillColor(GREY)
            self.canvas.drawString(MARGIN, self.y, printable(label))
            self.canvas.setFillColor(black)
            self.line(value, indent=LABEL)

    def columns(self, heads: tuple[str, ...], rows: list[tuple[str, ...]], at: list[float]) -> None:
        """Write a table; what begins with a dollar stands to the right."""
        for place, row in enumerate([heads, *rows]):
            self.need(LINE)
            self.canvas.setFont("Helvetica" if place else "Helvetica-Bold", 9)
            for x, cell in zip(at, row, strict=True):
                self.canvas.drawString(MARGIN + x, self.y, printable(cell))
            self.y -= LINE

    def done(self) -> bytes:
        """Return the file."""
        self.canvas.save()
        return self.out.getvalue()


def draw_dossier(pages: Pages) -> bytes:
    """Return the pages as PDF."""
    pen = Writer(pages.title)
    pen.canvas.setFont("Helvetica-Bold", 18)
    pen.canvas.drawString(MARGIN, pen.y, printable(pages.title))
    pen.y -= 18
    pen.line(pages.under)
    pen.y -= 6
    width = WIDTH - 2 * MARGIN
    pen.need(pages.felt.height * width / pages.felt.width)
    pen.y -= draw_felt(pen.canvas, pages.felt, MARGIN, pen.y, width) + 16
    pen.canvas.setFillColor(black)
    pen.rows(pages.facts)
    pen.heading("People")
    pen.rows(pages.people)
    if pages.payments:
        pen.heading("Expected and paid")
        heads = ("Position", "Wager", "Stake", "Result", "Due", "Paid")
        pen.columns(heads, pages.payments, [0, 60, 210, 270, 370, 440])
    pen.heading("Claims and payout slips")
    pen.rows(pages.slips or [("None", "No progressive win of this round opened a claim.")])
    pen.heading("Video to look at")
    pen.rows(pages.video)
    pen.heading("What happened, from the log")
    for text in pages.timeline:
        pen.line(text.strip(), indent=7.0 * (len(text) - len(text.lstrip())))
    pen.heading("Events of the log, and their hashes")
    for label, digest in pages.events:
        pen.line(label)
        pen.line(digest, indent=14, font="Courier")
    return pen.done()
