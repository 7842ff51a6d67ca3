"""Draw a payout slip: the same facts give the same bytes."""

from datetime import date, datetime
from decimal import Decimal
from io import BytesIO
from typing import NamedTuple

import segno
from reportlab import rl_config
from reportlab.lib.pagesizes import A5
from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas

rl_config.invariant = 1
WIDTH, HEIGHT = A5
MARGIN, LINE = 36, 13.5
TITLE = "Progressive payout slip"


class Signature(NamedTuple):
    """Who signed for which step, and when."""

    step: str
    by: str
    at: datetime


class SlipFacts(NamedTuple):
    """What stands on a slip."""

    number: str
    facility: str
    issued_at: datetime
    gaming_day: date
    place: str
    hand: str
    wager: Decimal
    terms: str
    cite: str
    amount: Decimal
    meter_at_turn: Decimal | None
    source: str
    tax_reason: str
    withheld: Decimal
    payee: str
    signatures: tuple[Signature, ...]
    digest: str
    copy: int
    void: str


def draw_slip(facts: SlipFacts) -> bytes:
    """Return the slip as one page of PDF."""
    out = BytesIO()
    canvas = Canvas(out, pagesize=A5, pageCompression=1)
    canvas.setTitle(f"{TITLE} {facts.number}")
    canvas.setAuthor(facts.facility)
    y = draw_head(canvas, facts)
    for label, value in rows_of(facts):
        y = draw_row(canvas, y, label, value)
    y = draw_signatures(canvas, facts, y - 6)
    draw_square(canvas, facts)
    if facts.void:
        draw_void(canvas, facts.void)
    canvas.save()
    return out.getvalue()


def draw_head(canvas: Canvas, facts: SlipFacts) -> float:
    """Draw facility, title, number and date; return where the rows begin."""
    y: float = HEIGHT - MARGIN - 12
    canvas.setFont("Helvetica-Bold", 14)
    canvas.drawString(MARGIN, y, facts.facility or "Facility not set up")
    canvas.drawRightString(WIDTH - MARGIN, y, f"No. {facts.number}")
    canvas.setFont("Helvetica", 10)
    copy = "" if facts.copy == 1 else f", copy {facts.copy}"
    canvas.drawString(MARGIN, y - 16, f"{TITLE}{copy}")
    canvas.drawRightString(WIDTH - MARGIN, y - 16, f"{facts.issued_at:%Y-%m-%d %H:%M:%S %Z}")
    canvas.line(MARGIN, y - 24, WIDTH - MARGIN, y - 24)
    return y - 42


def rows_of(facts: SlipFacts) -> list[tuple[str, str]]:
    """Return the lines of the slip, in order."""
    rows = [
        ("Table", facts.place),
        ("Gaming day", f"{facts.gaming_day:%Y-%m-%d}"),
        ("Hand", facts.hand),
        ("Wager", f"${facts.wager:,.2f}"),
        ("Terms", f"{facts.terms}, {facts.cite}"),
    ]
    if facts.meter_at_turn is not None:
        rows.append(("Meter at the turn", f"${facts.meter_at_turn:,.6f}"))
    rows += [
        ("Amount", f"${facts.amount:,.2f}"),
        ("Tax", facts.tax_reason),
        ("Withheld", f"${facts.withheld:,.2f}"),
        ("To be paid", f"${facts.amount - facts.withheld:,.2f} from the {facts.source}"),
    ]
    if facts.payee:
        rows.append(("Payee", facts.payee))
    return rows


def draw_row(canvas: Canvas, y: float, label: str, value: str) -> float:
    """Draw one line, broken where it is too long; return where the next begins."""
    canvas.setFont("Helvetica", 9)
    canvas.drawString(MARGIN, y, label)
    strong = label in ("Amount", "To be paid")
    font = "Helvetica-Bold" if strong else "Helvetica"
    canvas.setFont(font, 10)
    for part in simpleSplit(value, font, 10, WIDTH - 2 * MARGIN - 95) or [""]:
        canvas.drawString(MARGIN + 95, y, part)
        y -= LINE
    return y - 2


def draw_signatures(canvas: Canvas, facts: SlipFacts, y: float) -> float:
    """Draw who signed in the system, and a line for the player's hand."""
    canvas.line(MARGIN, y + 6, WIDTH - MARGIN, y + 6)
    canvas.setFont("Helvetica", 9)
    y -= 8
    for signature in facts.signatures:
        canvas.drawString(MARGIN, y, signature.step)
        canvas.drawString(MARGIN + 150, y, signature.by)
        canvas.drawRightString(WIDTH - MARGIN, y, f"{signature.at:%Y-%m-%d %H:%M:%S %Z}")
        y -= LINE
    y -= 22
    canvas.line(MARGIN, y, MARGIN + 180, y)
    canvas.drawString(MARGIN, y - 10, "Signature of the player")
    return y - 24


def draw_square(canvas: Canvas, facts: SlipFacts) -> None:
    """Draw the QR code of number and digest, and the digest in letters below it."""
    code = segno.make(f"{facts.number} {facts.digest}", micro=False, error="m")
    rows = [list(row) for row in code.matrix]
    module = 92 / len(rows)
    left, top = WIDTH - MARGIN - 92, MARGIN + 12 + 92
    for down, row in enumerate(rows):
        for across, dark in enumerate(row):
            if dark:
                x, y = left + across * module, top - (down + 1) * module
                canvas.rect(x, y, module, module, stroke=0, fill=1)
    canvas.setFont("Courier", 6.5)
    canvas.drawRightString(WIDTH - MARGIN, MARGIN, f"SHA-256 {facts.digest}")


def draw_void(canvas: Canvas, reason: str) -> None:
    """Write VOID across the page, and why."""
    canvas.saveState()
    canvas.translate(WIDTH / 2, HEIGHT / 2)
    canvas.rotate(35)
    canvas.setFont("Helvetica-Bold", 96)
    canvas.setFillGray(0.6)
    canvas.drawCentredString(0, 0, "VOID")
    canvas.setFont("Helvetica", 12)
    canvas.drawCentredString(0, -20, reason[:80])
    canvas.restoreState()
