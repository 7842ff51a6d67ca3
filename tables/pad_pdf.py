"""Draw blank forms for rounds on paper, one a page: the same forms give the same bytes."""

from collections.abc import Sequence
from io import BytesIO
from typing import NamedTuple

from reportlab import rl_config
from reportlab.lib.pagesizes import A4, landscape
from reportlab.pdfgen.canvas import Canvas

rl_config.invariant = 1
WIDTH, HEIGHT = landscape(A4)
MARGIN = 34
ROW, HEAD = 44, 20
PLACE, CARDS = 46, 250  # the columns that every game has


class Pad(NamedTuple):
    """What stands on every form of a pad. ``wagers``: their names, in the chapter's order."""

    facility: str
    table: str
    game: str
    positions: int
    wagers: tuple[str, ...]


def draw_pad(pad: Pad, numbers: Sequence[int]) -> bytes:
    """Return the forms of these numbers as a PDF."""
    out = BytesIO()
    canvas = Canvas(out, pagesize=landscape(A4), pageCompression=1)
    canvas.setTitle(f"Paper forms {pad.table}")
    canvas.setAuthor(pad.facility)
    for number in numbers:
        y = draw_head(canvas, pad, number)
        y = draw_grid(canvas, pad, y)
        draw_foot(canvas, y)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def draw_head(canvas: Canvas, pad: Pad, number: int) -> float:
    """Draw whose form it is, its number, and what is written of the round; return where it ends."""
    y: float = HEIGHT - MARGIN
    canvas.setFont("Helvetica-Bold", 20)
    canvas.drawRightString(WIDTH - MARGIN, y - 14, f"No. {number:06}")
    canvas.setFont("Helvetica-Bold", 14)
    canvas.drawString(MARGIN, y - 10, f"{pad.table}: a round on paper")
    canvas.setFont("Helvetica", 9)
    canvas.drawString(MARGIN, y - 24, f"{pad.facility}. {pad.game}.")
    canvas.drawString(
        MARGIN, y - 36, "Without a fresh meter value the table takes no progressive wagers."
    )
    y -= 62
    fields = ("Round", "Day and time", "Dealer", "Floorperson", "Void by paragraph")
    each = (WIDTH - 2 * MARGIN) / len(fields)
    for place, name in enumerate(fields):
        draw_line(canvas, MARGIN + place * each, y, each - 14, name)
    return y - 16


def draw_grid(canvas: Canvas, pad: Pad, top: float) -> float:
    """Draw a row a position and one for the dealer; return where the grid ends."""
    room = WIDTH - 2 * MARGIN - PLACE - CARDS
    columns = [("Position", PLACE), ("Cards, in the order dealt; low hand ringed", CARDS)]
    columns += [(name, room / len(pad.wagers)) for name in pad.wagers]
    row = min(ROW, (top - HEAD - 130) / (pad.positions + 1))
    bottom = top - HEAD - row * (pad.positions + 1)
    canvas.setLineWidth(0.6)
    x = float(MARGIN)
    for name, width in columns:
        canvas.rect(x, bottom, width, top - bottom)
        draw_fitting(canvas, x + 3, top - HEAD + 7, width - 6, name)
        x += width
    names = [*(str(n) for n in range(1, pad.positions + 1)), "Dealer"]
    for place, name in enumerate(names):
        y = top - HEAD - place * row
        canvas.line(MARGIN, y, WIDTH - MARGIN, y)
        canvas.setFont("Helvetica-Bold", 11)
        canvas.drawString(MARGIN + 4, y - row / 2 - 4, name)
    return bottom


def draw_foot(canvas: Canvas, top: float) -> None:
    """Draw the lines that people sign."""
    y = max(top - 46, MARGIN + 34)
    fields = ("Dealer signed", "Floorperson signed", "Entered by", "Confirmed by")
    each = (WIDTH - 2 * MARGIN) / len(fields)
    for place, name in enumerate(fields):
        draw_line(canvas, MARGIN + place * each, y, each - 14, name)
    canvas.setFont("Helvetica", 8)
    canvas.drawString(
        MARGIN, MARGIN, "Numbered without a gap. A spoiled form is kept and voided with its reason."
    )


def draw_line(canvas: Canvas, x: float, y: float, width: float, name: str) -> None:
    """Draw a line to write on, its name below it."""
    canvas.setLineWidth(0.6)
    canvas.line(x, y, x + width, y)
    canvas.setFont("Helvetica", 8)
    canvas.drawString(x, y - 10, name)


def draw_fitting(canvas: Canvas, x: float, y: float, width: float, text: str) -> None:
    """Write a column's name as large as the column lets it be."""
    size = 8.5
    while size > 4.5 and canvas.stringWidth(text, "Helvetica", size) > width:
        size -= 0.25
    canvas.setFont("Helvetica", size)
    canvas.drawString(x, y, text)
