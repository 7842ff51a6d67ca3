"""The page on which a member of staff sets up his code device."""

from typing import Any

import segno
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.safestring import SafeString
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from audit.models import CodeDevice, User
from audit.second_factor import NotProved, address_of, begin_device, confirm_device, has_device


@never_cache
@sensitive_post_parameters("password", "code")
def second_factor_page(request: HttpRequest) -> HttpResponse:
    """Show the square that the telephone reads, until the first right code confirms it."""
    user = User.objects.get(pk=request.user.pk or 0)
    refusal: NotProved | None = None
    if request.method == "POST":
        told = {name: request.POST.get(name, "") for name in ("password", "code")}
        try:
            confirm_device(user, **told)
        except NotProved as refused:
            refusal = refused
        else:
            messages.success(request, "Your code device is set up.")
            return redirect("admin:second_factor")
    device = None if has_device(user) else begin_device(user)
    context: dict[str, Any] = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": "Code device",
        "refusal": refusal,
        "square": square_of(device) if device else None,
        "secret": spaced(device) if device else "",
    }
    status = 200 if refusal is None else 409
    return TemplateResponse(request, "audit/second_factor.html", context, status=status)


def square_of(device: CodeDevice) -> SafeString:
    """Draw the device's address as a QR code, without a style of its own."""
    drawn = segno.make(address_of(device), micro=False, error="m").svg_inline(
        scale=5, svgclass="qr", lineclass=None, omitsize=False, dark="#000", light="#fff"
    )
    return SafeString(drawn)  # segno's own markup


def spaced(device: CodeDevice) -> str:
    """Write the secret in groups of four, for a telephone without a camera."""
    secret = address_of(device).partition("secret=")[2].partition("&")[0]
    return " ".join(secret[place : place + 4] for place in range(0, len(secret), 4))
