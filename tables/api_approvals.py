"""The watch over the approvers, for programs."""

from dataclasses import asdict
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit.services import timestamp
from tables.approvals import Approval, Group, Triple, Watched, watch
from tables.pages.approvals import days_of
from tables.services.approvals import watched


class MayWatch(BasePermission):
    """Staff who watch the approvers, which is nobody who approves."""

    message = "Your role does not see how payouts are approved."

    def has_permission(self, request: Request, view: Any) -> bool:
        return bool(request.user.has_perm("tables.view_approvals"))


class GroupSerializer(serializers.Serializer[Any]):
    """Approvals of one supervisor, dealer, position or hour."""

    name = serializers.CharField()
    number = serializers.IntegerField()
    amount = serializers.CharField()
    median_seconds = serializers.CharField()
    quartiles_seconds = serializers.ListField(child=serializers.CharField())
    manual_percent = serializers.CharField()
    changed_percent = serializers.CharField()


class TripleSerializer(serializers.Serializer[Any]):
    """Dealer, supervisor and player who meet more often than by chance."""

    dealer = serializers.CharField()
    supervisor = serializers.CharField()
    player = serializers.CharField()
    seen = serializers.IntegerField()
    expected = serializers.CharField()
    probability = serializers.CharField()
    amount = serializers.CharField()
    claims = serializers.ListField(child=serializers.IntegerField())


class OutlierSerializer(serializers.Serializer[Any]):
    """A payout validated oddly fast or slowly."""

    claim = serializers.IntegerField()
    supervisor = serializers.CharField()
    dealer = serializers.CharField()
    seconds = serializers.CharField()
    validated_at = serializers.CharField()


class ApprovalsSerializer(serializers.Serializer[Any]):
    """The approvals of a stretch of gaming days."""

    first = serializers.DateField()
    last = serializers.DateField()
    whole = GroupSerializer(allow_null=True)
    supervisors = GroupSerializer(many=True)
    dealers = GroupSerializer(many=True)
    positions = GroupSerializer(many=True)
    hours = GroupSerializer(many=True)
    triples_looked_at = serializers.IntegerField()
    triples = TripleSerializer(many=True)
    outliers = OutlierSerializer(many=True)


class ApprovalsView(APIView):
    """How payouts were approved."""

    permission_classes = [IsAuthenticated, MayWatch]

    @extend_schema(
        operation_id="approvals",
        summary="How payouts were approved, by whom, how fast, and who meets too often",
        parameters=[
            OpenApiParameter("first", OpenApiTypes.DATE, description="The first gaming day."),
            OpenApiParameter("last", OpenApiTypes.DATE, description="The last gaming day."),
        ],
        responses={200: ApprovalsSerializer},
    )
    def get(self, request: Request) -> Response:
        first, last = days_of(request.query_params)
        found = watched(first, last) or watch([])
        return Response({"first": str(first), "last": str(last), **as_json(found)})


def as_json(found: Watched) -> dict[str, Any]:
    """Return what was found as JSON values."""
    sides = ("supervisors", "dealers", "positions", "hours")
    return {
        "whole": group(found.whole) if found.whole.number else None,
        **{side: [group(one) for one in getattr(found, side)] for side in sides},
        "triples_looked_at": found.triples_looked_at,
        "triples": [triple(one) for one in found.triples],
        "outliers": [outlier(one) for one in found.outliers],
    }


def group(one: Group) -> dict[str, Any]:
    """Return a group as JSON values."""
    return {
        "name": one.name,
        "number": one.number,
        "amount": str(one.amount),
        "median_seconds": f"{one.median_seconds:.1f}",
        "quartiles_seconds": [f"{seconds:.1f}" for seconds in one.quartiles],
        "manual_percent": str(one.manual_percent),
        "changed_percent": str(one.changed_percent),
    }


def triple(one: Triple) -> dict[str, Any]:
    """Return a triple as JSON values."""
    numbers = {"expected": f"{one.expected:.3f}", "probability": f"{one.probability:.3g}"}
    return {**asdict(one), **numbers, "amount": str(one.amount)}


def outlier(one: Approval) -> dict[str, Any]:
    """Return a payout's time as JSON values."""
    return {
        "claim": one.claim,
        "supervisor": one.supervisor,
        "dealer": one.dealer,
        "seconds": f"{one.seconds:.1f}",
        "validated_at": timestamp(one.validated_at),
    }
