"""A table's display over a server that dies: it says so, and comes back to the state before."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from audit.models import User
from config.supervisor import Supervisor
from progressives.services.reconcile import reconcile
from tables.models import Facility
from tables.services import paper
from tables.services.downtime import begin_downtime, end_downtime, read_meters
from tests.databases import RunningHouse
from tests.documents import NOTHING, Sender, seat
from tests.make import make_user
from tests.tables.conftest import Floor

pytestmark = pytest.mark.browser
LogIn = Callable[[Any, User], None]
FRESH, LATEST = 3, 30_000  # seconds; milliseconds that a slow machine may take
NO_VALUE = "There is no fresh meter value."
PORTED = "web-again"


def test_a_display_without_a_fresh_value_says_so_and_recovers(
    page: Any, open_house: Callable[..., RunningHouse], log_in: LogIn, web: str, tmp_path: Path
) -> None:
    floor = Floor()
    Facility.objects.update(fresh_seconds=FRESH)
    sender = Sender()
    floor.play(sender.whole(seat(2, NOTHING)))
    first, second = make_user("F1"), make_user("F2")
    log_in(page, first)
    running = open_house(web=True, workers=0, beat=False)
    page.goto(f"{running.web_url}/admin/tables/gamingtable/display/T-1/")
    display, value = page.locator("#display"), page.locator("#meters b")
    expect(display).to_have_class("open", timeout=LATEST)
    expect(value).to_have_text("$20,000.21")

    # The server is killed. The display keeps the value while it is fresh, and then no longer.
    running.supervisor.stop(kill=True)
    expect(page.locator("#why")).to_have_text(NO_VALUE, timeout=LATEST)
    expect(display).to_have_class("shut")
    expect(page.locator("#meters")).to_be_hidden()
    expect(page.locator("#state")).to_have_text("No progressive wagers")

    # Started again at its address, it shows the state before, without a hand at the display.
    again = Supervisor(
        environment=running.database.environment(),
        logs=tmp_path / PORTED,
        web=True,
        port=running.supervisor.port,
    )
    again.start()
    try:
        assert again.port == running.supervisor.port
        expect(display).to_have_class("open", timeout=LATEST)
        expect(value).to_have_text("$20,000.21")
        expect(value).to_have_attribute("data-sequence", "2")

        # What was played meanwhile stood on paper: the gap is reconciled, and the table goes on.
        [form] = paper.issue_forms(table="T-1", number=1, by=first)
        began = timezone.now() - timedelta(minutes=2)
        down = begin_downtime(table="T-1", began_at=began, by=first, reason="Server killed.")
        expect(page.locator("#why")).to_contain_text("plays on paper", timeout=LATEST)
        told = sender.whole(seat(2, NOTHING), occurred_at=began.isoformat())
        kept = ("type", "round", "occurred_at", "positions", "dealer_hand")
        document = {key: told[key] for key in kept}
        entry = paper.enter_form(number=form.number, document=document, by=first)
        paper.confirm_entry(entry_id=entry.pk, by=second)
        floor.apply()
        values = {floor.meter.pk: ("20000.42", "3")}
        read_meters(downtime_id=down.pk, values=values, by=second)
        end_downtime(downtime_id=down.pk, by=second)
        expect(display).to_have_class("open", timeout=LATEST)
        expect(value).to_have_text("$20,000.42")
        assert all(meter.ok for meter in reconcile())
    finally:
        again.stop(kill=True)
