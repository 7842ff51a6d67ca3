"""How a round's payouts stand: what is open, what is held, and when it closed."""

from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from progressives.models import EnvyPayout, JackpotClaim
from progressives.selectors import claims_with_steps
from progressives.services.rounds import closing_of
from progressives.templatetags.floor import dollars, hand_name


def payouts_of(round_id: UUID) -> SafeString | str:
    """Write a round's payouts, one a line, and what the round as a whole waits for."""
    claims = list(claims_with_steps().filter(round_id=round_id).order_by("pk"))
    unpaid = EnvyPayout.objects.filter(round_id=round_id, payment__isnull=True).count()
    if not claims and not EnvyPayout.objects.filter(round_id=round_id).exists():
        return "–"
    lines = format_html_join("", "<div>{}</div>", ((payout_text(claim),) for claim in claims))
    return format_html(
        "{}<div><strong>{}</strong></div>", lines, standing(claims, unpaid, round_id)
    )


def payout_text(claim: JackpotClaim) -> SafeString:
    """Write one payout as a link to its page."""
    return format_html(
        '<a class="row-link" href="{}">position {}: {} {}, {}{}</a>',
        reverse("admin:progressives_jackpotclaim_change", args=[claim.pk]),
        claim.position,
        hand_name(claim.hand),
        dollars(claim.amount),
        claim.get_state_display().lower(),
        ", cards held" if claim.cards_held else "",
    )


def standing(claims: list[JackpotClaim], unpaid: int, round_id: UUID) -> str:
    """Say whether the round is closed, or what it still waits for."""
    still_open = sum(claim.state not in JackpotClaim.DECIDED for claim in claims)
    waits = []
    if still_open:
        waits.append("1 payout" if still_open == 1 else f"{still_open} payouts")
    if unpaid:
        waits.append("1 Envy Bonus" if unpaid == 1 else f"{unpaid} Envy Bonuses")
    if waits:
        return f"Open: waits for {' and '.join(waits)}."
    closing = closing_of(round_id)
    if closing is None:
        return "Nothing is open."
    return f"Closed at {timezone.localtime(closing.at):%Y-%m-%d %H:%M} by {closing.by}."
