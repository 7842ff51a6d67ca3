"""Routes of the floor's API."""

from django.urls import path

from tables import api, api_approvals, api_find, api_fresh, api_risk

urlpatterns = [
    path("tables/<str:code>/events/", api.TableEventsView.as_view(), name="table-events"),
    path("tables/<str:code>/meters/", api_fresh.TableMetersView.as_view(), name="table-meters"),
    path("events/", api.EventsView.as_view(), name="events"),
    path("progressives/<str:code>/risk/", api_risk.RiskView.as_view(), name="progressive-risk"),
    path("claims/approvals/", api_approvals.ApprovalsView.as_view(), name="claim-approvals"),
    path("rounds/", api_find.SearchView.as_view(), name="rounds"),
    path("progressives/<str:code>/hits/", api_risk.HitsView.as_view(), name="progressive-hits"),
    path("progress/", api.ProgressView.as_view(), name="progress"),
    path(
        "rounds/<uuid:round_id>/reconstruction/",
        api.ReconstructionView.as_view(),
        name="round-reconstruction",
    ),
]
