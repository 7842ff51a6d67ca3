"""Routes of the ledger's API."""

from django.urls import path

from progressives import api, api_close, api_control, api_meters
from progressives import api_branches as branches

urlpatterns = [
    path("claims/", api.ClaimsView.as_view(), name="claims"),
    path("claims/<int:claim_id>/", api.ClaimView.as_view(), name="claim"),
    path("claims/<int:claim_id>/validate/", api.ValidateView.as_view(), name="claim-validate"),
    path("claims/<int:claim_id>/answer/", api.AnswerView.as_view(), name="claim-answer"),
    path("claims/<int:claim_id>/approve/", api.ApproveView.as_view(), name="claim-approve"),
    path("claims/<int:claim_id>/document/", api.DocumentView.as_view(), name="claim-document"),
    path("claims/<int:claim_id>/slip/", api.SlipView.as_view(), name="claim-slip"),
    path("claims/<int:claim_id>/refuse/", api.RefuseView.as_view(), name="claim-refuse"),
    path("claims/<int:claim_id>/pay/", api.PayView.as_view(), name="claim-pay"),
    path("claims/<int:claim_id>/return/", api.ReturnView.as_view(), name="claim-return"),
    path("claims/<int:claim_id>/dispute/", branches.DisputeView.as_view(), name="claim-dispute"),
    path("claims/<int:claim_id>/propose/", branches.ProposeView.as_view(), name="claim-propose"),
    path("claims/<int:claim_id>/resolve/", branches.ResolveView.as_view(), name="claim-resolve"),
    path("claims/<int:claim_id>/ask-void/", branches.AskVoidView.as_view(), name="claim-ask-void"),
    path("claims/<int:claim_id>/void/", branches.VoidView.as_view(), name="claim-void"),
    path("envies/", branches.EnviesView.as_view(), name="envies"),
    path("envies/<int:envy_id>/tick/", branches.EnvyView.as_view(), name="envy-tick"),
    path("closes/<str:day>/", api_close.CloseView.as_view(), name="close"),
    path("closes/<str:day>/end/", api_close.EndDayView.as_view(), name="close-end"),
    path("closes/<str:day>/readings/", api_close.ReadingsView.as_view(), name="close-readings"),
    path("closes/<str:day>/counts/", api_close.CountsView.as_view(), name="close-counts"),
    path("closes/<str:day>/prepare/", api_close.PrepareView.as_view(), name="close-prepare"),
    path("closes/<str:day>/review/", api_close.ReviewView.as_view(), name="close-review"),
    path("closes/<str:day>/send-back/", api_close.SendBackView.as_view(), name="close-send-back"),
    path("controls/", api_control.ControlsView.as_view(), name="controls"),
    path("controls/<int:request_id>/", api_control.ControlView.as_view(), name="control"),
    path(
        "controls/<int:request_id>/<str:step>/",
        api_control.ControlStepView.as_view(),
        name="control-step",
    ),
    path("meters/", api_meters.MetersView.as_view(), name="meters"),
    path("meters/tables/", api_meters.TablePayoutsView.as_view(), name="table-payouts"),
    path("meters/<str:progressive>/<str:level>/", api_meters.LevelView.as_view(), name="level"),
]
