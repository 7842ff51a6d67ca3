"""The branches of a claim for the floor's own devices: disputes, voids, Envy Bonuses."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from progressives.api import (
    REFUSALS,
    ClaimRefusalSerializer,
    ClaimSerializer,
    LoggedIn,
    MayReadClaims,
    ReturnSerializer,
    StepView,
)
from progressives.models import EnvyPayment, EnvyPayout
from progressives.services.claims_dispute import dispute_claim, propose_outcome, resolve_dispute
from progressives.services.claims_void import ask_void, void_claim
from progressives.services.envies import drop_envy, pay_envy

LIST_LIMIT = 500


class ClipSerializer(serializers.Serializer[Any]):
    """A reference to a recording, in free words."""

    camera = serializers.CharField(default="", allow_blank=True, max_length=80)
    since = serializers.CharField(default="", allow_blank=True, max_length=40)
    until = serializers.CharField(default="", allow_blank=True, max_length=40)


class DisputeSerializer(serializers.Serializer[Any]):
    """Who objects to what, and which recordings show it."""

    reason = serializers.CharField(allow_blank=True)
    video = ClipSerializer(many=True, default=list)


class OutcomeSerializer(serializers.Serializer[Any]):
    """How a dispute should end; a refusal names its paragraph."""

    outcome = serializers.CharField(help_text="upheld or refused")
    reason = serializers.CharField(allow_blank=True)
    cite = serializers.CharField(default="", allow_blank=True)


class ReasonSerializer(ReturnSerializer):
    """Why, in one's own words."""


class DisputeView(StepView):
    """Raise a dispute."""

    serializer = DisputeSerializer

    @extend_schema(request=DisputeSerializer, responses={200: ClaimSerializer, **REFUSALS})
    def post(self, request: Request, claim_id: int) -> Response:
        """Raise a dispute: the payout's round stands still until two people have ended it."""
        return self.take(claim_id, request)

    def service(self, **facts: Any) -> object:
        return dispute_claim(**facts)


class ProposeView(StepView):
    """Propose how a dispute ends."""

    serializer = OutcomeSerializer

    @extend_schema(request=OutcomeSerializer, responses={200: ClaimSerializer, **REFUSALS})
    def post(self, request: Request, claim_id: int) -> Response:
        """Propose how a dispute ends; another person confirms it."""
        return self.take(claim_id, request)

    def service(self, **facts: Any) -> object:
        return propose_outcome(**facts)


class ResolveView(StepView):
    """Confirm how a dispute ends."""

    serializer = ReasonSerializer

    @extend_schema(request=ReasonSerializer, responses={200: ClaimSerializer, **REFUSALS})
    def post(self, request: Request, claim_id: int) -> Response:
        """Confirm the proposed end of a dispute, as a person who decided nothing on the payout."""
        return self.take(claim_id, request)

    def service(self, **facts: Any) -> object:
        return resolve_dispute(**facts)


class AskVoidView(StepView):
    """Ask for a void."""

    serializer = ReasonSerializer

    @extend_schema(request=ReasonSerializer, responses={200: ClaimSerializer, **REFUSALS})
    def post(self, request: Request, claim_id: int) -> Response:
        """Ask that a payout which was opened in error be voided."""
        return self.take(claim_id, request)

    def service(self, **facts: Any) -> object:
        return ask_void(**facts)


class VoidView(StepView):
    """Confirm a void."""

    serializer = ReasonSerializer

    @extend_schema(request=ReasonSerializer, responses={200: ClaimSerializer, **REFUSALS})
    def post(self, request: Request, claim_id: int) -> Response:
        """Confirm a void; a share of the meter goes back at once."""
        return self.take(claim_id, request)

    def service(self, **facts: Any) -> object:
        return void_claim(**facts)


class EnvyPaymentSerializer(serializers.ModelSerializer[EnvyPayment]):
    """What became of an Envy Bonus: by whom, when."""

    by: Any = serializers.StringRelatedField(read_only=True)

    class Meta:
        model = EnvyPayment
        fields = ["kind", "by", "at", "reason"]


class EnvySerializer(serializers.ModelSerializer[EnvyPayout]):
    """An Envy Bonus that the house owes, from the table inventory."""

    payment = EnvyPaymentSerializer(allow_null=True, default=None)

    class Meta:
        model = EnvyPayout
        fields = [
            *["id", "table", "round", "round_id", "wager", "position", "player", "from_position"],
            *["hand", "stake", "amount", "cite", "gaming_day", "payment"],
        ]


class EnviesView(APIView):
    """What the house owes in Envy Bonuses."""

    permission_classes = [IsAuthenticated, MayReadClaims]

    @extend_schema(
        operation_id="envies_list",
        responses={200: EnvySerializer(many=True), 403: ClaimRefusalSerializer},
    )
    def get(self, request: Request) -> Response:
        """List the Envy Bonuses that are not ticked off yet, oldest first."""
        owed = EnvyPayout.objects.filter(payment__isnull=True).order_by("pk")[:LIST_LIMIT]
        return Response(EnvySerializer(owed, many=True).data)


class TickSerializer(serializers.Serializer[Any]):
    """Paid, or not owed and why."""

    not_owed = serializers.BooleanField(default=False)
    reason = serializers.CharField(default="", allow_blank=True)


class EnvyView(APIView):
    """One Envy Bonus."""

    permission_classes = [IsAuthenticated, MayReadClaims, LoggedIn]

    @extend_schema(request=TickSerializer, responses={200: EnvySerializer, **REFUSALS})
    def post(self, request: Request, envy_id: int) -> Response:
        """Tick an Envy Bonus off as paid from the table inventory, or as not owed."""
        asked = TickSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        told, officer = asked.validated_data, request.user
        if told["not_owed"]:
            made = drop_envy(envy_id=envy_id, officer=officer, reason=told["reason"])  # type: ignore[arg-type]
        else:
            made = pay_envy(envy_id=envy_id, officer=officer)  # type: ignore[arg-type]
        return Response(EnvySerializer(made.envy).data)
