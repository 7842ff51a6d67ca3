"""What a table and its signs may go by, for how long, and whether it takes progressive wagers."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit.services import timestamp
from progressives.meters import cents
from tables.api import RefusalSerializer
from tables.auth import Machine
from tables.models import GamingTable
from tables.services.fresh import Freshness, freshness_of


class FreshMeterSerializer(serializers.Serializer[Any]):
    """A meter as it stands: its value, and the number of the movement that brought it there."""

    progressive = serializers.CharField()
    level = serializers.CharField()
    value = serializers.CharField()
    shown = serializers.CharField(help_text="Cut to what the signs show.")
    sequence = serializers.IntegerField(help_text="It only grows.")


class FreshnessSerializer(serializers.Serializer[Any]):
    """A table's meters, fresh until a moment; after it the table takes no progressive wagers."""

    table = serializers.CharField()
    as_of = serializers.CharField()
    fresh_until = serializers.CharField()
    fresh_seconds = serializers.IntegerField()
    progressive_wagers = serializers.BooleanField()
    reason = serializers.ChoiceField(["", "no_progressive", "table_down", "meter_behind"])
    detail = serializers.CharField()
    next_sequence = serializers.IntegerField(help_text="Of the table's next event.")
    meters = FreshMeterSerializer(many=True)


def told(fresh: Freshness) -> dict[str, Any]:
    """Return what a table may go by as JSON."""
    return {
        "table": fresh.table,
        "as_of": timestamp(fresh.at),
        "fresh_until": timestamp(fresh.fresh_until),
        "fresh_seconds": fresh.seconds,
        "progressive_wagers": fresh.takes_wagers,
        "reason": fresh.reason,
        "detail": fresh.sentence,
        "next_sequence": fresh.next_sequence,
        "meters": [
            {
                "progressive": meter.progressive.code,
                "level": meter.level,
                "value": cents(meter.value),
                "shown": cents(meter.value // meter.shown_to * meter.shown_to),
                "sequence": meter.sequence,
            }
            for meter in fresh.meters
        ],
    }


class MayReadItsMeters(BasePermission):
    """A table's own key, or whoever's role may read meters."""

    message = "This key does not belong to that table."

    def has_permission(self, request: Request, view: Any) -> bool:
        if isinstance(request.user, Machine):
            codes = request.user.key.tables.values_list("code", flat=True)
            return view.kwargs["code"] in set(codes)
        return bool(request.user.has_perm("progressives.view_meter"))


class TableMetersView(APIView):
    """What a table's controller and signs poll."""

    permission_classes = [IsAuthenticated, MayReadItsMeters]

    @extend_schema(
        operation_id="table_meters",
        summary="A table's meter values, how long they are fresh, and whether to take wagers",
        responses={200: FreshnessSerializer, 403: RefusalSerializer, 404: RefusalSerializer},
    )
    def get(self, request: Request, code: str) -> Response:
        table = GamingTable.objects.select_related("lane").filter(code=code).first()
        if table is None:
            raise NotFound("There is no such table.")
        return Response(told(freshness_of(table)), headers={"Cache-Control": "no-store"})
