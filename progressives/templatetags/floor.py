"""How the floor's pages write cards, hands, money and ages. Other floors reuse it."""

from datetime import datetime
from decimal import ROUND_DOWN, Decimal

from django import template
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from progressives.meters import CENT, cents

register = template.Library()

JOKER, UNSEEN = "JK", "??"
RANKS = {
    "A": "ace",
    "K": "king",
    "Q": "queen",
    "J": "jack",
    "T": "ten",
    "9": "nine",
    "8": "eight",
    "7": "seven",
    "6": "six",
    "5": "five",
    "4": "four",
    "3": "three",
    "2": "two",
}
SUITS = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
# Outlines in a box of 24 by 24: drawn, not typed, so that no tablet lacks them.
OUTLINES = {
    "S": "M12 1.5C16 6.5 22 9.5 22 14.2c0 2.7-2.1 4.6-4.6 4.6-1.6 0-3-.7-3.9-2 .2 2.3 1 4 2.3 5.7"
    "H8.2c1.3-1.7 2.1-3.4 2.3-5.7-.9 1.3-2.3 2-3.9 2C4.1 18.8 2 16.9 2 14.2 2 9.5 8 6.5 12 1.5z",
    "H": "M12 21.5C5 15.5 2 12 2 7.9 2 4.8 4.3 2.5 7.1 2.5c2 0 3.8 1.1 4.9 3 1.1-1.9 2.9-3 4.9-3"
    " 2.8 0 5.1 2.3 5.1 5.4 0 4.1-3 7.6-10 13.6z",
    "D": "M12 1 20.5 12 12 23 3.5 12z",
    "C": "M12 1.6a4.8 4.8 0 0 1 3.9 7.6 4.8 4.8 0 1 1-2.6 7.8c.2 2 .9 3.7 2.2 5.4h-7c1.3-1.7 2-3.4"
    " 2.2-5.4a4.8 4.8 0 1 1-2.6-7.8A4.8 4.8 0 0 1 12 1.6z",
    "star": "M12 1.5l3.1 6.9 7.4.8-5.5 5 1.6 7.3L12 17.7l-6.6 3.8L7 14.2l-5.5-5 7.4-.8z",
}


def card_name(card: str) -> str:
    """Return how a card is said: ace of spades."""
    if card == JOKER:
        return "joker"
    if card == UNSEEN:
        return "a card nobody saw"
    return f"{RANKS.get(card[:1], card[:1])} of {SUITS.get(card[1:], card[1:])}"


def draw_card(card: str, joker_as: str = "") -> SafeString:
    """Draw one two-character card; a joker shows what it stood for, where that is known."""
    kind, name, face = card_face(card, joker_as)
    return format_html(
        '<svg class="card {}" viewBox="0 0 30 40" role="img" aria-label="{}">{}</svg>',
        *(kind, name, face),
    )


def card_face(card: str, joker_as: str = "") -> tuple[str, str, SafeString]:
    """Return a card's kind, its name, and its drawing in a box of 30 by 40."""
    name = card_name(card)
    stood_for = joker_as if card == JOKER and joker_as else ""
    if stood_for:
        name = f"{name} as {card_name(stood_for)}"
    if card == UNSEEN:
        kind, face = "unseen", SafeString('<rect x="5" y="5" width="20" height="30" rx="2"/>')
    elif card == JOKER:
        kind, face = "joker", draw_joker(stood_for)
    else:
        kind, ten = "red" if card[1:] in ("H", "D") else "black", card[:1] == "T"
        face = format_html(
            '<text x="15" y="18.5"{}>{}</text>'
            '<path transform="translate(7 21) scale(.66)" d="{}"/>',
            SafeString(' textLength="20" lengthAdjust="spacingAndGlyphs"') if ten else "",
            "10" if ten else card[:1],
            OUTLINES.get(card[1:], ""),
        )
    box = SafeString('<rect class="face" x=".5" y=".5" width="29" height="39" rx="3.5"/>')
    return kind, name, box + face


def draw_joker(stood_for: str) -> SafeString:
    """Draw a joker's face: a star, and below it the card it stood for."""
    star = format_html('<path transform="translate(7.5 3) scale(.62)" d="{}"/>', OUTLINES["star"])
    if not stood_for:
        return format_html('{}<text class="small" x="15" y="33">JK</text>', star)
    ten = stood_for[:1] == "T"
    return format_html(
        '{}<g class="{}"><text class="small" x="{}" y="34">{}</text>'
        '<path transform="translate({} 24.5) scale(.44)" d="{}"/></g>',
        star,
        "red" if stood_for[1:] in ("H", "D") else "black",
        "9.5" if ten else "10",
        "10" if ten else stood_for[:1],
        "17.5" if ten else "16",
        OUTLINES.get(stood_for[1:], ""),
    )


@register.simple_tag
def cards(codes: str | list[str], joker_as: str = "") -> SafeString:
    """Draw cards side by side: ``{% cards claim.cards claim.joker_as %}``."""
    told = codes.split() if isinstance(codes, str) else codes
    drawn = format_html_join("", "{}", ((draw_card(card, joker_as),) for card in told))
    return format_html('<span class="cards">{}</span>', drawn)


@register.filter
def hand_name(hand: str) -> str:
    """Write a hand as people say it: Four of a kind."""
    return hand.replace("_", " ").capitalize()


@register.filter
def dollars(amount: Decimal | str | None) -> str:
    """Write money to the cent, a fraction of a cent left out: $1,234.56."""
    if amount is None:
        return "–"
    exact = Decimal(amount)
    sign = "−" if exact < 0 else ""
    return f"{sign}${abs(exact).quantize(CENT, rounding=ROUND_DOWN):,}"


@register.filter
def exactly(amount: Decimal | str | None) -> str:
    """Write a meter value with every decimal it has: $1,234.560021."""
    if amount is None:
        return "–"
    exact = Decimal(amount)
    whole, _, fraction = cents(abs(exact)).partition(".")
    return f"{'−' if exact < 0 else ''}${int(whole):,}.{fraction}"


@register.filter
def signed(amount: Decimal | str) -> str:
    """Write a movement with its sign: +$0.21, −$2,000.00."""
    exact = Decimal(amount)
    return f"+{exactly(exact)}" if exact > 0 else exactly(exact)


@register.filter
def age(moment: datetime, now: datetime | None = None) -> str:
    """Write how long ago something was: 4:09, or 1 h 05."""
    seconds = max(int(((now or timezone.now()) - moment).total_seconds()), 0)
    minutes, seconds = divmod(seconds, 60)
    if minutes < 60:
        return f"{minutes}:{seconds:02}"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02}" if hours < 48 else f"{hours // 24} days"


@register.filter
def epoch(moment: datetime) -> int:
    """Return a moment in seconds, for the script that keeps ages going."""
    return int(moment.timestamp())


@register.filter
def thousands(number: int | str | None) -> str:
    """Set the thousands of a figure apart: 478,280.8."""
    return "–" if number is None else f"{Decimal(number):,}"
