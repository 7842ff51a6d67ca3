"""Verify a dossier: one file, Python 3.9 or newer and the `cryptography` package, nothing else.

    python verify.py DOSSIER.zip [--key NAME+ID+KEY]

What it does, in this order, and stops at the first thing that does not hold:

1. The file is packed byte for byte as its members say: nothing is hidden between them.
2. The manifest is signed by the log's key, and each member has the SHA-256 it names.
3. The log's keys: the first is the one you give with --key (ask the house, or read it where it was
   published); each later one is named in a note that the one before it signed.
4. The checkpoint is signed by one of these keys (C2SP signed note, Ed25519).
5. Each event of the log has the hash that its bytes, its place and its predecessor come to, and
   its inclusion proof leads from it to the root that the checkpoint signs (RFC 6962).
6. The round's document names exactly these events.

Without --key everything is checked against the key inside, and the key is printed: compare it.
It ends with 0 if all holds, with 1 and a sentence if anything does not.
"""

import argparse
import base64
import io
import json
import sys
import zipfile
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

MEMBERS = "manifest.json manifest.note".split()
DOMAIN = b"casino-audit/1\n"  # in front of every link of the log
STAMP = (1980, 1, 1, 0, 0, 0)


class Broken(Exception):
    """Something does not hold; the text says what."""


def packed(members: dict) -> bytes:
    """Pack members (name -> bytes) the one way there is."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, body in members.items():
            info = zipfile.ZipInfo(name, STAMP)
            info.create_system, info.external_attr = 3, 0o644 << 16
            archive.writestr(info, body)
    return out.getvalue()


def unpacked(data):
    """Return the members of a dossier in their order, if the file is nothing but them."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except Exception as error:
        raise Broken(f"The file is no whole dossier: {error}") from error
    if packed(members) != data:
        raise Broken("The file holds something else than its members.")
    return members


def read_json(members, name):
    """Return a member as JSON."""
    try:
        return json.loads(members[name].decode())
    except (KeyError, ValueError) as error:
        raise Broken(f"{name} is missing or cannot be read: {error}") from error


class Key:
    """A public key as it is published: name+id+base64."""

    def __init__(self, text):
        self.text = text.strip()
        try:
            self.name, told, body = self.text.split("+", 2)
            raw = base64.b64decode(body, validate=True)
            self.id = sha256(self.name.encode() + b"\n" + raw).digest()[:4]
            if raw[0] != 1 or len(raw) != 33 or self.id.hex() != told:
                raise ValueError("its id is another one's")
            self.public = Ed25519PublicKey.from_public_bytes(raw[1:])
        except ValueError as error:
            raise Broken(f"{self.text[:80]} is no public key of a log: {error}") from error

    def text_of(self, note):
        """Return the text of a note that this key signed; None if it did not sign it."""
        text, blank, lines = note.rpartition("\n\n")
        if not blank or not lines.endswith("\n"):
            raise Broken("A note has no signatures.")
        text += "\n"
        for line in lines[:-1].split("\n"):
            if not line.startswith(f"\u2014 {self.name} "):
                continue
            try:
                told = base64.b64decode(line.rsplit(" ", 1)[1], validate=True)
            except ValueError as error:
                raise Broken("A signature cannot be read.") from error
            if told[:4] == self.id:
                try:
                    self.public.verify(told[4:], text.encode())
                except InvalidSignature as error:
                    raise Broken(f"The signature of {self.name} does not hold.") from error
                return text
        return None


def trusted_keys(told, first):
    """Return the log's keys, each proven by the one before it."""
    keys: list = []
    for row in told:
        key = Key(row["key"])
        if keys:
            text = keys[-1].text_of(row["endorsement"])
            if text != f"{key.name}\nkey rotation\n{key.text}\n":
                raise Broken(f"Key {len(keys) + 1} is not the one that the key before it names.")
        elif first and key.text != first.strip():
            raise Broken("The log's first key is not the one you gave.")
        keys.append(key)
    if not keys:
        raise Broken("There is no key of the log.")
    return keys


def signed_text(note, keys, what):
    """Return the text of a note that one of the keys signed."""
    for key in keys:
        text = key.text_of(note)
        if text is not None:
            return text
    raise Broken(f"{what} is not signed by a key of this log.")


