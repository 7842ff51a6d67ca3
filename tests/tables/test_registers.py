"""Tables and equipment: who may change them, what the log tells, what PostgreSQL refuses."""

import json
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from audit.models import AuditEvent, User
from tables.models import Equipment, Facility, GamingTable
from tables.rules.watch import WatchTerms, fresh, watch
from tables.services.setup import load_setup
from tables.services.setup_file import SetupRefused
from tests import days
from tests.documents import SETUP
from tests.make import make_user

EQUIPMENT = "/admin/tables/equipment/"


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def log_of(action: str) -> dict[str, Any]:
    return dict(json.loads(bytes(AuditEvent.objects.get(action=action).body)))


def shuffler(**changes: Any) -> dict[str, Any]:
    return {"kind": "shuffler", "serial": "SH-1", "approval": "BGLO 17",
            "approved_on": "2026-01-05", **changes}  # fmt: skip


def test_the_register_is_an_administrators_and_the_log_names_him(floor: Any) -> None:
    client = client_of(make_user("X700", "administrator"))
    assert client.post(f"{EQUIPMENT}add/", shuffler()).status_code == 302
    made = Equipment.objects.get()
    told = log_of("tables.equipment_registered")
    assert (told["by"], told["subject"]) == ("X700", "equipment/SH-1")
    assert told["facts"]["approved_on"] == "2026-01-05"

    one = f"{EQUIPMENT}{made.pk}/change/"
    assert client.post(one, shuffler(serial="other", removed_on="2026-03-01")).status_code == 302
    made.refresh_from_db()
    assert (made.serial, str(made.removed_on)) == ("SH-1", "2026-03-01"), "a serial number stays"
    assert log_of("tables.equipment_changed")["facts"] == {"removed_on": "2026-03-01"}
    assert client.post(f"{EQUIPMENT}{made.pk}/delete/", {"post": "yes"}).status_code == 403


@pytest.mark.parametrize("role", ["floorperson", "pit manager", "surveillance", "auditor"])
def test_others_read_the_register(floor: Any, role: str) -> None:
    client = client_of(make_user("Y1", role))
    assert client.get(EQUIPMENT).status_code == 200
    assert client.post(f"{EQUIPMENT}add/", shuffler()).status_code == 403


@pytest.mark.parametrize(
    ("changes", "constraint"),
    [
        ({"approval": ""}, "equipment_approved_with_a_reference"),
        ({"removed_on": "2026-01-01"}, "equipment_removed_after_it_was_approved"),
    ],
)
def test_an_approval_has_a_reference_and_an_order(db: None, changes: Any, constraint: str) -> None:
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        Equipment.objects.create(**shuffler(**changes))


def test_how_many_decks_a_table_uses_is_an_administrators_to_change(floor: Any) -> None:
    table = GamingTable.objects.get(code="T-1")
    address = f"/admin/tables/gamingtable/{table.pk}/change/"
    assert client_of(make_user()).post(address, {"decks_in_use": "2"}).status_code == 403
    client = client_of(make_user("X700", "administrator"))
    assert client.post(address, {"decks_in_use": "2", "code": "T-9"}).status_code == 302
    table.refresh_from_db()
    assert (table.code, table.decks_in_use) == ("T-1", 2)
    assert log_of("tables.table_changed")["facts"] == {"decks_in_use": 2}


def test_a_set_up_file_says_how_many_decks_a_table_uses(db: None) -> None:
    two = [{**table, "decks_in_use": 2} for table in SETUP["tables"]]
    load_setup({**SETUP, "tables": two})
    assert set(GamingTable.objects.values_list("decks_in_use", flat=True)) == {2}
    assert load_setup(SETUP).made == [], "a file that says nothing of it agrees"
    other = [{**table, "decks_in_use": 1} for table in SETUP["tables"]]
    with pytest.raises(SetupRefused, match="decks_in_use"):
        load_setup({**SETUP, "tables": other})
    three = [{**table, "decks_in_use": 3} for table in SETUP["tables"]]
    with pytest.raises(SetupRefused, match="bad_value"):
        load_setup({**SETUP, "tables": three})


def test_the_facility_says_when_it_is_warned(floor: Any) -> None:
    client = client_of(make_user("X700", "administrator"))
    told = {"name": "Test Casino", "time_zone": "America/New_York", "gaming_day_starts": "06:00",
            "escalate_after_seconds": "300", "warn_before_minutes": "30",
            "fresh_seconds": "10"}  # fmt: skip
    assert client.post("/admin/tables/facility/1/change/", told).status_code == 302
    facility = Facility.objects.get()
    assert (facility.warn_before_minutes, facility.fresh_seconds) == (30, 10)


def test_a_quiet_day_alarms_nobody() -> None:
    """The sample day reports its decks, dice and dealers as it should."""
    events = {(e["table"], e["sequence"]): e for e in days.read_lines(days.EVENTS)}
    states = {table: fresh() for table, _ in events}
    games = {e["table"]: e["game"] for e in events.values() if "game" in e}
    for table, sequence in sorted(events):
        terms = WatchTerms.make(code=table, game=games[table], day="2026-03-14", devices={})
        _, found = watch(states[table], events[table, sequence], terms)
        assert found == [], (table, sequence)
