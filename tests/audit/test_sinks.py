"""Checkpoints in a store and in a mailbox: a real server of each kind answers on this machine."""

import socketserver
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from audit.s3_sink import signed_headers
from audit.sink_errors import SinkConflict, SinkError
from audit.sinks import sink_of

SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"


class Store(BaseHTTPRequestHandler):
    """A store that checks each signature with the secret, and writes nothing over."""

    kept: dict[str, bytes] = {}

    def answer(self, status: int, body: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def is_signed(self, body: bytes) -> bool:
        headers = {name.lower(): value for name, value in self.headers.items()}
        told = headers["authorization"]
        names = told.split("SignedHeaders=")[1].split(",")[0].split(";")
        more = {n: headers[n] for n in names if n not in ("host", "x-amz-date")}
        more.pop("x-amz-content-sha256")
        now = datetime.strptime(headers["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        url = f"http://{headers['host']}{self.path}"
        again = signed_headers(self.command, url, body, more, ("AKID", SECRET, "us-east-1"), now)
        return (
            again["authorization"] == told
            and again["x-amz-content-sha256"] == (headers["x-amz-content-sha256"])
        )

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not self.is_signed(body):
            self.answer(403)
        elif self.path in self.kept and self.headers["If-None-Match"] == "*":
            self.answer(412)
        else:
            self.kept[self.path] = body
            self.answer(200)

    def do_GET(self) -> None:
        self.answer(200 if self.is_signed(b"") else 403, self.kept.get(self.path, b""))

    def log_message(self, *_: Any) -> None:
        return


class Mailbox(socketserver.StreamRequestHandler):
    """As much of SMTP as it takes to receive a message (RFC 5321)."""

    received: list[str] = []

    def handle(self) -> None:
        self.wfile.write(b"220 here\r\n")
        for line in self.rfile:
            word = line[:4].upper()
            if word == b"DATA":
                self.wfile.write(b"354 go on\r\n")
                lines = list(iter(self.rfile.readline, b".\r\n"))
                self.received.append(b"".join(lines).decode())
            self.wfile.write(b"221 bye\r\n" if word == b"QUIT" else b"250 ok\r\n")
            if word == b"QUIT":
                return


def serve(server: Any) -> Iterator[int]:
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


@pytest.fixture
def store() -> Iterator[int]:
    Store.kept = {}
    yield from serve(ThreadingHTTPServer(("127.0.0.1", 0), Store))


@pytest.fixture
def mailbox() -> Iterator[int]:
    Mailbox.received = []
    yield from serve(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Mailbox))


def test_the_published_example_of_a_signature(store: int) -> None:
    """AWS's own example of Signature Version 4 for S3: GET with a range."""
    headers = signed_headers(
        "GET",
        "https://examplebucket.s3.amazonaws.com/test.txt",
        b"",
        {"range": "bytes=0-9"},
        ("AKIAIOSFODNN7EXAMPLE", SECRET, "us-east-1"),
        datetime(2013, 5, 24, tzinfo=UTC),
    )
    assert headers["authorization"].endswith(
        "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
    )


def test_a_store_keeps_each_file_once(store: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKID")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    address = f"s3://log/of/house?endpoint=http://127.0.0.1:{store}"
    sink_of(address).put("00000001.note", b"one")
    sink_of(address).put("00000001.note", b"one")  # again: it is there
    assert Store.kept == {"/log/of/house/00000001.note": b"one"}
    with pytest.raises(SinkConflict, match="holds other bytes"):
        sink_of(address).put("00000001.note", b"two")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another")
    with pytest.raises(SinkError, match="answered 403"):
        sink_of(address).put("00000002.note", b"two")
    with pytest.raises(SinkError, match="cannot be reached"):
        sink_of("s3://log?endpoint=http://127.0.0.1:1").put("00000001.note", b"one")


def test_a_message_a_note(mailbox: int) -> None:
    sink = sink_of(f"mailto:board@example.org?via=127.0.0.1:{mailbox}")
    sink.put("00000012.note", "log\n1\nx\n\n— log abc=\n".encode())
    sink.put("00000012.json", b"{}")
    [told] = Mailbox.received
    assert "Subject: Checkpoint 12" in told
    assert "To: board@example.org" in told
    assert 'filename="00000012.note"' in told
    with pytest.raises(SinkError, match="did not take the message"):
        sink_of("mailto:board@example.org?via=127.0.0.1:1").put("00000001.note", b"x")


@pytest.mark.parametrize("told", ["", "ftp://x", "file:relative", "s3://bucket", "mailto:nobody"])
def test_what_is_no_place_is_refused(told: str) -> None:
    with pytest.raises(SinkError, match="no place for checkpoints"):
        sink_of(told)
