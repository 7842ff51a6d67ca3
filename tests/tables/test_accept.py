"""The door of the intake: whole, once, in order, and a sentence for each refusal."""

from typing import Any

from audit.models import AuditEvent, ExceptionRecord
from tables import rules
from tables.models import AccessKey, GamingTable, TableEvent
from tables.services.accept import accept_events
from tables.services.keys import make_key, revoke_key
from tests.documents import NOTHING, ROYAL, STRAIGHT, Sender, seat


def statuses(answers: list[Any]) -> list[tuple[str, str, str]]:
    return [(answer.status, answer.code, answer.path) for answer in answers]


ACCEPTED = ("accepted", "", "")


def test_an_accepted_event_is_kept_in_its_canonical_bytes(floor: Any) -> None:
    document = Sender().whole(seat(3, STRAIGHT), _note="as sent")
    [answer] = floor.accept(document)

    assert answer.told() == {
        "event_id": document["event_id"],
        "table": "T-1",
        "sequence": 1,
        "status": "accepted",
    }
    stored = TableEvent.objects.get()
    assert bytes(stored.body).startswith(b'{"_note":"as sent","dealer":"D100"')


def test_the_same_again_gets_the_same_answer_and_changes_nothing(floor: Any) -> None:
    document = Sender().whole(seat(3, STRAIGHT))
    shuffled = dict(reversed(document.items()))

    first, again, within = floor.accept(document)[0], *floor.accept(shuffled, document)

    assert first.told() == again.told() == within.told()
    assert (first.repeated, again.repeated, within.repeated) == (False, True, True)
    assert TableEvent.objects.count() == 1


def test_the_same_twice_in_one_list_is_one_event(floor: Any) -> None:
    document = Sender().whole(seat(3, STRAIGHT))
    answers = floor.accept(document, dict(document))

    assert statuses(answers) == [ACCEPTED, ACCEPTED]
    assert [answer.repeated for answer in answers] == [False, True]
    assert TableEvent.objects.count() == 1


def test_the_same_id_with_another_body_is_a_conflict_and_in_the_log(floor: Any) -> None:
    document = Sender().whole(seat(3, STRAIGHT))
    other = {**document, "dealer": "D999"}
    floor.accept(document)

    assert statuses(floor.accept(other)) == [("conflict", "event_conflict", "event_id")]
    assert AuditEvent.objects.filter(action="tables.event_refused_at_door").count() == 1


def test_another_event_at_the_same_sequence_is_a_conflict(floor: Any) -> None:
    sender = Sender()
    first, second = sender.whole(seat(3, STRAIGHT)), sender.whole(seat(2, NOTHING))
    second["sequence"] = first["sequence"]

    answers = floor.accept(first, second)

    assert statuses(answers) == [ACCEPTED, ("conflict", "event_conflict", "sequence")]


def test_a_refused_event_leaves_its_sequence_free(floor: Any) -> None:
    sender = Sender()
    wrong = sender.whole(seat(7, STRAIGHT))
    right = {**wrong, "positions": [seat(6, STRAIGHT)]}

    assert statuses(floor.accept(wrong)) == [
        ("refused", "position_out_of_range", "positions[0].position")
    ]
    assert statuses(floor.accept(right)) == [ACCEPTED]


def test_one_refused_event_of_a_list_does_not_touch_the_others(floor: Any) -> None:
    sender = Sender()
    documents: list[Any] = [sender.whole(seat(n, STRAIGHT)) for n in (1, 2, 3)]
    documents[1] = rules.Refusal("wrong_type", "", "A document must be a JSON object.")

    assert [s for s, _, _ in statuses(floor.accept(*documents))] == [
        "accepted",
        "refused",
        "accepted",
    ]
    assert list(TableEvent.objects.values_list("sequence", flat=True)) == [1, 3]


def test_a_card_twice_is_refused_and_the_refusal_alarms(floor: Any) -> None:
    document = Sender().whole(seat(3, ROYAL), seat(4, ROYAL))

    [answer] = floor.accept(document)

    assert (answer.code, answer.path) == ("duplicate_card", "positions[1].cards[0]")
    alarm = ExceptionRecord.objects.get()
    assert (alarm.severity, alarm.kind) == ("alarm", "refused_duplicate_card")


def test_a_key_reports_for_its_own_table_only(floor: Any) -> None:
    own = GamingTable.objects.get(code="T-1")
    key, _ = make_key(name="T-1", kind=AccessKey.Kind.CONTROLLER, tables=[own])

    answers = accept_events(
        [Sender("T-1").whole(seat(1, NOTHING)), Sender("T-2").whole(seat(1, NOTHING))], key=key
    )

    assert statuses(answers) == [ACCEPTED, ("refused", "table_not_bound", "table")]


def test_unknown_table(floor: Any) -> None:
    answers = floor.accept(Sender("T-9").whole(seat(1, NOTHING)))
    assert statuses(answers) == [("refused", "unknown_table", "table")]


def test_making_and_revoking_a_key_is_in_the_log_and_its_secret_is_not(floor: Any) -> None:
    revoke_key(key_id=floor.key.pk)
    actions = AuditEvent.objects.filter(subject=f"key/{floor.key.pk}")
    assert sorted(actions.values_list("action", flat=True)) == [
        "tables.key_made",
        "tables.key_revoked",
    ]
    assert not any(floor.secret.encode() in bytes(event.body) for event in actions)
    assert floor.secret not in floor.key.digest
