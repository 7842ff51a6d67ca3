"""The regulator's log-in: every page, every answer of the API, nothing changed, all of it noted."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from audit.canonical import parse
from audit.models import AuditEvent, ExceptionRecord, User
from config.reading import OWN_AFFAIRS
from progressives.models import JackpotClaim
from tables.models import AccessKey, Round
from tables.services.filing import file_rounds
from tables.services.keys import make_key
from tests.documents import NOTHING, ROYAL, STRAIGHT, Sender, seat
from tests.make import documented, make_user

# What a log-in leaves behind, and the log itself.
MAY_CHANGE = {"audit_auditevent", "audit_chain", "django_session", "audit_user"}
ROUTES = "<int:", "<str:", "<uuid:", "<path:", "<slug:"


@pytest.fixture
def played(floor: Any) -> Any:
    """Return a house where everything that has pages has happened once."""
    sender = Sender()
    floor.play(
        sender.whole(seat(2, STRAIGHT, player="P-1", paid={"main": "75.00", "progressive": "3.00"}),
                     dealer="D1"),
        sender.whole(seat(2, ROYAL, player="P-1"), dealer="D1"),
        sender.whole(seat(2, NOTHING), dealer="D1"),
    )  # fmt: skip
    file_rounds()
    documented(JackpotClaim.objects.get(hand="royal_flush"))
    return floor


@pytest.fixture
def regulator(played: Any) -> User:
    """Return a regulator whom somebody also made a superuser and an administrator."""
    user = make_user("R800", "regulator", is_superuser=True)
    user.groups.add(*User.groups.field.related_model.objects.filter(name="administrator"))
    return User.objects.get(pk=user.pk)


def routes(patterns: Any = None, before: str = "", space: str = "") -> Iterator[tuple[str, str]]:
    """Yield (route, name) of every pattern there is."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            name = f"{pattern.namespace}:" if pattern.namespace else space
            yield from routes(pattern.url_patterns, route, name)
        elif isinstance(pattern, URLPattern):
            yield route, space + (pattern.name or "")


def address(route: str, name: str, values: dict[str, list[Any]]) -> list[str]:
    """Return addresses of a route with every sample that may fit into its places."""
    made = [route.replace("^", "").replace("$", "").replace("(?P<url>.*)", "nowhere")]
    while any("<" in one for one in made):
        filled = []
        for one in made:
            start, end = one.index("<"), one.index(">")
            kind, _, word = one[start + 1 : end].partition(":")
            samples = values.get(word or kind) or values.get(kind) or ["1"]
            model = next(
                (m for m in values["models"] if f":{m}_" in f":{name.partition(':')[2]}"), ""
            )
            samples = values["models"][model] if model and kind in ("path", "int") else samples
            filled += [one[:start] + str(sample) + one[end + 1 :] for sample in samples]
        made = filled
    return [f"/{one}" for one in made]


def samples() -> dict[str, Any]:
    """Return what stands in addresses: of each model one row's key."""
    models = {}
    for model in admin.site._registry:
        row = model._default_manager.first()
        models[f"{model._meta.app_label}_{model._meta.model_name}"] = [1 if row is None else row.pk]
    round_ = Round.objects.first()
    claim = JackpotClaim.objects.first()
    return {
        "models": models, "uuid": [round_ and round_.pk], "str": ["T-1", "P-1"], "code": ["T-1"],
        "claim_id": [claim and claim.pk], "day": ["2026-03-14"], "month": ["2026-03"],
        "exception_id": [ExceptionRecord.objects.values_list("pk", flat=True)[0]],
        "int": [1], "path": ["1"],
    }  # fmt: skip


def every_address() -> list[tuple[str, str]]:
    """Return (address, route's name) of the admin and the API."""
    values = samples()
    return [
        (one, name)
        for route, name in routes()
        if route.startswith(("admin/", "api/"))
        for one in address(route, name, values)
    ]


def contents() -> dict[str, str]:
    """Return a digest of every table that a reader must not change."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        names = sorted({name for (name,) in cursor.fetchall()} - MAY_CHANGE)
        found = {}
        for name in names:
            cursor.execute(
                f"SELECT coalesce(md5(string_agg(t::text, '|' ORDER BY t::text)), '') FROM {name} t"
            )
            found[name] = cursor.fetchone()[0]
    return found


def test_a_regulator_reads_every_page_and_all_of_it_is_noted(regulator: User) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(regulator)
    before, seen, refused = contents(), 0, []
    for one, name in every_address():
        if name in OWN_AFFAIRS:
            continue
        noted = AuditEvent.objects.filter(action="audit.page_read").count()
        answer = client.get(one)
        assert answer.status_code < 500, one
        if answer.status_code == 403:
            refused.append(name)
        seen += answer.status_code == 200
        now = AuditEvent.objects.filter(action="audit.page_read").count()
        assert now == noted + 1, (one, answer.status_code)
    assert seen > 50
    # Closed to a reader is what only does: forms that add or change, and what a person signs.
    assert not [name for name in refused if name.endswith(("_changelist", "_history"))]
    assert contents() == before
    last = parse(bytes(AuditEvent.objects.filter(action="audit.page_read").latest("pk").body))
    assert (last["by"], last["facts"]["method"]) == ("R800", "GET")


def test_nothing_that_a_regulator_sends_is_taken(regulator: User) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(regulator)
    _, secret = make_key(name="r", kind=AccessKey.Kind.STAFF, tables=[], user=regulator)
    key = {"Authorization": f"Key {secret}"}
    before = contents()
    for one, name in every_address():
        if name in OWN_AFFAIRS:
            continue
        is_api = one.startswith("/api/")
        for method in ("post", "put", "patch", "delete") if is_api else ("post",):
            answer = getattr(client, method)(one)
            assert answer.status_code == 403, (method, one, answer.status_code)
            if is_api:
                by_key = getattr(Client(), method)(one, headers=key)
                assert by_key.status_code in (403, 404, 405, 415), (method, one, by_key.status_code)
    assert contents() == before


def test_permissions_of_other_roles_do_not_help_a_regulator(regulator: User) -> None:
    assert regulator.has_perm("tables.view_round")
    assert regulator.has_perm("audit.view_whatever_comes")
    assert regulator.has_module_perms("progressives")
    for doing in ("audit.change_user", "progressives.pay_jackpotclaim", "tables.add_accesskey"):
        assert not regulator.has_perm(doing)
    regulator.is_active = False
    assert not regulator.has_perm("tables.view_round")


def test_evidence_that_others_read_is_noted_too(played: Any, client: Client) -> None:
    client.force_login(make_user("S400", "surveillance"))
    pk = Round.objects.filter(number=1).values_list("pk", flat=True)[0]
    client.get(f"/admin/tables/round/{pk}/change/", {"a": "b"})
    client.get(f"/api/v1/rounds/{pk}/reconstruction/")
    client.get("/admin/")  # no evidence
    events = AuditEvent.objects.filter(action="audit.page_read").order_by("pk")
    told = [parse(bytes(event.body)) for event in events]
    assert [(page["by"], page["facts"]["page"], page["facts"]["query"]) for page in told] == [
        ("S400", "admin:tables_round_change", "a=b"),
        ("S400", "round-reconstruction", ""),
    ]
