"""Risk and hits of a progressive for whoever may read meters."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from progressives.api_meters import MayReadMeters
from progressives.models import Progressive
from tables.api import RefusalSerializer
from tables.rules.odds import DEALS, StaleCounts
from tables.services.risk import RiskUnknown
from tables.services.risk_report import report_of

DEAL = OpenApiParameter(
    "deal", str, enum=list(DEALS), description="What is dealt, where the game's rules are not known"
)


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
