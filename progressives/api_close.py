"""The daily close for accounting's own systems: the figures, the readings, the signatures."""

from datetime import date
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit.moments import in_range
from progressives.api import REFUSALS, LoggedIn
from progressives.close_errors import CloseUnknown
from progressives.services.close_counts import Counted, enter_counts
from progressives.services.close_day import end_day
from progressives.services.close_figures import close_told, figures_of
from progressives.services.close_readings import enter_readings
from progressives.services.close_sign import prepare_close, review_close, send_close_back


class MayReadCloses(BasePermission):
    """Members of staff whose role may read closes; a table controller's key may not."""

    message = "Your role may not read closes."

    def has_permission(self, request: Request, view: Any) -> bool:
        return bool(request.user.has_perm("progressives.view_gamingdayclose"))


class CloseSerializer(serializers.Serializer[Any]):
    """A gaming day's close as it stands."""

    gaming_day = serializers.DateField()
    state = serializers.CharField(help_text="running, draft, prepared or closed")
    prepared_by = serializers.CharField(allow_null=True)
    reviewed_by = serializers.CharField(allow_null=True)
    digest = serializers.CharField(help_text="SHA-256 of the signed figures; empty: not signed.")
    lines = serializers.ListField(child=serializers.DictField(), help_text="One a meter.")
    chips = serializers.ListField(
        child=serializers.DictField(), help_text="One a table and dealer, or a whole table."
    )
    blockers = serializers.ListField(child=serializers.CharField())


class ReadingsSerializer(serializers.Serializer[Any]):
    """What was read of each meter, by its name."""

    values = serializers.DictField(child=serializers.CharField())
    source = serializers.CharField(default="", allow_blank=True, max_length=120)


class CountSerializer(serializers.Serializer[Any]):
    """What was counted of a table's progressive chips: of one dealer, or of the whole table."""

    table = serializers.CharField(max_length=16)
    dealer = serializers.CharField(default="", allow_blank=True, max_length=16)
    amount = serializers.CharField(max_length=32)


class CountsSerializer(serializers.Serializer[Any]):
    """What was counted of each table."""

    counts = CountSerializer(many=True)
    source = serializers.CharField(default="", allow_blank=True, max_length=120)


class NoteSerializer(serializers.Serializer[Any]):
    """A remark; to send a close back it is the reason."""

    note = serializers.CharField(default="", allow_blank=True)


def read_day(day: str) -> date:
    """Return the gaming day of an address."""
    try:
        found = date.fromisoformat(day)
    except ValueError:
        raise CloseUnknown from None
    if not in_range(found):
        raise CloseUnknown
    return found


def told_close(day: date) -> Response:
    """Answer with a gaming day as it stands now."""
    body = close_told(figures_of(day))
    return Response(CloseSerializer(body).data)


class CloseView(APIView):
    """One gaming day's close."""

    permission_classes = [IsAuthenticated, MayReadCloses]

    @extend_schema(operation_id="close", responses={200: CloseSerializer, **REFUSALS})
    def get(self, request: Request, day: str) -> Response:
        """Return the lines of a gaming day and what blocks its signature."""
        return told_close(read_day(day))


class EndDayView(APIView):
    """The fence of a gaming day."""

    permission_classes = [IsAuthenticated, MayReadCloses, LoggedIn]

    @extend_schema(request=None, responses={200: CloseSerializer, **REFUSALS})
    def post(self, request: Request, day: str) -> Response:
        """End a gaming day: what is reported from now on joins the next one."""
        end_day(day=read_day(day), by=request.user)  # type: ignore[arg-type]
        return told_close(read_day(day))


class ReadingsView(APIView):
    """Readings of a gaming day."""

    permission_classes = [IsAuthenticated, MayReadCloses, LoggedIn]

    @extend_schema(request=ReadingsSerializer, responses={200: CloseSerializer, **REFUSALS})
    def post(self, request: Request, day: str) -> Response:
        """Enter what a person read of each meter at the day's end."""
        asked = ReadingsSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        given = asked.validated_data
        enter_readings(day=read_day(day), by=request.user, **given)  # type: ignore[arg-type]
        return told_close(read_day(day))


class CountsView(APIView):
    """Counts of a gaming day's progressive chips."""

    permission_classes = [IsAuthenticated, MayReadCloses, LoggedIn]

    @extend_schema(request=CountsSerializer, responses={200: CloseSerializer, **REFUSALS})
    def post(self, request: Request, day: str) -> Response:
        """Enter what a person counted of each table's progressive chips."""
        asked = CountsSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        given = asked.validated_data
        counts = [Counted(**told) for told in given["counts"]]
        enter_counts(
            day=read_day(day),
            by=request.user,  # type: ignore[arg-type]
            counts=counts,
            source=given["source"],
        )
        return told_close(read_day(day))


class SignView(APIView):
    """A signature, or a refusal of one."""

    permission_classes = [IsAuthenticated, MayReadCloses, LoggedIn]

    def take(self, request: Request, day: str, service: Any, word: str = "note") -> Response:
        asked = NoteSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        note = asked.validated_data["note"]
        service(day=read_day(day), by=request.user, **{word: note})
        return told_close(read_day(day))


class PrepareView(SignView):
    """The preparer's signature."""

    @extend_schema(request=NoteSerializer, responses={200: CloseSerializer, **REFUSALS})
    def post(self, request: Request, day: str) -> Response:
        """Sign the close as its preparer."""
        return self.take(request, day, prepare_close)


class ReviewView(SignView):
    """The reviewer's signature."""

    @extend_schema(request=NoteSerializer, responses={200: CloseSerializer, **REFUSALS})
    def post(self, request: Request, day: str) -> Response:
        """Sign the close as its reviewer, who is not its preparer."""
        return self.take(request, day, review_close)


class SendBackView(SignView):
    """The reviewer's refusal."""

    @extend_schema(request=NoteSerializer, responses={200: CloseSerializer, **REFUSALS})
    def post(self, request: Request, day: str) -> Response:
        """Send a signed close back to its preparer, with a reason."""
        return self.take(request, day, send_close_back, "reason")
