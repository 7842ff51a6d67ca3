"""A web server over the test's own database, and people who are logged in to it."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY

from audit.models import User
from tests.databases import RunningHouse

QUEUE = "/admin/progressives/jackpotclaim/queue/"


@pytest.fixture
def web(open_house: Callable[..., RunningHouse]) -> str:
    """Return the address of a web server alone: no worker and no beat are needed here."""
    return open_house(web=True, workers=0, beat=False).web_url.rstrip("/")


@pytest.fixture
def log_in(web: str) -> Callable[[Any, User], None]:
    """Give a page's context the session of a member of staff, as the log-in would."""

    def give(page: Any, user: User) -> None:
        session = import_module(settings.SESSION_ENGINE).SessionStore()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.create()
        cookie = {"name": settings.SESSION_COOKIE_NAME, "value": session.session_key, "url": web}
        page.context.add_cookies([cookie])

    return give
