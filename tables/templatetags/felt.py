"""Draws the table as SVG, and says a few things of rounds as pages write them."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django import template
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from progressives.templatetags.floor import card_face
from tables.felt import CARD_HEIGHT, CARD_WIDTH, Card, Chip, Felt, Lamp, Spot, Words
from tables.rules.plain import WAGER_WORDS

register = template.Library()

RESULT_FROM, RESULT_STEP = 50, 12


def when(since: int, until: int | None = None, taken: int | None = None) -> SafeString:
    """Say as attributes from which frame on a thing is there, until which, and when it is taken."""
    told = format_html(' data-since="{}"', since) if since else SafeString("")
    if until is not None:
        told += format_html(' data-until="{}"', until)
    if taken is not None:
        told += format_html(' data-taken="{}"', taken)
    return told


def draw_spot(spot: Spot) -> SafeString:
    """Draw a position's place on the felt."""
    empty = " empty" if spot.empty else ""
    number = SafeString("")
    if spot.empty:
        number = format_html(
            '<text class="number" x="{}" y="{}">{}</text>', spot.x + 14, spot.y + 24, spot.position
        )
    return format_html(
        '<g class="spot{}" data-position="{}"><rect x="{}" y="{}" width="{}" height="{}" rx="12"/>'
        "{}</g>",
        *(empty, spot.position, spot.x, spot.y, spot.width, spot.height, number),
    )


def draw_placed(card: Card) -> SafeString:
    """Draw a card where it lies; one that was dealt sideways is turned."""
    turn = SafeString("")
    if card.sideways:
        turn = format_html(" rotate(90 {} {})", CARD_WIDTH / 2, CARD_HEIGHT / 2)
    kind, name, face = card_face(card.code, full_card(card.joker_as))
    return format_html(
        '<g class="card {}" transform="translate({} {}){}"{}><title>{}</title>{}</g>',
        *(kind, round(card.x, 1), round(card.y, 1), turn),
        *(when(card.since, card.until, card.taken), name, face),
    )


def full_card(stood_for: str) -> str:
    """Return a card that can be drawn: an ace of no suit is drawn as one of spades."""
    return "AS" if stood_for == "A" else stood_for


def draw_chip(chip: Chip) -> SafeString:
    """Draw a wager with its amount, and below it what became of it."""
    results = format_html_join(
        "",
        '<text class="{}" y="{}"{}>{}</text>',
        (
            (style, RESULT_FROM + RESULT_STEP * place, when(since), words)
            for place, (words, style, since) in enumerate(chip.results)
        ),
    )
    return format_html(
        '<g class="chip {}" transform="translate({} {})"{}><title>{} ${}</title>'
        '<circle r="11"/><circle class="rim" r="7"/><text class="label" y="24">{}</text>'
        '<text class="amount" y="37">${}</text>{}</g>',
        *(
            chip.kind,
            round(chip.x, 1),
            round(chip.y, 1),
            when(chip.since),
            WAGER_WORDS.get(chip.kind, chip.kind),
        ),
        *(chip.amount, chip.label, chip.amount, results),
    )


def draw_words(words: Words) -> SafeString:
    """Draw words."""
    return format_html(
        '<text class="{}" x="{}" y="{}" text-anchor="{}"{}>{}</text>',
        *(
            words.style,
            round(words.x, 1),
            round(words.y, 1),
            words.anchor,
            when(words.since, words.until),
            words.text,
        ),
    )


def draw_lamp(lamp: Lamp) -> SafeString:
    """Draw the light of a progressive wager."""
    return format_html(
        '<g class="lamp {}" transform="translate({} {})"{}><title>Light: {}</title>'
        '<circle r="5"/></g>',
        *(
            lamp.state.replace(" ", "-"),
            round(lamp.x, 1),
            round(lamp.y, 1),
            when(lamp.since),
            lamp.state,
        ),
    )


DRAW: dict[type, Callable[[Any], SafeString]] = {
    Card: draw_placed,
    Chip: draw_chip,
    Words: draw_words,
    Lamp: draw_lamp,
}


@register.simple_tag
def felt(drawing: Felt, style: str, label: str) -> SafeString:
    """Draw the whole table: ``{% felt wide "wide" title %}``."""
    spots = format_html_join("", "{}", ((draw_spot(spot),) for spot in drawing.spots))
    things = format_html_join("", "{}", ((DRAW[type(one)](one),) for one in drawing.things))
    width, height = drawing.width, drawing.height
    return format_html(
        '<svg class="felt {}" viewBox="0 0 {} {}" role="img" aria-label="{}">'
        '<path class="baize" d="M0 0H{}V{}Q{} {} {} {}Q0 {} 0 {}Z"/>{}{}</svg>',
        *(style, width, height, label, width, height - 40, width, height),
        *(width / 2, height, height, height - 40, spots, things),
    )


@register.filter
def wager_name(kind: str) -> str:
    """Write a wager's name: Fortune Bonus Wager."""
    if kind == "envy":
        return "Envy Bonuses"
    words = WAGER_WORDS.get(kind, kind.replace("_", " "))
    return words[:1].upper() + words[1:]


@register.filter
def action_name(action: str) -> str:
    """Write an action of the log as people say it: Claim validated."""
    words = action.rpartition(".")[2].replace("_", " ")
    return words[:1].upper() + words[1:]


@register.filter
def moment(told: str) -> datetime | None:
    """Read a time of the log, for a page to write in the facility's zone."""
    found = parse_datetime(told) if told else None
    return None if found is None else timezone.localtime(found)
