"""Draw a round on a page of PDF, from the same geometry as the round page's picture. Pure."""

from reportlab.lib.colors import Color, HexColor, black, white
from reportlab.pdfgen.canvas import Canvas

from tables.felt import CARD_HEIGHT, CARD_WIDTH, Card, Chip, Felt, Lamp, Spot, Words

BAIZE, LINE, RED = HexColor("#e4efe6"), HexColor("#7d9c86"), HexColor("#b3261e")
WON, GREY = HexColor("#14652f"), HexColor("#555555")
SUITS = {"S": "\u2660", "H": "\u2665", "D": "\u2666", "C": "\u2663"}
FACES = {"T": "10"}
LIGHTS = {"lit": HexColor("#e0a100")}


def draw_felt(canvas: Canvas, felt: Felt, x: float, y: float, width: float) -> float:
    """Draw the table ``width`` wide with its upper left corner at (x, y); return its height."""
    scale = width / felt.width
    canvas.saveState()
    canvas.translate(x, y)
    canvas.scale(scale, scale)
    canvas.setFillColor(BAIZE)
    canvas.roundRect(0, -felt.height, felt.width, felt.height, 18, stroke=0, fill=1)
    for spot in felt.spots:
        draw_spot(canvas, spot)
    for thing in felt.things:
        if isinstance(thing, Card):
            if thing.until is None:  # else it lies elsewhere in the end
                draw_card(canvas, thing)
        elif isinstance(thing, Chip):
            draw_chip(canvas, thing)
        elif isinstance(thing, Lamp):
            canvas.setFillColor(LIGHTS.get(thing.state, white))
            canvas.setStrokeColor(GREY)
            canvas.circle(thing.x, -thing.y, 5, fill=1)
        elif thing.until is None:
            draw_words(canvas, thing)
    canvas.restoreState()
    return felt.height * scale


def draw_spot(canvas: Canvas, spot: Spot) -> None:
    """Draw a position's place; an empty one shows its number."""
    canvas.setStrokeColor(LINE)
    canvas.roundRect(spot.x, -spot.y - spot.height, spot.width, spot.height, 12)
    if spot.empty:
        write(canvas, spot.x + 14, spot.y + 24, str(spot.position), 14, GREY, "start")


def draw_card(canvas: Canvas, card: Card) -> None:
    """Draw a card: rank and suit, a joker with what it stood for."""
    canvas.saveState()
    canvas.translate(card.x, -card.y)
    if card.sideways:
        canvas.translate(CARD_WIDTH / 2, -CARD_HEIGHT / 2)
        canvas.rotate(-90)
        canvas.translate(-CARD_WIDTH / 2, CARD_HEIGHT / 2)
    canvas.setFillColor(white)
    canvas.setStrokeColor(black)
    canvas.roundRect(0, -CARD_HEIGHT, CARD_WIDTH, CARD_HEIGHT, 4, fill=1)
    rank, suit = card.code[:-1], card.code[-1:]
    if card.code == "JK":
        write(canvas, CARD_WIDTH / 2, 17, "Joker", 9, black)
        write(canvas, CARD_WIDTH / 2, 31, face(card.joker_as), 9, GREY)
    elif suit in SUITS:
        color = RED if suit in "HD" else black
        write(canvas, CARD_WIDTH / 2, 17, FACES.get(rank, rank), 14, color, bold=True)
        draw_suit(canvas, CARD_WIDTH / 2, 34, suit, color)
    else:
        write(canvas, CARD_WIDTH / 2, 24, card.code, 9, black)
    canvas.restoreState()


def face(code: str) -> str:
    """Write a card in two letters: what a joker stood for."""
    return f"= {code}" if code else ""


def draw_suit(canvas: Canvas, x: float, y: float, suit: str, color: Color) -> None:
    """Draw a suit's sign with the font that every reader of PDF has."""
    canvas.setFillColor(color)
    canvas.setFont("Symbol", 15)
    canvas.drawCentredString(x, -y, SUITS[suit])


def draw_chip(canvas: Canvas, chip: Chip) -> None:
    """Draw a wager with its amount, and below it what became of it."""
    canvas.setStrokeColor(GREY)
    canvas.setFillColor(white)
    canvas.circle(chip.x, -chip.y, 11, fill=1)
    canvas.circle(chip.x, -chip.y, 7)
    write(canvas, chip.x, chip.y + 24, chip.label, 10, black)
    write(canvas, chip.x, chip.y + 37, f"${chip.amount}", 10, black, bold=True)
    for place, (words, style, _) in enumerate(chip.results):
        color = WON if "won" in style else GREY
        write(canvas, chip.x, chip.y + 50 + 12 * place, words, 9, color, bold="won" in style)


def draw_words(canvas: Canvas, words: Words) -> None:
    """Draw words where they stand."""
    write(canvas, words.x, words.y, words.text, 11, black, words.anchor)


def write(
    canvas: Canvas,
    x: float,
    y: float,
    text: str,
    size: float,
    color: Color,
    anchor: str = "middle",
    *,
    bold: bool = False,
) -> None:
    """Write a line of text; signs that the font lacks become question marks."""
    canvas.setFillColor(color)
    canvas.setFont("Helvetica-Bold" if bold else "Helvetica", size)
    told = printable(text)
    draw = {"start": canvas.drawString, "end": canvas.drawRightString}
    draw.get(anchor, canvas.drawCentredString)(x, -y, told)


def printable(text: str) -> str:
    """Return a text in the letters that the standard fonts have."""
    told = text.replace("\u2212", "-").replace("\u2192", "to")
    return told.encode("cp1252", "replace").decode("cp1252")
