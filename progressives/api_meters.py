"""Meters: for the signs what each shows, for whoever keeps the books all that each has counted."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from progressives.api import ClaimRefusalSerializer
from progressives.errors import LevelUnknown
from progressives.meters import cents, shown
from progressives.models import Meter, MeterSnapshot, MustHitDraw, TablePayout
from progressives.selectors import draws_of, last_hits, level_meters
from progressives.services.snapshots import read_now


class MayReadMeters(BasePermission):
    """Whoever's role may read meters, such as the staff token of a sign."""

    message = "Your role may not read meters."

    def has_permission(self, request: Request, view: Any) -> bool:
        return bool(request.user.has_perm("progressives.view_meter"))


class MeterSerializer(serializers.Serializer[Any]):
    """What a sign shows: a level of a progressive, and what it stands at."""

    progressive = serializers.CharField()
    level = serializers.CharField()
    value = serializers.CharField(help_text="Dollars, two to six decimals.")
    shown = serializers.CharField(
        help_text="What a sign shows: whole steps of the level, in cents."
    )
    limit = serializers.CharField(allow_null=True, help_text="Where the level stops growing.")
    must_hit_by = serializers.CharField(
        allow_null=True,
        help_text="The amount by which some wager wins the level, whatever is dealt.",
    )
    sequence = serializers.IntegerField(
        help_text="Number of the entry that brought it there. It only grows: a reader ignores an "
        "older or equal one."
    )


class MetersView(APIView):
    """Meters for the signs."""

    permission_classes = [IsAuthenticated, MayReadMeters]

    @extend_schema(operation_id="meters_list", responses=MeterSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List every meter with its value after the last movement."""
        meters = Meter.objects.filter(purpose=Meter.Purpose.DISPLAY)
        meters = meters.order_by("progressive__code", "level")
        rows = meters.values_list(
            *("progressive__code", "level", "value", "shown_to", "limit", "must_hit_by"),
            "sequence",
        )
        return Response(
            [
                {
                    "progressive": code,
                    "level": level,
                    "value": cents(value),
                    "shown": str(shown(value, step)),
                    "limit": None if limit is None else cents(limit),
                    "must_hit_by": None if must_hit is None else cents(must_hit),
                    "sequence": sequence,
                }
                for code, level, value, step, limit, must_hit, sequence in rows
            ]
        )


class MayReadTheLedger(BasePermission):
    """Whoever reads the ledger: what a level keeps in reserve is not for the signs."""

    message = "Your role may not read the ledger of meters."

    def has_permission(self, request: Request, view: Any) -> bool:
        return bool(request.user.has_perm("progressives.view_meterentry"))


class MeterCountsSerializer(serializers.ModelSerializer[MeterSnapshot]):
    """One meter of a level, with all that it has counted since it began."""

    purpose = serializers.CharField(source="meter.purpose")
    value = serializers.SerializerMethodField()
    contributed = serializers.SerializerMethodField()
    reversed = serializers.SerializerMethodField()

    class Meta:
        model = MeterSnapshot
        fields = [
            *["purpose", "value", "sequence", "wagers", "wagered", "contributed", "reversed"],
            *["hits", "won", "put_back"],
        ]

    def get_value(self, snapshot: MeterSnapshot) -> str:
        return cents(snapshot.value)

    def get_contributed(self, snapshot: MeterSnapshot) -> str:
        return cents(snapshot.contributed)

    def get_reversed(self, snapshot: MeterSnapshot) -> str:
        return cents(snapshot.reversed)


class HitSerializer(serializers.Serializer[Any]):
    """An award of a level."""

    sequence = serializers.IntegerField()
    gaming_day = serializers.DateField()
    table = serializers.CharField()
    round = serializers.IntegerField(allow_null=True)
    position = serializers.IntegerField(allow_null=True)
    hand = serializers.CharField()
    meter_at_turn = serializers.SerializerMethodField()
    amount = serializers.SerializerMethodField()

    def get_meter_at_turn(self, entry: Any) -> str:
        return cents(entry.before)

    def get_amount(self, entry: Any) -> str:
        return cents(-entry.amount)


class DrawSerializer(serializers.ModelSerializer[MustHitDraw]):
    """A draw of a level that must hit: its promise, and what it was once that is told."""

    value = serializers.CharField(source="reveal.value", default=None, allow_null=True)
    salt = serializers.CharField(source="reveal.salt", default=None, allow_null=True)

    class Meta:
        model = MustHitDraw
        fields = ["number", "low", "high", "commitment", "drawn_at", "value", "salt"]


class LevelSerializer(serializers.Serializer[Any]):
    """A level: each of its meters, and its last 25 hits, newest first."""

    progressive = serializers.CharField()
    level = serializers.CharField()
    meters = MeterCountsSerializer(many=True)
    last_hits = HitSerializer(many=True)
    draws = DrawSerializer(many=True, help_text="Of a level that must hit, newest first.")


class LevelView(APIView):
    """A level with its meters, as a regulator reads them."""

    permission_classes = [IsAuthenticated, MayReadTheLedger]

    @extend_schema(responses={200: LevelSerializer, 404: ClaimRefusalSerializer})
    def get(self, request: Request, progressive: str, level: str) -> Response:
        """Return a level's display, reserve and overflow with their counts, and its last hits."""
        meters = level_meters(progressive, level)
        if not meters:
            raise LevelUnknown
        told = {
            "progressive": progressive,
            "level": level,
            "meters": read_now(meters),
            "last_hits": last_hits(meters[0]),
            "draws": draws_of(meters[0]),
        }
        return Response(LevelSerializer(told).data)


class TablePayoutSerializer(serializers.ModelSerializer[TablePayout]):
    """A table's payout meters, which never go back."""

    class Meta:
        model = TablePayout
        fields = ["table", "payouts", "machine_paid", "attendant_paid", "cumulative"]


class TablePayoutsView(APIView):
    """What each table's progressive awards came to."""

    permission_classes = [IsAuthenticated, MayReadTheLedger]

    @extend_schema(operation_id="table_payouts_list", responses=TablePayoutSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List the payout meters of every table that has paid a progressive award."""
        return Response(TablePayoutSerializer(TablePayout.objects.all(), many=True).data)