def check_manifest(members, keys):
    """Compare each member with the signed manifest."""
    lines = signed_text(members["manifest.note"].decode(), keys, "The manifest").split("\n")
    if lines[1:] != ["dossier manifest", sha256(members["manifest.json"]).hexdigest(), ""]:
        raise Broken("The manifest is not the one that was signed.")
    told = read_json(members, "manifest.json")["members"]
    others = [name for name in members if name not in MEMBERS]
    if sorted(told) != sorted(others):
        raise Broken("The dossier has other members than its manifest.")
    for name in others:
        if sha256(members[name]).hexdigest() != told[name]:
            raise Broken(f"{name} was changed.")


def link_of(event):
    """Return the hash that an event's bytes, place and predecessor come to."""
    chain, body = event["chain"].encode(), event["body"].encode()
    place = len(chain).to_bytes(2, "big") + chain + event["sequence"].to_bytes(8, "big")
    return sha256(DOMAIN + place + bytes.fromhex(event["previous"]) + body).digest()


def root_of(leaf, index, size, path):
    """Return the root that an inclusion proof leads to (RFC 9162, section 2.1.3.2)."""
    place, top, root = index, size - 1, leaf
    if not 0 <= index < size:
        raise Broken("A proof names a leaf that the tree does not have.")
    for step in path:
        if top == 0:
            raise Broken("A proof is longer than the tree is high.")
        if place & 1 or place == top:
            root = sha256(b"\x01" + step + root).digest()
            while not place & 1 and place:
                place, top = place >> 1, top >> 1
        else:
            root = sha256(b"\x01" + root + step).digest()
        place, top = place >> 1, top >> 1
    if top:
        raise Broken("A proof is shorter than the tree is high.")
    return root


def check_events(members, keys):
    """Prove each event to be in the log that the checkpoint signs; return checkpoint and events."""
    note = members["checkpoint.note"].decode()
    origin, size, root, *_ = signed_text(note, keys, "The checkpoint").split("\n")
    if origin != keys[0].name:
        raise Broken("The checkpoint is of another log.")
    events = read_json(members, "events.json")
    for event in events:
        where = f"Event {event['sequence']} of {event['chain']}"
        link = link_of(event)
        if link.hex() != event["link"]:
            raise Broken(f"{where} is not what was written.")
        path = [bytes.fromhex(step) for step in event["path"]]
        leaf = sha256(b"\x00" + link).digest()
        if root_of(leaf, event["index"], int(size), path) != base64.b64decode(root):
            raise Broken(f"{where} is not in the log that the checkpoint signs.")
    return int(size), events


def check_round(members, events):
    """Compare the round's document with the events that were proven."""
    told = read_json(members, "round.json")
    bodies = [json.loads(event["body"]) for event in events]
    if not events or told["events"] != bodies:
        raise Broken("The round's document does not tell what the events tell.")
    subject = f"{told['table']}/{told['round']}"
    if any(body["subject"] != subject for body in bodies):
        raise Broken("An event belongs to another round.")
    return told


def verify(data, first=""):
    """Verify a dossier's bytes; return what was proven, in a sentence. Raises Broken."""
    members = unpacked(data)
    try:
        keys = trusted_keys(read_json(members, "keys.json"), first)
        check_manifest(members, keys)
        size, events = check_events(members, keys)
        told = check_round(members, events)
    except Broken:
        raise
    except Exception as error:
        raise Broken(f"The dossier cannot be read: {error!r}") from error
    return (
        f"{told['table']}, round {told['round']}: {len(events)} events are in the log of "
        f"{keys[0].name} as it was signed at {size} events; {len(members)} members unchanged."
    ), keys[0].text


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("dossier")
    parser.add_argument("--key", default="", help="the log's first public key, as published")
    told = parser.parse_args(arguments)
    try:
        with open(told.dossier, "rb") as file:
            sentence, key = verify(file.read(), told.key)
    except Broken as broken:
        print(f"NOT VERIFIED. {broken}")
        return 1
    print(f"Verified. {sentence}")
    if not told.key:
        print(f"Signed under this key: compare it with the published one.\n  {key}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
