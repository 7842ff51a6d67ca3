"""Claims for the floor's own devices, and meters for the signs."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.authentication import SessionAuthentication
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from progressives.errors import ClaimUnknown
from progressives.meters import cents
from progressives.models import ClaimStep, JackpotClaim
from progressives.paragraphs import chapter_of
from progressives.selectors import changed_since, claims_in, claims_with_steps, look_token
from progressives.services.claims import (
    needs_statement,
    pay_claim,
    refuse_claim,
    required_checks,
    required_to_pay,
    validate_claim,
)
from progressives.services.claims_approve import (
    answer_claim,
    approve_claim,
    required_to_approve,
)
from progressives.services.claims_document import document_claim, print_slip
from progressives.services.claims_return import return_refused_award

LIST_LIMIT = 500


class MayReadClaims(BasePermission):
    """Members of staff whose role may read claims; a table controller's key may not."""

    message = "Your role may not read claims."

    def has_permission(self, request: Request, view: Any) -> bool:
        return bool(request.user.has_perm("progressives.view_jackpotclaim"))


class StepSerializer(serializers.ModelSerializer[ClaimStep]):
    """A step of a claim: who did what, when and why."""

    by: Any = serializers.StringRelatedField(allow_null=True, read_only=True)

    class Meta:
        model = ClaimStep
        fields = ["kind", "by", "at", "cite", "reason"]


class CheckSerializer(serializers.Serializer[Any]):
    """What must be confirmed, by its code, before the next step."""

    code = serializers.CharField()
    sentence = serializers.CharField()
    cite = serializers.CharField()


class ParagraphSerializer(serializers.Serializer[Any]):
    """A paragraph by which this payout may be refused."""

    cite = serializers.CharField()
    sentence = serializers.CharField()


class ClaimSerializer(serializers.ModelSerializer[JackpotClaim]):
    """A claim: its frozen facts, its steps, and what its next step asks for."""

    progressive = serializers.CharField(source="progressive.code")
    level = serializers.CharField(source="meter.level", allow_null=True, default=None)
    meter_at_turn = serializers.SerializerMethodField()
    source_of_funds = serializers.CharField(read_only=True)
    checks_to_validate = serializers.SerializerMethodField()
    statement_needed = serializers.SerializerMethodField()
    checks_to_approve = serializers.SerializerMethodField()
    checks_to_pay = serializers.SerializerMethodField()
    tier = serializers.ChoiceField(JackpotClaim.Tier.choices, read_only=True)
    refusals = serializers.SerializerMethodField()
    steps = StepSerializer(many=True, read_only=True)

    class Meta:
        model = JackpotClaim
        fields = [
            *["id", "state", "tier", "kind", "progressive", "level", "table", "round", "round_id"],
            *["position", "player", "dealer", "floorperson", "hand", "cards", "joker_as", "dealt"],
            *["stake", "terms", "cite", "amount", "meter_at_turn", "source_of_funds", "lamp"],
            *["flags", "gaming_day", "occurred_at", "accepted_at", "opened_at", "lane_number"],
            *["checks_to_validate", "statement_needed", "checks_to_approve", "checks_to_pay"],
            *["refusals", "steps"],
        ]

    def get_meter_at_turn(self, claim: JackpotClaim) -> str | None:
        return None if claim.meter_at_turn is None else cents(claim.meter_at_turn)

    @extend_schema_field(CheckSerializer(many=True))
    def get_checks_to_validate(self, claim: JackpotClaim) -> list[dict[str, str]]:
        return [check._asdict() for check in required_checks(claim)]

    def get_statement_needed(self, claim: JackpotClaim) -> bool:
        return needs_statement(claim)

    @extend_schema_field(CheckSerializer(many=True))
    def get_checks_to_approve(self, claim: JackpotClaim) -> list[dict[str, str]]:
        return [check._asdict() for check in required_to_approve(claim)]

    @extend_schema_field(CheckSerializer(many=True))
    def get_checks_to_pay(self, claim: JackpotClaim) -> list[dict[str, str]]:
        return [check._asdict() for check in required_to_pay(claim)]

    @extend_schema_field(ParagraphSerializer(many=True))
    def get_refusals(self, claim: JackpotClaim) -> list[dict[str, str]]:
        return [paragraph._asdict() for paragraph in chapter_of(claim.cite).refusals]


class ClaimListSerializer(serializers.Serializer[Any]):
    """Claims, and the token that asks for what changes after this look."""

    token = serializers.CharField()
    more = serializers.BooleanField()
    claims = ClaimSerializer(many=True)


