"""Changes of progressives for the house's own systems: to read them, and each person's step."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from progressives.api import REFUSALS, LoggedIn
from progressives.control_errors import ControlUnknown
from progressives.models import ControlRequest, ControlStep
from progressives.selectors import controls_with_steps, state_of_control
from progressives.services.close_day import meters_by_name
from progressives.services.control import (
    acknowledge_control,
    approve_control,
    meter_name,
    refuse_control,
    request_correction,
    request_parameters,
    request_retirement,
    request_transfer,
    withdraw_control,
)
from progressives.services.control_effect import effect_control

LIST_LIMIT = 200
Kind = ControlRequest.Kind


class MayReadControls(BasePermission):
    """Members of staff whose role may read requests; a table controller's key may not."""

    message = "Your role may not read changes of progressives."

    def has_permission(self, request: Request, view: Any) -> bool:
        return bool(request.user.has_perm("progressives.view_controlrequest"))


class ControlStepSerializer(serializers.ModelSerializer[ControlStep]):
    """A step of a request: who did what, when and why."""

    by: Any = serializers.StringRelatedField(allow_null=True, read_only=True)

    class Meta:
        model = ControlStep
        fields = ["kind", "by", "at", "reason"]


class ControlSerializer(serializers.ModelSerializer[ControlRequest]):
    """A request with its steps."""

    meter = serializers.SerializerMethodField()
    other = serializers.SerializerMethodField()
    state = serializers.SerializerMethodField()
    requested_by: Any = serializers.StringRelatedField(read_only=True)
    steps = ControlStepSerializer(many=True, read_only=True)

    class Meta:
        model = ControlRequest
        fields = [
            *("id", "kind", "state", "meter", "other", "amount", "before", "after", "reason"),
            *("effective_at", "told_on", "removed_on", "requested_by", "requested_at", "steps"),
        ]

    def get_meter(self, request: ControlRequest) -> str:
        return meter_name(request.meter)

    def get_other(self, request: ControlRequest) -> str | None:
        return None if request.other is None else meter_name(request.other)

    def get_state(self, request: ControlRequest) -> str:
        return state_of_control(request)


class AskSerializer(serializers.Serializer[Any]):
    """What is asked for; which of it belongs to which kind is said at the forms."""

    kind = serializers.ChoiceField(choices=Kind.choices)
    meter = serializers.CharField(help_text="A meter by its name: P-1:grand, P-1:grand/reserve.")
    other = serializers.CharField(
        default="", allow_blank=True, help_text="Transfer: which meter receives."
    )
    amount = serializers.CharField(
        default="", allow_blank=True, help_text="Dollars; transfer: empty for all it holds."
    )
    changes = serializers.DictField(default=dict, help_text="Parameters by name, as texts.")
    reason = serializers.CharField(allow_blank=True)
    effective_at = serializers.DateTimeField(default=None, allow_null=True)
    told_on = serializers.DateField(default=None, allow_null=True)
    removed_on = serializers.DateField(default=None, allow_null=True)


class RemarkSerializer(serializers.Serializer[Any]):
    """A remark; to refuse it is the reason."""

    reason = serializers.CharField(default="", allow_blank=True)


def told_control(request_id: int) -> Response:
    """Answer with a request as it stands now."""
    found = controls_with_steps().filter(pk=request_id).first()
    if found is None:
        raise ControlUnknown
    return Response(ControlSerializer(found).data)


class ControlsView(APIView):
    """Requests."""

    permission_classes = [IsAuthenticated, MayReadControls]

    def get_permissions(self) -> list[Any]:
        """Let a token read; who asks is a person who has logged in."""
        found = list(super().get_permissions())
        return found if self.request.method == "GET" else [*found, LoggedIn()]

    @extend_schema(operation_id="controls", responses={200: ControlSerializer(many=True)})
    def get(self, request: Request) -> Response:
        """List the newest requests first, at most 200."""
        return Response(ControlSerializer(controls_with_steps()[:LIST_LIMIT], many=True).data)

    @extend_schema(
        operation_id="control_ask",
        request=AskSerializer,
        responses={200: ControlSerializer, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        """Ask for a change of parameters, a transfer, a correction or a retirement."""
        asked = AskSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        return told_control(ask(asked.validated_data, request.user).pk)


def ask(told: dict[str, Any], by: Any) -> ControlRequest:
    """Hand what was asked for to the service of its kind."""
    kind, meters = told["kind"], meters_by_name()
    ids = {name: meter.pk for name, meter in meters.items()}
    common = {
        "meter_id": ids.get(told["meter"], 0),
        "by": by,
        "reason": told["reason"],
        "effective_at": told["effective_at"],
    }
    notice = {"told_on": told["told_on"], "removed_on": told["removed_on"]}
    if kind == Kind.PARAMETERS:
        return request_parameters(changes=told["changes"], **common, **notice)
    if kind == Kind.TRANSFER:
        amount = told["amount"] or None
        other_id = ids.get(told["other"], 0)
        return request_transfer(other_id=other_id, amount=amount, **common, **notice)
    if kind == Kind.CORRECTION:
        return request_correction(amount=told["amount"], **common)
    return request_retirement(**common, **notice)


class ControlView(APIView):
    """One request."""

    permission_classes = [IsAuthenticated, MayReadControls]

    @extend_schema(operation_id="control", responses={200: ControlSerializer, **REFUSALS})
    def get(self, request: Request, request_id: int) -> Response:
        """Return a request with its steps."""
        return told_control(request_id)


class ControlStepView(APIView):
    """A step on a request."""

    permission_classes = [IsAuthenticated, MayReadControls, LoggedIn]
    STEPS = {
        "approve": (approve_control, "remark"),
        "refuse": (refuse_control, "reason"),
        "withdraw": (withdraw_control, "reason"),
        "acknowledge": (acknowledge_control, "remark"),
        "effect": (effect_control, None),
    }

    @extend_schema(
        operation_id="control_step",
        request=RemarkSerializer,
        responses={200: ControlSerializer, **REFUSALS},
    )
    def post(self, request: Request, request_id: int, step: str) -> Response:
        """Approve, refuse, withdraw, put into effect or acknowledge a request."""
        asked = RemarkSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        if step not in self.STEPS:
            raise ControlUnknown("There is no such step.")
        service, word = self.STEPS[step]
        said = {word: asked.validated_data["reason"]} if word else {}
        service(request_id=request_id, by=request.user, **said)  # type: ignore[operator]
        return told_control(request_id)
