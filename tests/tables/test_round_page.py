"""The round page and the patron's copy: what they show, from where, and to whom."""

import re
from itertools import pairwise, product
from typing import Any

import psycopg
import pytest
from django.test import Client

from audit.access import READ
from audit.canonical import parse
from audit.models import AuditEvent
from progressives.templatetags.floor import card_name
from tables.felt import Card, Chip, Lamp, lay_out
from tables.models import Round
from tables.rules.games import definition_of
from tables.services.disagreements import disagreements
from tables.services.reconstruct import reconstruct
from tables.story import Story, story_of
from tests import four_games
from tests.documents import NOTHING, ROYAL, STRAIGHT, Sender, seat
from tests.make import make_user
from tests.tables.conftest import Floor
from tests.tables.test_amendments import amend

ROUNDS = [("SC-1", 1), ("PG-1", 1), ("LP-1", 1), ("FB-1", 1), ("SC-1", 2)]


@pytest.fixture
def played(db: None) -> Floor:
    floor = Floor(four_games.setup())
    floor.play(*four_games.all_rounds())
    return floor


def read(client: Client, address: str, role: str = "surveillance") -> Any:
    client.force_login(make_user(f"{role[:1].upper()}4{len(address)}", role))
    return client.get(f"/admin/rounds/{address}")


def told_story(table: str, number: int) -> Story:
    told = reconstruct(table, number)
    chapter = definition_of(told["game"]).chapter  # type: ignore[union-attr]
    return story_of(told, chapter, {})


def test_every_game_has_its_page(played: Floor, client: Client) -> None:
    client.force_login(make_user("S400", "surveillance"))
    for table, number in ROUNDS:
        page = client.get(f"/admin/rounds/{table}/{number}/")
        assert page.status_code == 200
        assert page.context["disagreements"] == []
        text = page.content.decode()
        assert text.count('<svg class="felt') == 2
        assert "disagree" not in text


def test_the_frames_of_a_round_in_their_order(played: Floor) -> None:
    story = told_story("SC-1", 1)
    assert [frame.title for frame in story.frames] == [
        "No more bets", "Meanwhile at linked tables", "Deal", "Hands set", "Reveal",
        "Position 6", "Position 5", "Position 4", "Position 2", "Position 1",
        "Envy Bonuses of position 6", "Envy Bonuses of position 4", "Envy Bonuses of position 2",
        "End of the round",
    ]  # fmt: skip
    assert [f.title for f in told_story("SC-1", 2).frames] == [
        "No more bets", "The round is void", "Position 4", "Position 2",
    ]  # fmt: skip
    assert told_story("LP-1", 1).frames[2].title == "Decisions and draws"


def test_each_meter_goes_on_where_the_frame_before_left_it(played: Floor) -> None:
    for table, number in ROUNDS:
        strips = [frame.strips for frame in told_story(table, number).frames]
        for before, after in pairwise(strip for strip in strips if strip):
            assert [s.after for s in before] == [s.before for s in after], (table, number)
    story = told_story("SC-1", 1)
    moved = {f.title: (f.strips[0].before, f.strips[0].after) for f in story.frames}
    assert moved["Position 6"] == ("20001.050000", "18000.950000")
    assert moved["Meanwhile at linked tables"] == ("20000.630000", "20001.050000")


def test_expected_and_paid(played: Floor) -> None:
    wrong = {(p.position, p.wager): p.wrong for p in told_story("SC-1", 1).payments if p.wrong}
    assert wrong == {(6, "main"): 25, (2, "main"): 50, (6, "envy"): -1050}
    rows = {(p.position, p.wager): p for p in told_story("SC-1", 1).payments}
    assert rows[1, "main"].paid is None
    assert rows[6, "progressive"].by_claim
    [bet] = [p for p in told_story("LP-1", 1).payments if p.wrong]
    assert (bet.position, bet.wager, bet.due, bet.wrong) == (5, "bet", "40.00", -20)


