"""Routes of the log's API."""

from django.urls import path

from audit import api

urlpatterns = [
    path("log/keys/", api.KeysView.as_view(), name="log-keys"),
    path("log/checkpoints/latest/", api.LatestCheckpointView.as_view(), name="log-latest"),
    path("log/checkpoints/<int:number>/", api.CheckpointView.as_view(), name="log-checkpoint"),
    path("log/checkpoints/<int:number>/cosign/", api.CosignView.as_view(), name="log-cosign"),
    path("log/proofs/event/", api.InclusionView.as_view(), name="log-prove-event"),
    path("log/proofs/growth/", api.GrowthView.as_view(), name="log-prove-growth"),
]
