"""Routes of the ledger's API."""

from django.urls import path

from progressives import api

urlpatterns = [
    path("claims/", api.ClaimsView.as_view(), name="claims"),
    path("claims/<int:claim_id>/", api.ClaimView.as_view(), name="claim"),
    path("claims/<int:claim_id>/validate/", api.ValidateView.as_view(), name="claim-validate"),
    path("claims/<int:claim_id>/refuse/", api.RefuseView.as_view(), name="claim-refuse"),
    path("claims/<int:claim_id>/pay/", api.PayView.as_view(), name="claim-pay"),
    path("claims/<int:claim_id>/return/", api.ReturnView.as_view(), name="claim-return"),
    path("meters/", api.MetersView.as_view(), name="meters"),
]
