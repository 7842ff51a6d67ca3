"""Headers and pages of the house itself, as a browser under the strict policy sees them."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from config.middleware import CONTENT_SECURITY_POLICY
from tests.databases import RunningHouse


def test_every_answer_carries_the_policy() -> None:
    for path in ("/health/", "/api/schema/", "/nowhere/"):
        headers = Client().get(path).headers

        assert headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Referrer-Policy"] == "same-origin"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"


def test_the_policy_allows_nothing_inline() -> None:
    assert CONTENT_SECURITY_POLICY.startswith("default-src 'self';")
    assert "unsafe" not in CONTENT_SECURITY_POLICY


def test_the_schema_is_served_without_a_log_in() -> None:
    answer = Client().get(reverse("schema"))

    assert answer.status_code == 200
    assert b"openapi:" in answer.content


@pytest.mark.browser
def test_api_pages_and_log_in_work_under_the_policy(page: Any, house: RunningHouse) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    page.goto(f"{house.web_url}/api/docs/")
    page.wait_for_selector(".swagger-ui .opblock", timeout=20_000)
    page.goto(f"{house.web_url}/admin/")
    page.wait_for_selector("input[name=username]")

    outside = [url for url in asked if not url.startswith((f"{house.web_url}/", "data:", "blob:"))]
    assert outside == []
