"""The only place where the apps' routes meet."""

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView


def health(request: HttpRequest) -> HttpResponse:
    """Answer that this process serves; the supervisor waits for it."""
    return HttpResponse("ok\n", content_type="text/plain")


urlpatterns = [
    path("health/", health, name="health"),
    path("api/schema/", SpectacularAPIView.as_view(), name="schema"),
    path("api/docs/", SpectacularSwaggerSplitView.as_view(url_name="schema"), name="docs"),
    path("api/v1/", include("audit.urls")),
    path("api/v1/", include("progressives.urls")),
    path("api/v1/", include("tables.urls")),
    path("admin/", admin.site.urls),
]
