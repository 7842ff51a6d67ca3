"""The log's doors for outsiders: its public keys, its checkpoints, and proofs."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import AllowAny, BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit import proofs, witnesses
from audit.models import Checkpoint, SignerKey

LARGEST = 2**63 - 1
UNKNOWN = {"unknown_checkpoint", "unknown_event"}


class RefusedSerializer(serializers.Serializer[Any]):
    """Why there is no answer: a code, the place, a sentence."""

    code = serializers.CharField()
    path = serializers.CharField()
    detail = serializers.CharField()


class KeySerializer(serializers.ModelSerializer[SignerKey]):
    """A public key of the log, and the note in which the key before it names it."""

    class Meta:
        model = SignerKey
        fields = ["number", "key", "endorsement", "made_at"]


class CheckpointSerializer(serializers.ModelSerializer[Checkpoint]):
    """A checkpoint: the signed note with its witnesses' lines, and where each chain stood."""

    note = serializers.SerializerMethodField()

    class Meta:
        model = Checkpoint
        fields = ["number", "size", "heads", "note", "made_at"]

    def get_note(self, row: Checkpoint) -> str:
        return witnesses.cosigned_note(row)


class InclusionSerializer(serializers.Serializer[Any]):
    """A proof that an event is a leaf of a signed tree (RFC 6962, section 2.1.1)."""

    kind = serializers.CharField()
    chain = serializers.CharField()
    sequence = serializers.IntegerField()
    link = serializers.CharField()
    index = serializers.IntegerField()
    size = serializers.IntegerField()
    path = serializers.ListField(child=serializers.CharField())
    checkpoint = serializers.IntegerField()
    note = serializers.CharField()


class GrowthSerializer(serializers.Serializer[Any]):
    """A proof that a signed tree begins with another (RFC 6962, section 2.1.2)."""

    kind = serializers.CharField()
    old = serializers.IntegerField()
    new = serializers.IntegerField()
    old_size = serializers.IntegerField()
    size = serializers.IntegerField()
    path = serializers.ListField(child=serializers.CharField())
    old_note = serializers.CharField()
    note = serializers.CharField()


class CosignatureSerializer(serializers.Serializer[Any]):
    """A witness's signature line (C2SP tlog-cosignature)."""

    line = serializers.CharField(max_length=400)


class ReadsTheLog(BasePermission):
    """Who may read the log may have its events proven."""

    def has_permission(self, request: Request, view: Any) -> bool:
        return bool(request.user.has_perm("audit.view_auditevent"))


def refused(code: str, path: str, detail: str) -> Response:
    """Return a refusal."""
    found = status.HTTP_404_NOT_FOUND if code in UNKNOWN else status.HTTP_409_CONFLICT
    return Response({"code": code, "path": path, "detail": detail}, found)


class KeysView(APIView):
    """The log's public keys: the first is the one to keep, each names the one that follows."""

    authentication_classes: list[Any] = []
    permission_classes = [AllowAny]

    @extend_schema(operation_id="log_keys", responses=KeySerializer(many=True))
    def get(self, request: Request) -> Response:
        return Response(KeySerializer(SignerKey.objects.all(), many=True).data)


FORM = [OpenApiParameter("form", str, enum=["json", "note"])]
CHECKPOINT: Any = {
    200: CheckpointSerializer,
    (200, "text/plain"): OpenApiTypes.STR,
    404: OpenApiResponse(RefusedSerializer),
}


class CheckpointView(APIView):
    """A signed checkpoint; the last one is ``latest``. As text: ``?form=note``."""

    authentication_classes: list[Any] = []
    permission_classes = [AllowAny]

    @extend_schema(operation_id="log_checkpoint", parameters=FORM, responses=CHECKPOINT)
    def get(self, request: Request, number: int | None = None) -> Any:
        try:
            row = proofs.checkpoint_of(number)
        except proofs.Unproven as unknown:
            return refused(unknown.code, "number", str(unknown))
        if request.query_params.get("form") == "note":
            text = witnesses.cosigned_note(row)
            return HttpResponse(text, content_type="text/plain; charset=utf-8")
        return Response(CheckpointSerializer(row).data)


class LatestCheckpointView(CheckpointView):
    """The signed checkpoint that came last."""

    @extend_schema(operation_id="log_latest_checkpoint", parameters=FORM, responses=CHECKPOINT)
    def get(self, request: Request, number: int | None = None) -> Any:
        """Return the last checkpoint."""
        return super().get(request)


class CosignView(APIView):
    """A witness hands in his signature over a checkpoint."""

    authentication_classes: list[Any] = []
    permission_classes = [AllowAny]

    @extend_schema(
        operation_id="log_cosign",
        request=CosignatureSerializer,
        responses={
            200: CheckpointSerializer,
            400: OpenApiResponse(RefusedSerializer, description="The body is no JSON object"),
            404: OpenApiResponse(RefusedSerializer),
            409: OpenApiResponse(RefusedSerializer, description="Unknown witness, or no signature"),
            415: OpenApiResponse(RefusedSerializer, description="Not JSON"),
        },
    )
    def post(self, request: Request, number: int) -> Response:
        asked = CosignatureSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        try:
            found = witnesses.take_cosignature(number, asked.validated_data["line"])
        except witnesses.WitnessRefused as error:
            return refused(error.code, "line", str(error))
        return Response(CheckpointSerializer(found.checkpoint).data)


class AskedEvent(serializers.Serializer[Any]):
    """Which event is to be proven."""

    chain = serializers.CharField(max_length=64)
    sequence = serializers.IntegerField(min_value=1, max_value=LARGEST)
    checkpoint = serializers.IntegerField(min_value=1, max_value=LARGEST, required=False)


class AskedGrowth(serializers.Serializer[Any]):
    """Which checkpoints are to be proven to belong to one log."""

    old = serializers.IntegerField(min_value=1, max_value=LARGEST)
    new = serializers.IntegerField(min_value=1, max_value=LARGEST, required=False)


PROOF_ANSWERS = {
    400: OpenApiResponse(RefusedSerializer, description="A number is missing or none"),
    404: OpenApiResponse(RefusedSerializer),
    409: OpenApiResponse(RefusedSerializer, description="Not signed yet, or the log is broken"),
}


class InclusionView(APIView):
    """A proof that an event is in the signed log."""

    permission_classes = [ReadsTheLog]

    @extend_schema(
        operation_id="prove_event",
        parameters=[AskedEvent],
        responses={200: InclusionSerializer, **PROOF_ANSWERS},
    )
    def get(self, request: Request) -> Response:
        asked = AskedEvent(data=request.query_params)
        asked.is_valid(raise_exception=True)
        told = asked.validated_data
        try:
            proof = proofs.prove_event(told["chain"], told["sequence"], told.get("checkpoint"))
        except proofs.Unproven as error:
            return refused(error.code, "sequence", str(error))
        return Response(proofs.as_json(proof))


class GrowthView(APIView):
    """A proof that a checkpoint's log begins with an earlier one's."""

    authentication_classes: list[Any] = []
    permission_classes = [AllowAny]

    @extend_schema(
        operation_id="prove_growth",
        parameters=[AskedGrowth],
        responses={200: GrowthSerializer, **PROOF_ANSWERS},
    )
    def get(self, request: Request) -> Response:
        asked = AskedGrowth(data=request.query_params)
        asked.is_valid(raise_exception=True)
        try:
            proof = proofs.prove_growth(
                asked.validated_data["old"], asked.validated_data.get("new")
            )
        except proofs.Unproven as error:
            return refused(error.code, "old", str(error))
        return Response(proofs.as_json(proof))