class ClaimRefusalSerializer(serializers.Serializer[Any]):
    """A refusal: a code, what it is about, and a sentence for the person at the table."""

    code = serializers.CharField()
    path = serializers.CharField()
    detail = serializers.CharField()


class AskedSerializer(serializers.Serializer[Any]):
    """How a list of claims is asked for."""

    state = serializers.ChoiceField(JackpotClaim.State.choices, default=JackpotClaim.State.WAITING)
    after = serializers.IntegerField(required=False, min_value=0, max_value=2**63 - 1)


class ClaimsView(APIView):
    """Claims in a state, or what changed since a look."""

    permission_classes = [IsAuthenticated, MayReadClaims]

    @extend_schema(
        operation_id="claims_list",
        parameters=[
            OpenApiParameter(
                "state", enum=JackpotClaim.State.values, description="Default waiting."
            ),
            OpenApiParameter(
                "after",
                int,
                description="The token of an earlier look. Then every claim that a step was taken "
                "on since is returned, whatever its state is now, so that a list learns what left.",
            ),
        ],
        responses={200: ClaimListSerializer, 403: ClaimRefusalSerializer},
    )
    def get(self, request: Request) -> Response:
        """List claims, oldest first."""
        asked = AskedSerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        told = asked.validated_data
        token = look_token()  # before the rows are read
        found = changed_since(told["after"]) if "after" in told else claims_in(told["state"])
        claims = list(found[: LIST_LIMIT + 1])
        body = {
            "token": str(token),
            "more": len(claims) > LIST_LIMIT,
            "claims": claims[:LIST_LIMIT],
        }
        return Response(ClaimListSerializer(body).data)


class ClaimView(APIView):
    """One claim."""

    permission_classes = [IsAuthenticated, MayReadClaims]

    @extend_schema(responses={200: ClaimSerializer, 404: ClaimRefusalSerializer})
    def get(self, request: Request, claim_id: int) -> Response:
        """Return a claim."""
        return told_claim(claim_id)


def told_claim(claim_id: int) -> Response:
    """Answer with a claim as it stands now."""
    claim = claims_with_steps().filter(pk=claim_id).first()
    if claim is None:
        raise ClaimUnknown
    return Response(ClaimSerializer(claim).data)


class ValidationSerializer(serializers.Serializer[Any]):
    """What the validator confirms; a plain fixed award needs nothing."""

    checks = serializers.ListField(child=serializers.CharField(), default=list)
    statement = serializers.CharField(default="", allow_blank=True)


class RefusedSerializer(serializers.Serializer[Any]):
    """By which paragraph a payout is refused, and why."""

    cite = serializers.CharField(allow_blank=True)
    reason = serializers.CharField(allow_blank=True)


class PaymentSerializer(serializers.Serializer[Any]):
    """What the payer confirms; ``source``, if told, must be the claim's own."""

    checks = serializers.ListField(child=serializers.CharField(), default=list)
    source = serializers.CharField(default=None, allow_null=True)


class ReturnSerializer(serializers.Serializer[Any]):
    """Why the refused award goes back on its meter."""

    reason = serializers.CharField(allow_blank=True)


REFUSALS = {
    403: ClaimRefusalSerializer,
    404: ClaimRefusalSerializer,
    409: ClaimRefusalSerializer,
    422: ClaimRefusalSerializer,
}


class LoggedIn(BasePermission):
    """A decision is a person's who has logged in: whoever holds or makes a token cannot sign."""

    message = "A token reads; a decision needs a person who has logged in."

    def has_permission(self, request: Request, view: Any) -> bool:
        return isinstance(request.successful_authenticator, SessionAuthentication)


class StepView(APIView):
    """A step on a claim: parse, call the service, answer with the claim as it stands then."""

    permission_classes = [IsAuthenticated, MayReadClaims, LoggedIn]
    serializer: type[serializers.Serializer[Any]]

    def take(self, claim_id: int, request: Request) -> Response:
        asked = self.serializer(data=request.data)
        asked.is_valid(raise_exception=True)
        self.service(claim_id=claim_id, officer=request.user, **asked.validated_data)
        return told_claim(claim_id)

    def service(self, **facts: Any) -> object:
        raise NotImplementedError


class ValidateView(StepView):
    """Validate a payout."""

    serializer = ValidationSerializer

    @extend_schema(request=ValidationSerializer, responses={200: ClaimSerializer, **REFUSALS})
    def post(self, request: Request, claim_id: int) -> Response:
        """Validate a payout, as a floorperson or above who did not deal the round."""
        return self.take(claim_id, request)

    def service(self, **facts: Any) -> object:
        return validate_claim(**facts)


