"""The API's way to a round: the same search as the page's."""

from typing import Any
from zoneinfo import ZoneInfo

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit.models import User
from audit.services import timestamp
from tables.api import RefusalSerializer, refused
from tables.asking import AMOUNTS, FIELDS, FLAGS, NUMBERS, read_asked
from tables.models import Facility
from tables.rules import Refusal
from tables.services.finding import Match, place_of, search

HELP = {
    "from": "The earliest time, with its offset or in the zone.",
    "to": "The latest time, with its offset or in the zone.",
    "zone": "utc, or the facility's own where nothing is said.",
    "position": "A position of the table; 0 for the dealer, of whom only cards can be told.",
    "cards": "Cards that lay together at one position: AS KD JK.",
    "wagered": "One wager's amount, or all of a position together.",
    "paid": "What was due for one wager or to a position together, or what the dealer paid.",
    "meter": "The value somebody saw on the meter, to the dollar.",
    "flags": f"What the round is marked as, any number of: {', '.join(FLAGS)}.",
}


class MaySearch(BasePermission):
    """Staff who may search all rounds; a machine's key finds nothing."""

    message = "Your role does not search rounds."

    def has_permission(self, request: Request, view: Any) -> bool:
        return bool(request.user.has_perm("tables.search_round"))


class FoundSerializer(serializers.Serializer[Any]):
    """A round that was found, and the positions of which all holds."""

    round_id = serializers.UUIDField()
    table = serializers.CharField()
    round = serializers.IntegerField()
    game = serializers.CharField()
    state = serializers.CharField()
    occurred_at = serializers.DateTimeField()
    gaming_day = serializers.DateField()
    dealer = serializers.CharField()
    floorperson = serializers.CharField()
    flags = serializers.ListField(child=serializers.CharField())
    positions = serializers.ListField(child=serializers.IntegerField())


class SearchSerializer(serializers.Serializer[Any]):
    """A page of rounds, newest first.

    ``after`` is where to search on; None where everything was looked at. ``reached`` says how far
    back a search looked that stopped before that; ``unfiled`` how many new rounds it left out.
    """

    rounds = FoundSerializer(many=True)
    after = serializers.CharField(allow_null=True)
    reached = serializers.CharField(allow_null=True)
    unfiled = serializers.IntegerField()


def parameter(name: str) -> OpenApiParameter:
    """Describe one field of the search."""
    kind: Any = OpenApiTypes.INT if name in (*NUMBERS, "position") else OpenApiTypes.STR
    if name in AMOUNTS:
        kind = OpenApiTypes.DECIMAL
    return OpenApiParameter(name, kind, description=HELP.get(name, ""), many=name == "flags")


class SearchView(APIView):
    """Find rounds from whatever is known of them."""

    permission_classes = [IsAuthenticated, MaySearch]

    @extend_schema(
        operation_id="search_rounds",
        summary="Find rounds from whatever is known of them",
        parameters=[parameter(name) for name in (*FIELDS, "after")],
        responses={
            200: SearchSerializer,
            422: OpenApiResponse(RefusalSerializer, description="A field cannot be read"),
            503: OpenApiResponse(RefusalSerializer, description="It takes too long now"),
        },
    )
    def get(self, request: Request) -> Response:
        told: dict[str, Any] = {**request.query_params.dict()}
        told["flags"] = request.query_params.getlist("flags")
        facility = Facility.objects.get(pk=1)
        try:
            asked = read_asked(told, ZoneInfo(facility.time_zone))
            after = place_of(told["after"]) if told.get("after") else None
            result = search(asked, by=User.objects.get(pk=request.user.pk), after=after)
        except Refusal as refusal:
            late = refusal.code == "search_too_long"
            answer = status.HTTP_503_SERVICE_UNAVAILABLE if late else 422
            return refused(refusal, answer)
        answered = {
            "rounds": [as_json(match) for match in result.matches],
            "after": result.after and result.after.told(),
            "reached": result.reached and timestamp(result.reached),
            "unfiled": result.unfiled,
        }
        return Response(answered)


def as_json(match: Match) -> dict[str, Any]:
    """Return a round as the API tells it."""
    round_ = match.round
    return {
        "round_id": str(round_.pk),
        "table": round_.table.code,
        "round": round_.number,
        "game": round_.game,
        "state": round_.state,
        "occurred_at": timestamp(round_.occurred_at),
        "gaming_day": round_.gaming_day.isoformat(),
        "dealer": round_.dealer,
        "floorperson": round_.floorperson,
        "flags": sorted({flag["code"] for flag in round_.flags}),
        "positions": match.positions,
    }
