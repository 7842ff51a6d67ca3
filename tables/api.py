"""The doors of the floor: events in, rounds and their reconstruction out."""

from typing import Any
from uuid import UUID

from django.db import transaction
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import NotFound
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tables import rules
from tables.auth import Machine, ReportsForTables
from tables.doorbell import doorbell
from tables.models import GamingTable
from tables.parsers import RawJSONParser
from tables.services import progress
from tables.services.accept import Answer, accept_events
from tables.services.reconstruct import NotInTheLog, find_round, reconstruct

LIST_LIMIT = 1000  # events in one list


class AnswerSerializer(serializers.Serializer[Any]):
    """What became of one event at the door."""

    event_id = serializers.CharField(allow_null=True)
    table = serializers.CharField(allow_null=True)
    sequence = serializers.IntegerField(allow_null=True)
    status = serializers.ChoiceField(["accepted", "refused", "conflict"])
    code = serializers.CharField(required=False)
    path = serializers.CharField(required=False)
    detail = serializers.CharField(required=False)


class ListAnswerSerializer(serializers.Serializer[Any]):
    """A result for each event of a list, in its order."""

    results = AnswerSerializer(many=True)
    repeated = serializers.IntegerField()


class RefusalSerializer(serializers.Serializer[Any]):
    """A refusal: a code, the place, and a sentence for the person at the table."""

    code = serializers.CharField()
    path = serializers.CharField()
    detail = serializers.CharField()


def ring(answers: list[Answer]) -> None:
    """Ring the doorbell of each lane that got something new, after the commit.

    It never holds or fails the request: the sweeper finds what no bell announced.
    """
    lanes = {a.lane_id for a in answers if a.lane_id and a.status == "accepted"}
    if lanes:
        transaction.on_commit(lambda: doorbell.press(lanes), robust=True)


class TableEventsView(APIView):
    """One event of one table."""

    permission_classes = [ReportsForTables]
    parser_classes = [RawJSONParser]

    @extend_schema(
        operation_id="report_event",
        summary="Report one event of a table",
        request=OpenApiTypes.OBJECT,
        responses={
            202: AnswerSerializer,
            400: OpenApiResponse(RefusalSerializer, description="The body is no JSON object"),
            409: OpenApiResponse(AnswerSerializer, description="Same id or sequence, other event"),
            413: OpenApiResponse(RefusalSerializer, description="Too large"),
            415: OpenApiResponse(RefusalSerializer, description="Not JSON"),
            422: OpenApiResponse(
                AnswerSerializer, description="Refused: correct it, send it again"
            ),
        },
    )
    def post(self, request: Request, code: str) -> Response:
        received = read(body_of(request))
        [answer] = accept_events([received], key=request.user.key, only_table=code)
        ring([answer])
        return Response(answer.told(), status=status_of(answer))


class EventsView(APIView):
    """A list of events across tables, in order: for gateways and replays."""

    permission_classes = [ReportsForTables]
    parser_classes = [RawJSONParser]

    @extend_schema(
        operation_id="report_events",
        summary="Report events of several tables, in order",
        request={"application/json": {"type": "array", "items": {"type": "object"}}},
        responses={
            202: ListAnswerSerializer,
            400: OpenApiResponse(RefusalSerializer, description="The body is no JSON list"),
            413: OpenApiResponse(RefusalSerializer, description="Too large"),
            415: OpenApiResponse(RefusalSerializer, description="Not JSON"),
            422: OpenApiResponse(RefusalSerializer, description="The body is no list of events"),
        },
    )
    def post(self, request: Request) -> Response:
        try:
            received = rules.read_json_list(body_of(request), LIST_LIMIT)
        except rules.Refusal as refusal:
            return refused(refusal, status.HTTP_422_UNPROCESSABLE_ENTITY)
        answers = accept_events(received, key=request.user.key)
        ring(answers)
        told = {
            "results": [answer.told() for answer in answers],
            "repeated": sum(answer.repeated for answer in answers),
        }
        return Response(told, status=status.HTTP_202_ACCEPTED)


def body_of(request: Request) -> bytes:
    """Return the body as it came; the framework makes something else of an empty one."""
    return request.data if isinstance(request.data, bytes) else b""


def read(raw: bytes) -> Any:
    """Read one document strictly; a refusal is returned, to be answered as such."""
    try:
        return rules.read_json(raw)
    except rules.Refusal as refusal:
        refusal.raw = raw  # the log keeps what was sent, also where it is no document
        return refusal


def status_of(answer: Answer) -> int:
    """Return the HTTP status of a single event's answer."""
    if answer.status == "accepted":
        return status.HTTP_202_ACCEPTED
    if answer.status == "conflict":
        return status.HTTP_409_CONFLICT
    if answer.code == "table_not_bound":
        return status.HTTP_403_FORBIDDEN
    return status.HTTP_422_UNPROCESSABLE_ENTITY


def refused(refusal: rules.Refusal, code: int) -> Response:
    """Answer with a refusal's code, place and sentence."""
    told = {"code": refusal.code, "path": refusal.path, "detail": refusal.detail}
    return Response(told, status=code)


class MayReadRounds(BasePermission):
    """Staff who may view rounds; a machine's key reads nothing."""

    message = "Your role does not read rounds."

    def has_permission(self, request: Request, view: Any) -> bool:
        return bool(request.user.has_perm("tables.view_round"))


class ReconstructionView(APIView):
    """A round, step by step, from the log alone."""

    permission_classes = [IsAuthenticated, MayReadRounds]

    @extend_schema(
        operation_id="reconstruct_round",
        summary="Reconstruct a round from the log",
        responses={200: OpenApiTypes.OBJECT, 404: RefusalSerializer},
        parameters=[OpenApiParameter("round_id", UUID, OpenApiParameter.PATH)],
    )
    def get(self, request: Request, round_id: UUID) -> Response:
        try:
            return Response(reconstruct(*find_round(round_id)))
        except NotInTheLog as missing:
            raise NotFound(str(missing)) from missing


class ProgressView(APIView):
    """How far the intake has been applied, for the tables of the caller's key."""

    permission_classes = [IsAuthenticated]

    @extend_schema(
        operation_id="progress",
        summary="How many events wait, and why",
        responses={200: OpenApiTypes.OBJECT},
    )
    def get(self, request: Request) -> Response:
        tables = GamingTable.objects.all()
        if isinstance(request.user, Machine):
            tables = request.user.key.tables.all()
        elif not request.user.has_perm("tables.view_gamingtable"):
            tables = tables.none()
        return Response(progress.of_tables(list(tables))._asdict())
