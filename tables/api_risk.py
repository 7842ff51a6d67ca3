"""Risk and hits of a progressive for whoever may read meters."""

from datetime import date, timedelta
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from progressives.api_meters import MayReadMeters
from progressives.models import Progressive
from tables.api import RefusalSerializer
from tables.pages.trends import day_of
from tables.rules.odds import DEALS, StaleCounts
from tables.services.hits_report import hits_by_game, told
from tables.services.risk import RiskUnknown
from tables.services.risk_report import report_of

DEAL = OpenApiParameter(
    "deal", str, enum=list(DEALS), description="What is dealt, where the game's rules are not known"
)


LONGEST = timedelta(days=366)


def progressive_of(code: str) -> Progressive:
    """Return a progressive by its code, or 404."""
    found = Progressive.objects.filter(code=code).first()
    if found is None:
        raise NotFound("There is no such progressive.")
    return found


class RiskView(APIView):
    """What a progressive costs, exactly."""

    permission_classes = [IsAuthenticated, MayReadMeters]

    @extend_schema(
        operation_id="progressive_risk",
        summary="Exact risk of a progressive: chances, envies, break-even meter",
        parameters=[DEAL],
        responses={200: OpenApiTypes.OBJECT, 404: RefusalSerializer},
    )
    def get(self, request: Request, code: str) -> Response:
        progressive, deal = progressive_of(code), DEALS.get(request.query_params.get("deal", ""))
        try:
            report: dict[str, Any] = report_of(progressive, deal)
        except (RiskUnknown, StaleCounts) as unknown:
            raise NotFound(str(unknown)) from None
        return Response(report)


class HitsView(APIView):
    """Hits that were, against hits that were to be expected."""

    permission_classes = [IsAuthenticated, MayReadMeters]

    @extend_schema(
        operation_id="progressive_hits",
        summary="Actual against theoretical hits of a progressive, with exact bands",
        parameters=[
            OpenApiParameter("first", date, required=True, description="Gaming day"),
            OpenApiParameter("last", date, required=True, description="Gaming day, included"),
            DEAL,
        ],
        responses={200: OpenApiTypes.OBJECT, 400: RefusalSerializer, 404: RefusalSerializer},
    )
    def get(self, request: Request, code: str) -> Response:
        progressive, deal = progressive_of(code), DEALS.get(request.query_params.get("deal", ""))
        first, last = day_asked(request, "first"), day_asked(request, "last")
        if not first <= last <= first + LONGEST:
            raise ValidationError({"last": "A year at most, and not before the first day."})
        try:
            games = hits_by_game(progressive, first, last, deal)
        except (RiskUnknown, StaleCounts) as unknown:
            raise NotFound(str(unknown)) from None
        told_games = [told(game, first, last) for game in games]
        return Response({"progressive": progressive.code, "games": told_games})


def day_asked(request: Request, name: str) -> date:
    """Return a gaming day of the query."""
    found = day_of(request.query_params.get(name))
    if found is None:
        raise ValidationError({name: "Name a gaming day as 2026-03-14."})
    return found