def test_the_envy_matrix(played: Floor) -> None:
    fortune, progressive = told_story("SC-1", 1).envies
    assert fortune.rows == [(2, "royal_flush", ["1000.00", "0.00", "0.00", None, "0.00"])]
    assert progressive.rows == [
        (6, "royal_flush", [None, "0.00", "50.00", "50.00", "0.00"]),
        (2, "royal_flush", ["50.00", "0.00", "50.00", None, "0.00"]),
    ]


def test_everything_lies_on_the_felt(played: Floor) -> None:
    for (table, number), columns in product(ROUNDS, (6, 3)):
        story = told_story(table, number)
        felt = lay_out(story, 6, columns)
        for thing in felt.things:
            assert 0 <= thing.x <= felt.width, thing
            assert 0 <= thing.y <= felt.height, thing
        chips = [thing for thing in felt.things if isinstance(thing, Chip)]
        wagered = sum(
            len(told) if kind == "super_on" else 1
            for one in story.first["wagers"]
            for kind, told in one["wagers"].items()
        )
        assert len(chips) >= wagered


def test_the_drawing_shows_the_joker_and_the_lights(played: Floor) -> None:
    things = lay_out(told_story("SC-1", 1), 6, 6).things
    assert {c.joker_as for c in things if isinstance(c, Card) and c.code == "JK"} == {"", "TS"}
    assert [lamp.state for lamp in things if isinstance(lamp, Lamp)] == ["lit"] * 3
    dark = lay_out(told_story("PG-1", 1), 6, 6).things
    assert [lamp.state for lamp in dark if isinstance(lamp, Lamp)] == ["lit", "dark"]


OWN = {  # what is a position's own: cards, player and amounts of the others must not be told
    "SC-1": (6, 5, 4, 2, 1),
    "PG-1": (5, 3, 2, 1),
    "LP-1": (5, 4, 3, 2, 1),
    "FB-1": (6, 5, 3, 1),
}


def test_a_patrons_copy_tells_of_nobody_else(played: Floor, client: Client) -> None:
    client.force_login(make_user("S455", "surveillance"))
    for table, positions in OWN.items():
        hands = {hand["position"]: hand for hand in told_story(table, 1).dealt["hands"]}
        assert tuple(sorted(hands, reverse=True)) == positions
        look_at_copies(client, table, hands)


def look_at_copies(client: Client, table: str, hands: dict[int, Any]) -> None:
    for position, own in hands.items():
        page = client.get(f"/admin/rounds/{table}/1/position/{position}/")
        text = page.content.decode()
        sheet = text[text.index("<article") : text.index("</article>")]
        assert not re.search(r"PL-\d+|D117|F204", sheet)
        shown = set(re.findall(r'aria-label="([^"]+)"', sheet)) - {"Cards"}
        for other, hand in hands.items():
            for card in cards_of(hand) - cards_of(own):
                assert card_name(card) not in shown, (position, other, card)
        for card in cards_of(own):
            assert any(label.startswith(card_name(card)) for label in shown), (position, card)


def cards_of(hand: dict[str, Any]) -> set[str]:
    cards = [*hand.get("cards", ()), *(hand.get("decision") or {}).get("draw", ())]
    return {*cards, *(card for one in hand.get("hands", ()) for card in one["cards"])}


def test_who_looked_is_in_the_log(played: Floor, client: Client) -> None:
    read(client, "SC-1/1/")
    client.get("/admin/rounds/SC-1/1/position/4/")
    events = AuditEvent.objects.filter(action=READ).order_by("sequence")
    told = [parse(bytes(event.body)) for event in events]
    assert [(one["subject"], one["facts"]["screen"]) for one in told] == [
        ("SC-1/1", "round"),
        ("SC-1/1", "patron's copy, position 4"),
    ]
    assert {one["by"] for one in told} == {"S47"}
    assert client.get("/admin/rounds/SC-1/1/").context["told"] == reconstruct("SC-1", 1)


def test_for_whom_and_where_there_is_nothing(played: Floor, client: Client) -> None:
    client.force_login(make_user("N100", None))
    assert client.get("/admin/rounds/SC-1/1/").status_code == 403
    assert client.get("/admin/rounds/SC-1/1/position/4/").status_code == 403
    client.force_login(make_user("S499", "surveillance"))
    for address in ("SC-1/99", "SC-9/1", "SC-1/99999999999999999999999"):
        assert client.get(f"/admin/rounds/{address}/").status_code == 404, address
    assert AuditEvent.objects.filter(action=READ).count() == 0
    assert client.get("/admin/rounds/SC-1/1/position/3/").status_code == 404


