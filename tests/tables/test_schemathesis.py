"""The running API under made-up requests: whoever calls with whatever, it never breaks.

The requests are made from the API's own description, as it promises them and against it. Path
parameters now and then name what is there, or every request would end at a 404.
"""

import contextlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import pytest
import schemathesis
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from audit.models import User
from tables.models import AccessKey, GamingTable
from tables.services.accept import accept_events
from tables.services.apply import apply_lane
from tables.services.batch import round_uuid
from tables.services.keys import make_key
from tables.services.setup import load_setup
from tests.databases import RunningHouse
from tests.documents import ROYAL, SETUP, STRAIGHT, Sender, seat
from tests.make import make_user

EXAMPLES = 12  # of each operation, for each caller, right and wrong: under a minute in all
CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance]
# What any operation may answer, without its description naming it.
EVERYWHERE = {400, 401, 403, 404, 405, 406, 415}


@dataclass
class Caller:
    """Who calls: the headers and cookies that say so, and what he must be able to reach."""

    headers: dict[str, str] = field(default_factory=dict)
    cookies: dict[str, str] = field(default_factory=dict)
    reaches: frozenset[int] = frozenset({401})


def nobody() -> Caller:
    return Caller()


def gateway() -> Caller:
    tables = GamingTable.objects.all()
    _, secret = make_key(name="gateway", kind=AccessKey.Kind.GATEWAY, tables=tables)
    return Caller({"Authorization": f"Key {secret}"}, reaches=frozenset({202, 403, 422}))


def staff_token() -> Caller:
    _, secret = make_key(name="desk", kind=AccessKey.Kind.STAFF, user=make_officer())
    return Caller({"Authorization": f"Key {secret}"}, reaches=frozenset({200, 403, 404}))


def staff_session() -> Caller:
    """A browser's session, with the token that a page would have sent along."""
    user, token = make_officer(), "a" * 32
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    cookies = {"sessionid": str(session.session_key), "csrftoken": token}
    return Caller({"X-CSRFToken": token}, cookies, reaches=frozenset({200, 403, 404}))


def make_officer() -> User:
    """Make somebody who may do whatever a member of staff may do."""
    return make_user("F900", None, is_superuser=True)


@pytest.fixture
def house(open_house: Callable[..., RunningHouse]) -> RunningHouse:
    """Return a web server over a floor that has settled a round with two claims."""
    load_setup(SETUP)
    key, _ = make_key(name="table", kind=AccessKey.Kind.GATEWAY, tables=GamingTable.objects.all())
    accept_events([Sender().whole(seat(2, ROYAL), seat(5, STRAIGHT))], key=key)
    assert apply_lane(lane_id=GamingTable.objects.get(code="T-1").lane_id) == 1
    return open_house(web=True, workers=0, beat=False)


@pytest.mark.parametrize("who", [nobody, gateway, staff_token, staff_session])
def test_no_request_breaks_the_api(house: RunningHouse, who: Callable[[], Caller]) -> None:
    caller = who()
    schema = schemathesis.openapi.from_url(f"{house.web_url}/api/schema/")
    answered: Counter[int] = Counter()
    for found, mode in product(schema.get_all_operations(), GenerationMode):
        with contextlib.suppress(Unsatisfiable):  # nothing of a request without input can be wrong
            answered += call_operation(found.ok(), house.web_url, caller, mode)
    assert answered.total() > 10 * EXAMPLES
    assert caller.reaches <= set(answered), answered


def call_operation(operation: Any, url: str, caller: Caller, mode: GenerationMode) -> Counter[int]:
    """Call one operation with made-up requests; return how often it answered what."""
    answered: Counter[int] = Counter()
    documented = {int(status) for status in operation.definition.raw["responses"]}

    @seed(670)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode), known=st.booleans())
    def call(case: Any, known: bool) -> None:
        if known:
            name_what_is_there(case)
        response = case.call(base_url=url, headers=caller.headers, cookies=caller.cookies)
        answered[response.status_code] += 1
        no_route = (
            response.status_code == 404 and "text/html" in response.headers["content-type"][0]
        )
        case.validate_response(response, checks=CHECKS[:1] if no_route else CHECKS)
        assert response.status_code in documented | EVERYWHERE, response.status_code

    call()
    return answered


def name_what_is_there(case: Any) -> None:
    """Let the path name a claim, a round or a table of the house."""
    there = {"claim_id": 1, "round_id": str(round_uuid("T-1", 1)), "code": "T-1"}
    for name, value in there.items():
        if name in (case.path_parameters or {}):
            case.path_parameters[name] = value
