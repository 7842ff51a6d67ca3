"""How the desk writes the kind of an exception."""

from django import template

register = template.Library()


@register.filter
def kind_name(kind: str) -> str:
    """Write a kind as people say it: Deck overdue."""
    return kind.replace("_", " ").capitalize()