class AnswerSerializer(serializers.Serializer[Any]):
    """Surveillance's answer: verified, or a problem and which."""

    answer = serializers.CharField(help_text="verified or problem")
    reason = serializers.CharField(default="", allow_blank=True)


class AnswerView(StepView):
    """Answer for surveillance."""

    serializer = AnswerSerializer

    @extend_schema(request=AnswerSerializer, responses={200: ClaimSerializer, **REFUSALS})
    def post(self, request: Request, claim_id: int) -> Response:
        """Answer for surveillance on a meter award or a large one; the last answer counts."""
        return self.take(claim_id, request)

    def service(self, **facts: Any) -> object:
        return answer_claim(**facts)


class ApprovalSerializer(serializers.Serializer[Any]):
    """What the second person confirms, and how he proves again who he is."""

    checks = serializers.ListField(child=serializers.CharField(), default=list)
    password = serializers.CharField(trim_whitespace=False, style={"input_type": "password"})
    code = serializers.CharField(default="", allow_blank=True, help_text="Of his code device.")


class ApproveView(StepView):
    """Approve a payout as the second person."""

    serializer = ApprovalSerializer

    @extend_schema(request=ApprovalSerializer, responses={200: ClaimSerializer, **REFUSALS})
    def post(self, request: Request, claim_id: int) -> Response:
        """Approve a validated payout as the second person; winners of a round in turn order."""
        return self.take(claim_id, request)

    def service(self, **facts: Any) -> object:
        return approve_claim(**facts)


class DocumentSerializer(serializers.Serializer[Any]):
    """Who is paid: asked for only where a tax form is needed."""

    payee = serializers.CharField(default="", allow_blank=True, max_length=120)


class DocumentView(StepView):
    """Issue the slip of an approved payout."""

    serializer = DocumentSerializer

    @extend_schema(request=DocumentSerializer, responses={200: ClaimSerializer, **REFUSALS})
    def post(self, request: Request, claim_id: int) -> Response:
        """Issue the slip of an approved payout, with its number and tax decision."""
        return self.take(claim_id, request)

    def service(self, **facts: Any) -> object:
        return document_claim(**facts)


class PrintSerializer(serializers.Serializer[Any]):
    """Why a slip is printed again; the first print needs no reason."""

    reason = serializers.CharField(default="", allow_blank=True)


class SlipView(APIView):
    """Print a slip."""

    permission_classes = [IsAuthenticated, MayReadClaims]

    @extend_schema(
        request=PrintSerializer,
        responses={(200, "application/pdf"): OpenApiTypes.BINARY, **REFUSALS},
    )
    def post(self, request: Request, claim_id: int) -> HttpResponse:
        """Return the slip as PDF. Each print is written down; a further copy needs a reason."""
        asked = PrintSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        printed = print_slip(claim_id=claim_id, officer=request.user, **asked.validated_data)  # type: ignore[arg-type]
        headers = {"Cache-Control": "no-store"}
        return HttpResponse(printed.pdf, content_type="application/pdf", headers=headers)


class RefuseView(StepView):
    """Refuse a payout."""

    serializer = RefusedSerializer

    @extend_schema(request=RefusedSerializer, responses={200: ClaimSerializer, **REFUSALS})
    def post(self, request: Request, claim_id: int) -> Response:
        """Refuse a payout by a paragraph and with a reason."""
        return self.take(claim_id, request)

    def service(self, **facts: Any) -> object:
        return refuse_claim(**facts)


class PayView(StepView):
    """Mark a payout paid."""

    serializer = PaymentSerializer

    @extend_schema(request=PaymentSerializer, responses={200: ClaimSerializer, **REFUSALS})
    def post(self, request: Request, claim_id: int) -> Response:
        """Mark a validated payout paid; a meter award by another person than its validator."""
        return self.take(claim_id, request)

    def service(self, **facts: Any) -> object:
        return pay_claim(**facts)


class ReturnView(StepView):
    """Put a refused award back."""

    serializer = ReturnSerializer

    @extend_schema(request=ReturnSerializer, responses={200: ClaimSerializer, **REFUSALS})
    def post(self, request: Request, claim_id: int) -> Response:
        """Put a refused meter award back on its meter, once, when accounting agrees."""
        return self.take(claim_id, request)

    def service(self, **facts: Any) -> object:
        return return_refused_award(**facts)