def test_a_round_that_is_still_open(played: Floor, client: Client) -> None:
    sender = Sender("SC-2")
    sender.sequence = sender.round = 1
    played.play(sender.lockout(seat(2, NOTHING)))
    page = read(client, "SC-2/2/")
    assert page.context["told"]["state"] == "open"
    assert page.context["disagreements"] == []


def test_an_amended_round_shows_both_versions(floor: Floor, client: Client) -> None:
    floor.play(Sender().whole(seat(6, STRAIGHT, paid={"main": "25.00"}), seat(2, NOTHING)))
    found = Round.objects.get()
    amend(found, p6=ROYAL)
    page = read(client, "T-1/1/")
    text = page.content.decode()
    assert page.context["disagreements"] == []
    assert "Amended: version 2 holds" in text
    [frame] = [f for f in page.context["story"].frames if f.key == "amended"]
    assert frame.notes[0].startswith("Proposed by P371, approved by A571: The cards were read")
    assert "Position 6, Progressive Payout Wager: straight, $3.00 became royal flush, $2,000" in (
        " ".join(frame.notes)
    )
    turn = next(f for f in page.context["story"].frames if f.title == "Position 6")
    assert "with a straight" in turn.lines[-1].what, "the first version stays as it was"
    due = {(p.position, p.wager): p for p in page.context["story"].payments}
    assert due[6, "progressive"].by_claim
    copy = client.get("/admin/rounds/T-1/1/position/6/").content.decode()
    assert "royal flush" in copy
    assert "with a straight" not in copy


FORGED = {
    "tables_roundposition": (
        "UPDATE tables_roundposition SET lines = jsonb_set(lines, '{{0,pays}}', '\"900.00\"')"
        " WHERE round_id = '{round}' AND position = 4",
        ("Position 4, main: pays", "0.00", "900.00"),
    ),
    "tables_round": (
        "UPDATE tables_round SET state = 'void' WHERE id = '{round}'",
        ("State", "settled", "void"),
    ),
    "progressives_meterentry": (
        "UPDATE progressives_meterentry SET amount = amount - 1, after = after - 1"
        " WHERE round_id = '{round}' AND kind = 'award' AND position = 6",
        ("Meter grand, entry 7", "award -2000.100000, then 18000.950000",
         "award -2001.100000, then 17999.950000"),
    ),
    "progressives_jackpotclaim": (
        "UPDATE progressives_jackpotclaim SET amount = amount + 1000"
        " WHERE round_id = '{round}' AND position = 2",
        ("Claims", "position 2 $1800.09, position 4 $3.00, position 6 $2000.10",
         "position 2 $2800.09, position 4 $3.00, position 6 $2000.10"),
    ),
    "progressives_envypayout": (
        "UPDATE progressives_envypayout SET amount = 60 WHERE round_id = '{round}'"
        " AND position = 2",
        None,
    ),
}  # fmt: skip


def test_what_was_changed_past_the_house_is_named_on_the_page(
    committed_db: Any, client: Client
) -> None:
    """With the owner's rights and the triggers off: each change is told, and nothing else."""
    floor = Floor(four_games.setup())
    floor.play(*four_games.all_rounds())
    told = reconstruct("SC-1", 1)
    assert disagreements(told) == []
    seen = 0
    with psycopg.connect(committed_db.owner_url, autocommit=True) as owner:
        for table, (statement, expected) in FORGED.items():
            owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            owner.execute(statement.format(round=told["round_id"]))
            found = disagreements(told)
            assert len(found) == seen + 1, table
            assert expected is None or expected in [tuple(one) for one in found]
            seen += 1
    page = read(client, "SC-1/1/")
    assert "Log and tables of the database disagree" in page.content.decode()
    assert disagreements(reconstruct("LP-1", 1)) == []
